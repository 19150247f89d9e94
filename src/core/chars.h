/* Finding characters of the kind BOB_CHAR_ACTS in UTF-8; see bobbin/chars.h. */
#ifndef CORE_CHARS_H
#define CORE_CHARS_H

#include <bobbin/chars.h>

/* Returns the length of the character at p if its kind is BOB_CHAR_ACTS, else
 * 0; n bytes are there. Tabs and newlines are of that kind. */
size_t chars_acting(const char *p, size_t n);

#endif
