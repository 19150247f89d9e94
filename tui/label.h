/*
 * A function and its place in one line: `name  …/src/file.php:12`. The name
 * comes first: the path loses folders from the left before the name loses a
 * letter, and a line that is unknown is not shown.
 */
#ifndef TUI_LABEL_H
#define TUI_LABEL_H

#include <stddef.h>

#include "canvas.h"

/*
 * Draws foreign text, whose first n_name bytes are the name (0: it has no
 * parts), into w columns. With FIT_RIGHT the end of the whole text is shown
 * instead. In STYLE_PLAIN the place is dimmed. Returns the columns used.
 */
int label_draw(struct canvas *c, const struct rect *r, int x, int y, int w,
    const char *p, size_t n, size_t n_name, int fit, int style);

/* Draws text and cuts it in the middle where it does not fit. Returns the
 * columns used. */
int label_cut_middle(struct canvas *c, const struct rect *r, int x, int y,
    int w, const char *p, size_t n, int style);

#endif
