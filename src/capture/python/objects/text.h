/* Reads strings (PyUnicodeObject) as UTF-8. Only compact ones are known. */
#ifndef CAPTURE_PYTHON_OBJECTS_TEXT_H
#define CAPTURE_PYTHON_OBJECTS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/offsets.h"

/* Bytes of one string. Longer ones are cut and end in "...". */
#define PY_MAX_TEXT 4096

/*
 * Reads the string at an address into buf, which has PY_MAX_TEXT bytes. A lone
 * surrogate becomes three bytes, as if it were a character. Returns the number
 * of bytes; -EINVAL if it is not a string; another -errno if it cannot be read.
 */
int py_text_read(struct mem *m, const struct py_offsets *o, uint64_t at,
    char *buf);

/* Returns 1 if the string at an address is `text`: ASCII of less than 100
 * characters. */
int py_text_is(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *text);

/* What the head of a string says about it. */
struct py_text_shape {
	uint64_t length; /* in characters */
	unsigned kind;   /* bytes of a character: 1, 2 or 4 */
	uint32_t data;   /* offset of the characters */
};

/* o->str_ascii is at most this (bounds.h). */
#define PY_TEXT_MAX_HEAD 64u

/* The first read of a string. Most names fit into it with their head. */
#define PY_TEXT_FIRST 192u

/* Parses the first o->str_ascii bytes of a string; those in front of
 * o->str_length need not be set. 0; -EINVAL if it is not a compact string. */
int py_text_shape(const struct py_offsets *o, const uint8_t *head,
    struct py_text_shape *ret);

/* Converts *n characters of `kind` (1, 2 or 4) bytes each to UTF-8: whole
 * characters, at most cap bytes. Returns the number of bytes; *n becomes the
 * number of characters. */
size_t py_text_utf8(const uint8_t *from, size_t *n, unsigned kind, char *to,
    size_t cap);

#endif
