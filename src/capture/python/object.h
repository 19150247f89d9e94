/*
 * Dictionaries and attributes of objects of Python.
 *
 * They belong to the process and change while they are read, so nothing that
 * is found is more than a hint: every count has a limit, every address is
 * only read from, and who uses what is found checks what it is. Wants no
 * memory of its own.
 */
#ifndef CAPTURE_PYTHON_OBJECT_H
#define CAPTURE_PYTHON_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/offsets.h"

/* Entries of a dictionary that are looked at; modules of a large program are
 * some thousands. */
#define PY_MAX_DICT 65536u

/* Attributes of an object that are looked at. */
#define PY_MAX_ATTRS 256u

/* A field of an object, by where it is when an object's head has 16 bytes; it
 * has 32 without the lock. */
static inline uint32_t
py_at(const struct py_offsets *o, uint32_t at)
{
	return o->var_size - 16 + at;
}

/* PyModuleObject.md_dict, where py_at puts it */
#define PY_MODULE_DICT 16

struct py_dict {
	struct mem *mem;
	const struct py_offsets *o;
	uint64_t entries; /* address */
	uint64_t values;  /* of objects of one type: in an array beside */
	uint32_t n, next; /* how many, and the next one */
	uint32_t size;    /* bytes of an entry: with or without the hash */
	uint32_t from, n_read; /* those that were read last */
	uint8_t block[64 * 24];
	uint8_t value_block[64 * 8];
};

struct py_item {
	uint64_t hash; /* 0 where all keys are strings */
	uint64_t key, value;
};

/* Begins with the first item of a dictionary. 0, or -errno. */
int py_dict_begin(struct py_dict *d, struct mem *m,
    const struct py_offsets *o, uint64_t at);

/* 1 and the next item that has a value, 0 at the end, or -errno. */
int py_dict_next(struct py_dict *d, struct py_item *ret);

/* The value for a string of ASCII. 0, -ENOENT, or -errno. */
int py_dict_get(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *key, uint64_t *ret);

/* The value for a small number, below 2^61 - 1: such are their own hashes. */
int py_dict_get_number(struct mem *m, const struct py_offsets *o, uint64_t at,
    uint64_t key, uint64_t *ret);

/* An attribute that the object itself has, not its class. */
int py_object_attr(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *name, uint64_t *ret);

#endif
