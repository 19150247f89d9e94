/* How much room text takes on a terminal. */
#ifndef CLI_WIDTH_H
#define CLI_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* The columns of a character: 2 for wide ones, 0 for marks that stand on the
 * one before, 1 for all others. */
size_t width_of(uint32_t cp);

/* The columns of n bytes; a byte that is not UTF-8 counts as one. */
size_t width_text(const char *p, size_t n);

#endif
