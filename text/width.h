/* How many columns of a terminal a character takes. */
#ifndef TEXT_WIDTH_H
#define TEXT_WIDTH_H

#include <stdint.h>

/* 2 for wide characters, 0 for marks that combine with the character before
 * them, 1 for all others. */
unsigned char_width(uint32_t cp);

#endif
