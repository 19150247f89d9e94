/*
 * What values of Python look like as text, much as repr() writes them: always
 * one line of UTF-8 with what is not to be seen escaped.
 */
#ifndef CAPTURE_PYTHON_REPRTEXT_H
#define CAPTURE_PYTHON_REPRTEXT_H

#include <stddef.h>
#include <stdint.h>

/* Room for any text. */
#define REPR_ROOM 2048

struct repr_text {
	char p[REPR_ROOM];
	size_t n;
};

/* Digits of base 2^30 of a number that is written out; 181 decimal ones. */
#define REPR_MAX_DIGITS 20

/* What does not fit is left out. */
void repr_put(struct repr_text *t, const char *s, size_t n);
void repr_str(struct repr_text *t, const char *s);

/* A number of at most REPR_MAX_DIGITS digits, the lowest first. */
void repr_long(struct repr_text *t, const uint32_t *digit, size_t n,
    int is_negative);
void repr_float(struct repr_text *t, double v);

/* In quotes, with escapes: bytes, or UTF-8 in which single halves of
 * surrogates may be. `is_cut`: there is more, which dots say. */
void repr_quoted(struct repr_text *t, const char *s, size_t n, int is_bytes,
    int is_cut);

/* UTF-8 without quotes; what is none is escaped. */
void repr_plain(struct repr_text *t, const char *s, size_t n);

#endif
