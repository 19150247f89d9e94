/*
 * Writes values as Python's repr() would: always one line of UTF-8, in which
 * characters that are not visible are escaped.
 */
#ifndef CAPTURE_PYTHON_VALUES_REPR_TEXT_H
#define CAPTURE_PYTHON_VALUES_REPR_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a text. What does not fit is left out. */
#define REPR_ROOM 2048

struct repr_text {
	char p[REPR_ROOM];
	size_t n;
};

/* Digits (of base 2^30) of an int that is written out: 181 decimal digits. */
#define REPR_MAX_DIGITS 20

/* Appends n bytes, or a C string. */
void repr_put(struct repr_text *t, const char *s, size_t n);
void repr_str(struct repr_text *t, const char *s);

/* Appends an int of n digits, the lowest first; n is at most
 * REPR_MAX_DIGITS. */
void repr_long(struct repr_text *t, const uint32_t *digit, size_t n,
    int is_negative);
/* Appends a float. */
void repr_float(struct repr_text *t, double v);

/* Appends a string in quotes, with escapes: bytes, or UTF-8 that may have lone
 * surrogates. `is_cut`: dots say that there is more. */
void repr_quoted(struct repr_text *t, const char *s, size_t n, int is_bytes,
    int is_cut);

/* Appends UTF-8 without quotes. Bytes that are not UTF-8 are escaped. */
void repr_plain(struct repr_text *t, const char *s, size_t n);

#endif
