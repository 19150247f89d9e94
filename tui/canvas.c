/* Drawing on a canvas. Every write goes through canvas_cell(), which clips. */
#include "canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "glyph.h"

static const struct cell blank = { .ch = { ' ' }, .width = 1 };

int
rect_has(const struct rect *r, int x, int y)
{
	return x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h;
}

int
canvas_resize(struct canvas *c, int cols, int rows)
{
	struct cell *cell;

	cols = cols < 1 ? 1 : cols > CANVAS_MAX_COLS ? CANVAS_MAX_COLS : cols;
	rows = rows < 1 ? 1 : rows > CANVAS_MAX_ROWS ? CANVAS_MAX_ROWS : rows;
	if (c->cell == NULL || cols != c->cols || rows != c->rows) {
		cell = calloc((size_t)cols * (size_t)rows, sizeof(*cell));
		if (cell == NULL)
			return -1;
		free(c->cell);
		c->cell = cell;
		c->cols = cols;
		c->rows = rows;
	}
	canvas_clear(c);
	return 0;
}

void
canvas_done(struct canvas *c)
{
	free(c->cell);
	c->cell = NULL;
}

void
canvas_clear(struct canvas *c)
{
	size_t n = (size_t)c->cols * (size_t)c->rows, i;

	for (i = 0; i < n; i++)
		c->cell[i] = blank;
}

/* The cell at a place in a window; NULL outside of the window or canvas. */
static struct cell *
canvas_cell(struct canvas *c, const struct rect *r, int x, int y)
{
	if (x < 0 || y < 0 || x >= r->w || y >= r->h || r->x + x < 0 ||
	    r->y + y < 0 || r->x + x >= c->cols || r->y + y >= c->rows)
		return NULL;
	return &c->cell[(size_t)(r->y + y) * (size_t)c->cols +
	    (size_t)(r->x + x)];
}

static void
canvas_put_char(struct canvas *c, const struct rect *r, int x, int y,
    const struct safe_char *g, int style)
{
	struct cell *cell = canvas_cell(c, r, x, y);

	/* Half of a wide character would shift all that follows. */
	if (cell == NULL || (g->width == 2 &&
	    canvas_cell(c, r, x + 1, y) == NULL))
		return;
	memset(cell, 0, sizeof(*cell));
	memcpy(cell->ch, g->ch, sizeof(cell->ch));
	cell->style = (uint8_t)style;
	cell->width = g->width;
	if (g->width == 2) {
		cell[1] = blank;
		cell[1].style = (uint8_t)style;
		cell[1].width = 0;
	}
}

void
canvas_put(struct canvas *c, const struct rect *r, int x, int y, uint32_t ch,
    int style)
{
	struct safe_char g = { .ch = { ch }, .width = 1 };

	canvas_put_char(c, r, x, y, &g, style);
}

void
canvas_fill(struct canvas *c, const struct rect *r, int x, int y, int w,
    uint32_t ch, int style)
{
	int i;

	for (i = 0; i < w; i++)
		canvas_put(c, r, x + i, y, ch, style);
}

void
canvas_paint(struct canvas *c, const struct rect *r, int x, int y, int w,
    int style, int attr)
{
	struct cell *cell;
	int i;

	for (i = 0; i < w; i++) {
		cell = canvas_cell(c, r, x + i, y);
		if (cell == NULL)
			continue;
		if (style >= 0)
			cell->style = (uint8_t)style;
		cell->attr |= (uint8_t)attr;
	}
}

/* Draws characters while they fit into w columns; returns the columns used. */
static int
canvas_draw_chars(struct canvas *c, const struct rect *r, int x, int y, int w,
    struct safe_text *t, int style)
{
	struct safe_char g;
	int used = 0;

	while (safe_next(t, &g) && used + g.width <= w) {
		canvas_put_char(c, r, x + used, y, &g, style);
		used += g.width;
	}
	return used;
}

/* Cuts text to at most `most` bytes at the end that is shown, at the border of
 * a character: text may be of any length, and the rest cannot be seen. */
static void
clip_to_visible(const char **p, size_t *n, size_t most, int fit)
{
	size_t skip = *n > most ? *n - most : 0;

	if (skip > 0 && fit == FIT_RIGHT) {
		*p += skip;
		*n = most;
		while (*n > 0 && (**p & 0xc0) == 0x80) {
			++*p;
			--*n;
		}
	} else if (skip > 0) {
		*n = most;
		while (*n > 0 && ((*p)[*n] & 0xc0) == 0x80)
			--*n;
	}
}

int
canvas_text(struct canvas *c, const struct rect *r, int x, int y, int w,
    const char *p, size_t n, int fit, int style)
{
	int width, skip, used;
	struct safe_text t;
	struct safe_char g;

	if (x + w > r->w)
		w = r->w - x;
	if (w <= 0)
		return 0;
	clip_to_visible(&p, &n, (size_t)w * 16 + 64, fit);
	width = (int)safe_width(p, n, c->is_ascii);
	safe_init(&t, p, n, c->is_ascii);
	if (width <= w) {
		x += fit == FIT_RIGHT ? w - width : 0;
		(void)canvas_draw_chars(c, r, x, y, w, &t, style);
		return fit == FIT_RIGHT ? w : width;
	}
	if (fit == FIT_LEFT) {
		used = canvas_draw_chars(c, r, x, y, w - 1, &t, style);
		canvas_put(c, r, x + used, y, glyph(c, GLYPH_ELLIPSIS), style);
		return used + 1;
	}
	for (skip = width - (w - 1); skip > 0 && safe_next(&t, &g);)
		skip -= g.width;
	canvas_put(c, r, x, y, glyph(c, GLYPH_ELLIPSIS), style);
	/* A wide character that would be cut in half leaves a blank. */
	canvas_fill(c, r, x + 1, y, -skip, ' ', style);
	(void)canvas_draw_chars(c, r, x + 1 - skip, y, w - 1 + skip, &t, style);
	return w;
}

int
canvas_str(struct canvas *c, const struct rect *r, int x, int y,
    const char *s, int style)
{
	char buf[512];

	s = glyph_text(c, buf, (int)sizeof(buf), s);
	return canvas_text(c, r, x, y, r->w - x, s, strlen(s), FIT_LEFT,
	    style);
}

int
canvas_printf(struct canvas *c, const struct rect *r, int x, int y, int style,
    const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return canvas_str(c, r, x, y, buf, style);
}
