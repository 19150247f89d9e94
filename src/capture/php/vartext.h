/*
 * What a value looks like as an annotation: `(int) 42`, `(float) 3.14`,
 * `(string) "two\nlines"`, `(bool) true`, `(array) count=3`, `null`, and
 * `(unknown)` for all others. Always one line of UTF-8.
 */
#ifndef CAPTURE_PHP_VARTEXT_H
#define CAPTURE_PHP_VARTEXT_H

#include <stddef.h>
#include <stdint.h>

/* Characters of a string; longer ones are cut, and end with three dots. */
#define VARTEXT_MAX_CHARS 200
/* The bytes that so many can have, and one more to see that it was cut. */
#define VARTEXT_MAX_BYTES (4 * VARTEXT_MAX_CHARS + 1)

/* Room for any text: each byte of a string may take six. */
#define VARTEXT_ROOM (6 * VARTEXT_MAX_BYTES + 64)

/* Each returns the number of bytes. The first writes what it is given, as it
 * is. */
size_t vartext_word(char *buf, const char *s);
size_t vartext_long(int64_t v, char buf[VARTEXT_ROOM]);
size_t vartext_double(double v, char buf[VARTEXT_ROOM]);
size_t vartext_count(uint32_t n, char buf[VARTEXT_ROOM]);

/* At most VARTEXT_MAX_BYTES bytes of a string; `is_cut`: there are more. */
size_t vartext_string(const char *s, size_t n, int is_cut,
    char buf[VARTEXT_ROOM]);

#endif
