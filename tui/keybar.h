/* The line of keys at the bottom of a screen: as many as fit. */
#ifndef TUI_KEYBAR_H
#define TUI_KEYBAR_H

#include <stddef.h>

#include "canvas.h"

struct keybar_item {
	const char *key, *what; /* an empty key leaves the item out */
};

/* Draws the items in row y of a window, the most useful first. The last two,
 * which lead out of any place (help, quit), are always there. */
void keybar_draw(struct canvas *c, const struct rect *r, int y,
    const struct keybar_item *item, size_t n);

#endif
