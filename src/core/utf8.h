/* Validating and repairing UTF-8, by the rules of CPython's decoder with
 * errors="replace". */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stddef.h>

/* Returns the length of the sequence at p; n > 0 bytes are there. *is_whole is
 * set to 1 if it is a valid sequence. Otherwise the result is the length of the
 * longest valid beginning of one, at least 1. */
size_t utf8_take(const char *p, size_t n, int *is_whole);

/* Returns how many of the n bytes, from the first on, are valid UTF-8. */
size_t utf8_valid(const char *p, size_t n);

/* Copies n bytes, with U+FFFD in place of each invalid sequence. `to` has room
 * for 3 * n bytes. Returns how many were written. */
size_t utf8_replace(char *to, const char *p, size_t n);

#endif
