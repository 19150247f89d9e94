/*
 * Breaking text into lines at words.
 *
 *     while (n > 0) {
 *             len = wrap_line(p, n, column, column > 0, width, &next);
 *             ... print len bytes, and a new line if next < n ...
 *             p += next, n -= next, column = 0;
 *     }
 */
#ifndef TEXT_WRAP_H
#define TEXT_WRAP_H

#include <stddef.h>

/*
 * Returns how many of the n bytes stand on a line that `column` columns of
 * `width` are used of, and sets *ret_next to where the next line begins. The
 * text is safe already (text/safe.h) but for colours, which take no column, and
 * has no line ends. is_begun: something
 * is on the line that the text may be moved away from, so that 0 is a legal
 * answer. A number and its unit stay together. A word that no line has room for
 * is broken behind a slash or a backslash, so that the end of a path, its name
 * and line, stays together; only without these anywhere.
 */
size_t wrap_line(const char *p, size_t n, size_t column, int is_begun,
    size_t width, size_t *ret_next);

#endif
