/* UTF-8, as CPython's decoder sees it when told to replace what is wrong. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stddef.h>

/* Bytes of the sequence that begins at p, of n that there are (at least 1):
 * *is_whole says whether it is one; else they are a maximal part of one, or a
 * byte that begins none. */
size_t utf8_take(const char *p, size_t n, int *is_whole);

/* How many of the n bytes, from the first, are UTF-8. */
size_t utf8_valid(const char *p, size_t n);

/* The bytes with U+FFFD in place of each maximal part of a sequence that is
 * none; to has room for 3 * n bytes. Returns how many were written. */
size_t utf8_replace(char *to, const char *p, size_t n);

#endif
