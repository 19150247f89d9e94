/* Characters that act, in bytes of UTF-8; bobbin/chars.h says which. */
#ifndef CORE_CHARS_H
#define CORE_CHARS_H

#include <bobbin/chars.h>

/* The bytes of the character at p when it acts, of at most n; 0: it does not,
 * or there is none. A tab and an end of line act, too. */
size_t chars_acting(const char *p, size_t n);

#endif
