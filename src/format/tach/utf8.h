/* UTF-8 as CPython's decoder sees it when told to replace what is wrong. */
#ifndef FORMAT_TACH_UTF8_H
#define FORMAT_TACH_UTF8_H

#include <stddef.h>

/* How many of the n bytes, from the first, are UTF-8. */
size_t utf8_valid(const char *p, size_t n);

/* The bytes with U+FFFD in place of each maximal part of a sequence that is
 * none; to has room for 3 * n bytes. Returns how many were written. */
size_t utf8_replace(char *to, const char *p, size_t n);

#endif
