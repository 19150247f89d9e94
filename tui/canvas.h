/*
 * A grid of cells in memory that views draw on. It knows nothing of terminals,
 * so what is drawn can be tested without one; tty_show (tty.h) shows it.
 *
 * Everything is clipped to the grid and to the window that is drawn in.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stddef.h>
#include <stdint.h>

#include "style.h"
#include "text/safe.h"

/* Largest terminal that is drawn on. */
#define CANVAS_MAX_COLS 1000
#define CANVAS_MAX_ROWS 500

struct cell {
	uint32_t ch[1 + SAFE_MARKS];
	uint8_t style; /* enum style */
	uint8_t attr;  /* enum cell_attr */
	uint8_t width; /* 0: the right half of a wide character */
	uint8_t zero;
};

enum cell_attr { CELL_REVERSE = 1 << 0, CELL_BOLD = 1 << 1 };

struct canvas {
	struct cell *cell;
	int cols, rows;
	int is_ascii; /* nothing above ASCII may be drawn */
};

/* A window to draw in; places in it count from its own corner. */
struct rect {
	int x, y, w, h;
};

/* True when the point is in the part; in columns and rows of the canvas. */
int rect_has(const struct rect *r, int x, int y);

/* Sets the size and clears it. Returns 0; -1 without memory, and the old size
 * stays. */
int canvas_resize(struct canvas *c, int cols, int rows);
void canvas_done(struct canvas *c);
void canvas_clear(struct canvas *c);

/* Which end of a text is kept when there is not enough room. */
enum fit {
	FIT_LEFT, /* the beginning */
	FIT_RIGHT /* the end; the text stands at the right edge */
};

/*
 * Draws foreign text into the columns x .. x + w - 1 of row y of a window, made
 * safe by text/safe.h, and cut with an ellipsis where it does not fit. Returns
 * the columns used; the others stay as they were.
 */
int canvas_text(struct canvas *c, const struct rect *r, int x, int y, int w,
    const char *p, size_t n, int fit, int style);

/* The same for text of our own, up to the right edge of the window. */
int canvas_str(struct canvas *c, const struct rect *r, int x, int y,
    const char *s, int style);
int canvas_printf(struct canvas *c, const struct rect *r, int x, int y,
    int style, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* One character of our own, of one column. */
void canvas_put(struct canvas *c, const struct rect *r, int x, int y,
    uint32_t ch, int style);

/* Fills a row, or part of it, with a character. */
void canvas_fill(struct canvas *c, const struct rect *r, int x, int y, int w,
    uint32_t ch, int style);

/* Changes the look of cells that are already drawn; style -1 keeps theirs. */
void canvas_paint(struct canvas *c, const struct rect *r, int x, int y, int w,
    int style, int attr);

#endif
