/* A selected row in a list that scrolls. */
#ifndef TUI_CURSOR_H
#define TUI_CURSOR_H

#include <stddef.h>

struct cursor {
	size_t at;  /* the selected row */
	size_t top; /* the first visible one */
};

/* Moves the selection among n rows by `by`; stops at the first and last. */
void cursor_move(struct cursor *c, size_t n, long by);

/* Scrolls by `by` rows; the selection moves only if it would leave the screen
 * of `height` rows. */
void cursor_scroll(struct cursor *c, size_t n, int height, long by);

/* Moves selection and first row so that the selected row exists among n rows
 * and is visible on a screen of `height` rows. */
void cursor_fit(struct cursor *c, size_t n, int height);

#endif
