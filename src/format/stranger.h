/* Files that people take for traces, or give by mistake, told by their first
 * bytes. */
#ifndef FORMAT_STRANGER_H
#define FORMAT_STRANGER_H

#include <stddef.h>
#include <stdint.h>

#define STRANGER_TEXT 160

/* If the bytes are those of a known kind of file, returns 1 and writes what it
 * is, and what to do with it, to buf; else returns 0 and leaves buf alone. The
 * text begins with a colon, as it follows a message. */
int stranger_describe(const uint8_t *p, size_t n, char *buf, size_t cap);

#endif
