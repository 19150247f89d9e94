/*
 * Plain text on a stdio stream: foreign bytes made safe, lines broken at
 * spaces; and numbers as users type them in options. text/number.h, which all
 * users of this header get, writes numbers. Nothing here knows about traces.
 */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "text/number.h"

/* Writes foreign text so that it is safe on a terminal, by the rules of
 * text/safe.h. Returns the columns used. */
size_t plain_safe(FILE *f, const char *p, size_t n);
size_t plain_safe_str(FILE *f, const char *s);

/* Sums and products of counts; UINT64_MAX on overflow. */
uint64_t plain_add(uint64_t a, uint64_t b);
uint64_t plain_mul(uint64_t a, uint64_t b);

/* A decimal number from 0 to UINT64_MAX and nothing else. Returns 1 and sets
 * *ret; 0 if it is none. */
int plain_get_u64(const char *s, uint64_t *ret);

/* bob_parse_time in microseconds, rounded down, and bob_parse_size. Returns 1
 * and sets *ret; 0 if it is none. */
int plain_get_time(const char *s, size_t n, uint64_t *ret);
int plain_get_size(const char *s, uint64_t *ret);

/* A percentage as people type it, `12`, `0.5` or `5%`; at most 1000. Returns 1
 * and sets *ret to the share (5% is 0.05); 0 if it is none. */
int plain_get_percent(const char *s, size_t n, double *ret);

/* Breaks safe text at spaces into lines of at most `width` columns, each
 * indented by `indent`; a blank line separates paragraphs ("\n" in the text).
 * The first line starts in column `col`, where the caller has left the
 * cursor. */
void plain_wrap(FILE *f, const char *text, size_t col, size_t indent,
    size_t width);

#endif
