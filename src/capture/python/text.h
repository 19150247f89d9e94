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

/* UTF-8 of *n characters of `kind` (1, 2 or 4) bytes each, at most cap bytes
 * of whole characters. How many bytes; *n is how many characters. */
size_t py_text_utf8(const uint8_t *from, size_t *n, unsigned kind, char *to,
    size_t cap);

#endif
