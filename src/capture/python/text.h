/* Strings of Python, as UTF-8. */
#ifndef CAPTURE_PYTHON_TEXT_H
#define CAPTURE_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/offsets.h"

/* Bytes of one name; longer ones are cut, and end in "...". */
#define PY_MAX_TEXT 4096

/*
 * The string at an address into buf, which has PY_MAX_TEXT bytes. Lone halves
 * of surrogates are kept as three bytes each. How many bytes, or -errno:
 * -EINVAL when it is not a string.
 */
int py_text_read(struct mem *m, const struct py_offsets *o, uint64_t at,
    char *buf);

/* True when the string at an address is this one of ASCII, of less than 100
 * characters. */
int py_text_is(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *text);

/* What the head of a string says about it. */
struct py_text_shape {
	uint64_t length; /* characters */
	unsigned kind;   /* bytes of one */
	uint32_t data;   /* where they begin */
};

/* From the first str_ascii bytes of a string, which are at most so many; those
 * in front of str_length are not looked at. 0, or -EINVAL when it is not a
 * compact one. */
#define PY_TEXT_MAX_HEAD 64u

/* Most names fit into this together with their head: one read. */
#define PY_TEXT_FIRST 192u
int py_text_shape(const struct py_offsets *o, const uint8_t *head,
    struct py_text_shape *ret);

/* UTF-8 of *n characters of `kind` (1, 2 or 4) bytes each, at most cap bytes
 * of whole characters. How many bytes; *n is how many characters. */
size_t py_text_utf8(const uint8_t *from, size_t *n, unsigned kind, char *to,
    size_t cap);

#endif
