/*
 * PHP's values, tables and objects, as far as a key leads to a value.
 *
 * Sizes, masks and chains are the process's own: each step is bounded, and
 * nothing is allocated. What a way depends on is noted in a proof.
 */
#ifndef CAPTURE_PHP_TABLE_H
#define CAPTURE_PHP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/php/proof.h"
#include "capture/php/spec.h"

enum table_result {
	TABLE_OK = 0,
	TABLE_NONE = 1, /* there is no such thing */
	TABLE_TORN = -1 /* it cannot be read, or makes no sense */
};

/* What is at an address, if it is of those that are counted: its type, as
 * zvals have them; 0 when it is none. PHP writes a value and its type one after
 * the other and may be stopped in between, so a zval alone is not believed. */
uint8_t ht_type_at(struct mem *m, uint64_t at);

/* The zval under a key: its address. */
int ht_find(struct proof *p, const struct php_offsets *o, uint64_t table,
    const struct table_key *key, uint64_t *ret_at);

/* The zval at *at, behind references and slots; *at becomes its own address.
 * NONE when there is no value. */
int ht_follow(struct proof *p, const struct php_offsets *o, uint64_t *at,
    uint8_t zval[ZVAL_SIZE]);

/* What is behind a pointer of a table of functions or classes. */
int ht_pointer(struct proof *p, const struct php_offsets *o,
    uint64_t table, const struct table_key *key, uint64_t *ret);

/* From the zval at *at to that of an element or a property of it. */
int ht_step(struct proof *p, const struct php_offsets *o, uint64_t *at,
    const struct spec_step *step);

/*
 * $_SERVER[name] of the thread whose executor_globals are at eg, when it is a
 * string: at most cap bytes of it. Their number; 0 when there is none (PHP
 * fills $_SERVER when a script that mentions it is compiled).
 */
size_t ht_server(struct mem *m, const struct php_offsets *o, uint64_t eg,
    const char *name, char *buf, size_t cap);

#endif
