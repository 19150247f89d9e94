/*
 * Reads dictionaries, and attributes of objects, in the process.
 *
 * They may change while they are read, so each result is only a hint: the
 * caller checks what it got. Every count has a limit. Nothing is allocated.
 */
#ifndef CAPTURE_PYTHON_OBJECTS_OBJECT_H
#define CAPTURE_PYTHON_OBJECTS_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/offsets.h"
#include "capture/python/objects/fields.h"

/* Entries of a dictionary. A larger one is not read. sys.modules of a large
 * program has some thousands. */
#define PY_MAX_DICT 65536u

/* Attributes of an object. One with more is not read. */
#define PY_MAX_ATTRS 256u

struct py_dict {
	struct mem *mem;
	const struct py_offsets *o;
	uint64_t entries; /* address */
	uint64_t values;  /* address of a split table's values; 0: none */
	uint32_t n, next; /* number of entries; the next one */
	uint32_t size;    /* bytes of an entry: 24 with its hash, else 16 */
	uint32_t from, n_read; /* the entries that are in `block` */
	uint8_t block[64 * 24];
	uint8_t value_block[64 * 8];
};

struct py_item {
	uint64_t hash; /* 0 if all keys are strings */
	uint64_t key, value;
};

/* Begins to read the dictionary at an address. 0, or -errno. */
int py_dict_begin(struct py_dict *d, struct mem *m,
    const struct py_offsets *o, uint64_t at);

/* Returns 1 and sets *ret to the next item that has a value; 0 at the end; or
 * -errno. */
int py_dict_next(struct py_dict *d, struct py_item *ret);

/* The value of a key that is ASCII. 0; -ENOENT if there is no such key; or
 * -errno. */
int py_dict_get(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *key, uint64_t *ret);

/* The same for an int below 2^61 - 1. Such an int is its own hash. */
int py_dict_get_number(struct mem *m, const struct py_offsets *o, uint64_t at,
    uint64_t key, uint64_t *ret);

/* An attribute of an object itself, not of its class. 0; -ENOENT if it has no
 * such attribute; or -errno. */
int py_object_attr(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *name, uint64_t *ret);

/* The name of the type at an address, cut to cap - 1 bytes. 0, or -errno. */
int py_type_name(struct mem *m, const struct py_offsets *o, uint64_t type,
    char *buf, size_t cap);

#endif
