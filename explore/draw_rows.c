/*
 * Rows of tables, and the pieces that all views are made of:
 *
 *     >▇     1,234   12.3%  label
 */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

const char *
draw_weight(const struct model *m, char buf[NUMBER_TEXT], uint64_t w)
{
	if (m->by_time)
		return number_time(buf, w);
	return number_count(buf, w);
}

const char *
draw_delta(char buf[NUMBER_TEXT], double delta)
{
	double points = 100 * delta;

	if (points > -0.05 && points < 0.05)
		points = 0; /* never -0.0 */
	(void)snprintf(buf, NUMBER_TEXT, points == 0 ? "%.1f" : "%+.1f",
	    points);
	return buf;
}

struct bob_bytes
draw_key_text(const struct model *m, uint32_t key, const char *zero)
{
	if (key == 0)
		return (struct bob_bytes){ zero, strlen(zero) };
	return bob_view_key(m->view[1], key).text;
}

void
draw_label(struct screen *s, const struct rect *r, int x, int y, int w,
    uint32_t key, int style)
{
	const struct model *m = s->model;
	struct bob_key k = bob_view_key(m->view[1], key);
	int fit = m->is_right ? FIT_RIGHT : FIT_LEFT, used;

	used = canvas_text(s->canvas, r, x, y, w, k.text.p, k.text.n, fit,
	    style);
	/* The file and line behind the name are dimmed. */
	if (style == STYLE_PLAIN && fit == FIT_LEFT && k.name.n > 0 &&
	    k.name.n < k.text.n && used > 0) {
		int name = (int)safe_width_upto(k.name.p, k.name.n,
		    s->canvas->is_ascii, (size_t)used);

		if (name < used)
			canvas_paint(s->canvas, r, x + name, y, used - name,
			    STYLE_FILE, 0);
	}
}

void
draw_heading(struct screen *s, const struct rect *r, int y,
    const char *title, int is_active)
{
	int style = is_active ? STYLE_PANE_ACTIVE : STYLE_PANE, w;

	canvas_fill(s->canvas, r, 0, y, r->w, glyph(s->canvas, GLYPH_RULE),
	    STYLE_RULE);
	w = canvas_str(s->canvas, r, 3, y, title, style);
	canvas_put(s->canvas, r, 2, y, ' ', STYLE_RULE);
	canvas_put(s->canvas, r, 3 + w, y, ' ', STYLE_RULE);
}

static double
row_share(uint64_t w, uint64_t whole)
{
	return whole > 0 ? (double)w / (double)whole : 0;
}

/* Draws shares before and after, and the change; returns the next column. */
static int
draw_change(struct screen *s, const struct rect *r, int x, int y,
    const struct item *i, const struct rows_look *look, int style)
{
	double before = row_share(i->w[0], look->whole[0]);
	double after = row_share(i->w[1], look->whole[1]);
	double d = after - before;
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];
	int delta = style != STYLE_PLAIN ? style
	    : d > 0.0005 ? STYLE_GREW
	    : d < -0.0005 ? STYLE_SHRANK
	                  : STYLE_DIM;

	if (!look->is_short) {
		x += canvas_printf(s->canvas, r, x, y, style, " %s",
		    number_percent(a, before));
	}
	x += canvas_printf(s->canvas, r, x, y, style, " %s",
	    number_percent(b, after));
	x += canvas_printf(s->canvas, r, x, y, delta, " %6s",
	    draw_delta(c, d));
	return x + 2;
}

static int
draw_numbers(struct screen *s, const struct rect *r, int x, int y,
    const struct item *i, const struct rows_look *look, int style)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	double part = row_share(i->w[1], look->whole[1]);

	if (s->model->is_diff)
		return draw_change(s, r, x, y, i, look, style);
	if (!look->is_short)
		x += canvas_printf(s->canvas, r, x, y, style, " %11s",
		    draw_weight(s->model, a, i->w[1]));
	(void)canvas_printf(s->canvas, r, x, y,
	    style == STYLE_PLAIN ? style_heat(part) : style, " %s",
	    number_percent(b, part));
	return x + 9;
}

/* A bar of one cell; its height is the row's weight relative to the largest. */
static void
draw_block(struct screen *s, const struct rect *r, int y,
    const struct item *i, const struct rows_look *look, uint64_t most,
    int style)
{
	double part = row_share(i->w[1], look->whole[1]), d;
	int level = most > 0 ? (int)(8.0 * (double)i->w[1] / (double)most +
	    0.5) : 0;

	if (i->w[1] > 0 && level == 0)
		level = 1;
	if (s->model->is_diff && style == STYLE_PLAIN) {
		d = part - row_share(i->w[0], look->whole[0]);
		style = d > 0.0005 ? STYLE_GREW
		    : d < -0.0005 ? STYLE_SHRANK
		                  : STYLE_DIM;
	} else if (style == STYLE_PLAIN) {
		style = style_heat(part);
	}
	canvas_put(s->canvas, r, 1, y, glyph_block(s->canvas, level), style);
}

static void
draw_row(struct screen *s, const struct rect *r, int y,
    const struct item *i, const struct rows_look *look, uint64_t most,
    int is_selected)
{
	int style = !is_selected ? STYLE_PLAIN
	    : look->is_active ? STYLE_CURSOR
	                      : STYLE_PICKED;
	int x;

	if (style == STYLE_CURSOR) {
		canvas_fill(s->canvas, r, 0, y, r->w, ' ', style);
		canvas_put(s->canvas, r, 0, y, glyph(s->canvas, GLYPH_MARKER),
		    style);
	}
	draw_block(s, r, y, i, look, most, style);
	x = draw_numbers(s, r, 2, y, i, look, style);
	if (i->key == 0)
		(void)canvas_str(s->canvas, r, x, y, look->zero,
		    style == STYLE_PLAIN ? STYLE_DIM : style);
	else
		draw_label(s, r, x, y, r->w - x, i->key, style);
}

void
draw_rows(struct screen *s, const struct rect *r, struct table *t,
    const struct rows_look *look)
{
	uint64_t most = table_most(t);
	int y;

	cursor_fit(&t->c, t->n, r->h);
	for (y = 0; y < r->h && t->c.top + (size_t)y < t->n; y++) {
		size_t at = t->c.top + (size_t)y;

		draw_row(s, r, y, &t->item[at], look, most, at == t->c.at);
	}
	if (t->n == 0)
		(void)canvas_str(s->canvas, r, 2, 0,
		    s->model->is_shown != NULL ? "nothing matches the filter"
		                               : "nothing",
		    STYLE_DIM);
}
