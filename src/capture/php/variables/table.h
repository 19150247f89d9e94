/*
 * Lookup in PHP's hash tables, arrays and objects, in the memory of a process.
 *
 * Sizes, masks and chains are foreign data: each loop is bounded, and nothing
 * is allocated. Everything that a result depends on is noted in a struct deps.
 */
#ifndef CAPTURE_PHP_VARIABLES_TABLE_H
#define CAPTURE_PHP_VARIABLES_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/php/layout/offsets.h"
#include "capture/php/variables/deps.h"
#include "capture/php/variables/spec.h"

enum table_result {
	TABLE_OK = 0,
	TABLE_NONE = 1, /* there is no such key, element or value */
	TABLE_TORN = -1 /* it cannot be read, or changed meanwhile */
};

/* Returns the type (ZVAL_IS_...) in the header of a reference-counted value at
 * an address; 0 if there is none. PHP writes the value and the type of a zval
 * one after the other and may be stopped in between, so the type of the zval
 * alone is not believed. */
uint8_t ht_type_at(struct mem *m, uint64_t at);

/* Sets *ret_at to the address of the zval under a key. As all below, returns
 * enum table_result. */
int ht_find(struct deps *p, const struct php_offsets *o, uint64_t table,
    const struct table_key *key, uint64_t *ret_at);

/* Reads the zval at *at. Follows references and indirect zvals, and sets *at to
 * the address of the one that was read. TABLE_NONE if it is undefined. */
int ht_follow(struct deps *p, const struct php_offsets *o, uint64_t *at,
    uint8_t zval[ZVAL_SIZE]);

/* Sets *ret to the pointer under a key of a table of functions, classes or
 * properties. */
int ht_pointer(struct deps *p, const struct php_offsets *o,
    uint64_t table, const struct table_key *key, uint64_t *ret);

/* Sets *at from the address of a zval to that of its element or property. */
int ht_step(struct deps *p, const struct php_offsets *o, uint64_t *at,
    const struct spec_step *step);

/*
 * Copies at most cap bytes of $_SERVER[name], if it is a string, of the thread
 * whose executor_globals are at eg. Returns their number; 0 if there is none
 * (PHP fills $_SERVER when it compiles a script that mentions it).
 */
size_t ht_server(struct mem *m, const struct php_offsets *o, uint64_t eg,
    const char *name, char *buf, size_t cap);

/* Returns the bits of $_SERVER[name] if it is a double; else 0. */
uint64_t ht_server_double(struct mem *m, const struct php_offsets *o,
    uint64_t eg, const char *name);

#endif
