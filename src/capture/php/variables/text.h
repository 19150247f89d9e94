/*
 * Text of a value in an annotation: `(int) 42`, `(float) 3.14`,
 * `(string) "two\nlines"`, `(bool) true`, `(array) count=3`, `null`, and
 * `(unknown)` for all others. It is always one line of UTF-8.
 */
#ifndef CAPTURE_PHP_VARIABLES_TEXT_H
#define CAPTURE_PHP_VARIABLES_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Limit of characters of a string; a longer one is cut, and ends with "...". */
#define VARTEXT_MAX_CHARS 200
/* Bytes that so many characters can have, and one to see that it was cut. */
#define VARTEXT_MAX_BYTES (4 * VARTEXT_MAX_CHARS + 1)

/* Room for any text: each byte of a string may take six. */
#define VARTEXT_ROOM (6 * VARTEXT_MAX_BYTES + 64)

/* Each returns the number of bytes written. vartext_word() writes s as it
 * is. */
size_t vartext_word(char *buf, const char *s);
size_t vartext_long(int64_t v, char buf[VARTEXT_ROOM]);
size_t vartext_double(double v, char buf[VARTEXT_ROOM]);
size_t vartext_count(uint32_t n, char buf[VARTEXT_ROOM]);

/* For a string of at most VARTEXT_MAX_BYTES bytes; `is_cut`: PHP's string is
 * longer. */
size_t vartext_string(const char *s, size_t n, int is_cut,
    char buf[VARTEXT_ROOM]);

#endif
