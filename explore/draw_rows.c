/*
 * Rows of tables, and the pieces that all views are made of:
 *
 *        self   total        self  function
 *     >▇ 12.3%  45.6%       1,234  label  …/file.php:12
 *
 * Columns are dropped before names are cut.
 */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"
#include "tui/label.h"

#define PERCENT 7 /* columns of a share, with a blank */
#define WEIGHT 12
#define FIRST 2   /* behind the marker and the bar */

/* Columns that a table has at a width, from left to right. */
struct columns {
	int n;
	struct {
		int order;      /* enum bob_order: self or total */
		int is_weight;  /* a count or a time, not a share */
	} v[4];
};

static void
add_column(struct columns *c, int order, int is_weight)
{
	c->v[c->n].order = order;
	c->v[c->n++].is_weight = is_weight;
}

static struct columns
columns_of(int w, int order, int is_calls)
{
	struct columns c = { .n = 0 };
	int is_wide = w >= 110;

	if (is_calls) {
		add_column(&c, BOB_BY_TOTAL, 0);
		if (w >= 60)
			add_column(&c, BOB_BY_TOTAL, 1);
		return c;
	}
	if (w >= 48 || order == BOB_BY_SELF)
		add_column(&c, BOB_BY_SELF, 0);
	if (w >= 48 || order != BOB_BY_SELF)
		add_column(&c, BOB_BY_TOTAL, 0);
	if (is_wide || (w >= 76 && order == BOB_BY_SELF))
		add_column(&c, BOB_BY_SELF, 1);
	if (is_wide || (w >= 76 && order != BOB_BY_SELF))
		add_column(&c, BOB_BY_TOTAL, 1);
	return c;
}

static int
column_width(const struct columns *c, int i)
{
	return c->v[i].is_weight ? WEIGHT : PERCENT;
}

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

int
draw_change_style(struct model *m, uint32_t key, int by_self, double delta)
{
	if (!model_is_significant(m, key, by_self, delta))
		return STYLE_DIM;
	return delta > 0 ? STYLE_GREW : STYLE_SHRANK;
}

struct bob_bytes
draw_key_text(const struct model *m, uint32_t key, const char *zero)
{
	if (key == 0)
		return (struct bob_bytes){ zero, strlen(zero) };
	return bob_view_key(m->view[1], key).text;
}

int
draw_label(struct screen *s, const struct rect *r, int x, int y, int w,
    uint32_t key, int style)
{
	const struct model *m = s->model;
	struct bob_key k = bob_view_key(m->view[1], key);

	return label_draw(s->canvas, r, x, y, w, k.text.p, k.text.n, k.name.n,
	    m->is_right ? FIT_RIGHT : FIT_LEFT, style);
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

/* ---- Headings ------------------------------------------------------------ */

static const char *
column_name(const struct model *m, const struct columns *c, int i,
    int is_calls)
{
	int is_self = c->v[i].order == BOB_BY_SELF;

	if (!c->v[i].is_weight)
		return is_self ? "self" : "total";
	if (is_calls || c->n < 4) /* the one that rows are sorted by */
		return m->by_time ? "time" : "samples";
	if (m->by_time)
		return is_self ? "self time" : "total time";
	return is_self ? "self count" : "total count";
}

/* Draws a column heading; the one that rows are sorted by has a mark. Returns
 * the next column. */
static int
draw_column_title(struct screen *s, const struct rect *r, int x, int w,
    const char *title, int is_sorted)
{
	int style = is_sorted ? STYLE_PANE_ACTIVE : STYLE_PANE;

	(void)canvas_printf(s->canvas, r, x, 0, style, "%*s", w - 1, title);
	if (is_sorted)
		canvas_put(s->canvas, r, x + w - 1, 0, glyph(s->canvas,
		    GLYPH_OPEN), style);
	return x + w;
}

static int
draw_change_titles(struct screen *s, const struct rect *r, int x)
{
	int by_delta = s->model->by_delta;

	if (r->w >= 48)
		x = draw_column_title(s, r, x, PERCENT, "before", 0);
	x = draw_column_title(s, r, x, PERCENT, "after", !by_delta);
	return draw_column_title(s, r, x, PERCENT + 1, "change", by_delta);
}

static void
draw_titles(struct screen *s, const struct rect *r,
    const struct rows_look *look)
{
	struct columns c = columns_of(r->w, look->order, look->is_calls);
	int x = FIRST, i;

	if (s->model->is_diff)
		x = draw_change_titles(s, r, x);
	for (i = 0; !s->model->is_diff && i < c.n; i++)
		x = draw_column_title(s, r, x, column_width(&c, i),
		    column_name(s->model, &c, i, look->is_calls),
		    !look->is_calls && c.v[i].order == look->order &&
		        !c.v[i].is_weight);
	(void)canvas_str(s->canvas, r, x + 1, 0, look->title,
	    look->is_active ? STYLE_PANE_ACTIVE : STYLE_PANE);
}

int
draw_heading_at(const struct model *m, const struct rect *r, int x)
{
	struct columns c = columns_of(r->w, m->order, 0);
	int i, at = FIRST;

	for (i = 0; !m->is_diff && i < c.n; i++) {
		at += column_width(&c, i);
		if (x < at)
			return x >= FIRST ? c.v[i].order : -1;
	}
	return -1;
}

/* ---- Rows ---------------------------------------------------------------- */

/* Draws shares before and after, and the change; returns the next column. */
static int
draw_change(struct screen *s, const struct rect *r, int x, int y,
    const struct item *i, const struct rows_look *look, int style)
{
	double before = row_share(i->w[0], look->whole[0]);
	double after = row_share(i->w[1], look->whole[1]);
	char a[NUMBER_TEXT];
	int delta = style;

	if (style == STYLE_PLAIN)
		delta = draw_change_style(s->model, i->key,
		    look->order == BOB_BY_SELF && !look->is_calls,
		    after - before);
	if (style == STYLE_PLAIN && delta == STYLE_DIM)
		style = STYLE_DIM;
	if (r->w >= 48)
		x += canvas_printf(s->canvas, r, x, y, style, "%s ",
		    number_percent(a, before));
	x += canvas_printf(s->canvas, r, x, y, style, "%s ",
	    number_percent(a, after));
	x += canvas_printf(s->canvas, r, x, y, delta, "%7s ",
	    draw_delta(a, after - before));
	return x + 1;
}

static int
draw_numbers(struct screen *s, const struct rect *r, int x, int y,
    const struct item *i, const struct rows_look *look, int style)
{
	struct columns c = columns_of(r->w, look->order, look->is_calls);
	char a[NUMBER_TEXT];
	int k;

	if (s->model->is_diff)
		return draw_change(s, r, x, y, i, look, style);
	for (k = 0; k < c.n; k++) {
		uint64_t w = look->is_calls ? i->w[1]
		    : c.v[k].order == BOB_BY_SELF ? i->self : i->total;
		double part = row_share(w, look->whole[1]);

		if (c.v[k].is_weight)
			(void)canvas_printf(s->canvas, r, x, y, style,
			    "%*s", WEIGHT - 1, draw_weight(s->model, a, w));
		else
			(void)canvas_str(s->canvas, r, x, y,
			    number_percent(a, part), style != STYLE_PLAIN
			        ? style
			    : w == 0 ? STYLE_DIM : style_heat(part));
		x += column_width(&c, k);
	}
	return x + 1;
}

/* A bar of one cell; its height is the row's weight relative to the largest. */
static void
draw_block(struct screen *s, const struct rect *r, int y,
    const struct item *i, const struct rows_look *look, uint64_t most,
    int style)
{
	double part = row_share(i->w[1], look->whole[1]);
	int level = most > 0 ? (int)(8.0 * (double)i->w[1] / (double)most +
	    0.5) : 0;

	if (i->w[1] > 0 && level == 0)
		level = 1;
	if (s->model->is_diff && style == STYLE_PLAIN)
		style = draw_change_style(s->model, i->key,
		    look->order == BOB_BY_SELF && !look->is_calls,
		    part - row_share(i->w[0], look->whole[0]));
	else if (style == STYLE_PLAIN)
		style = style_heat(part);
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
	x = draw_numbers(s, r, FIRST, y, i, look, style);
	if (i->key == 0)
		(void)canvas_str(s->canvas, r, x, y, look->zero,
		    style == STYLE_PLAIN ? STYLE_DIM : style);
	else
		(void)draw_label(s, r, x, y, r->w - x, i->key, style);
}

void
draw_rows(struct screen *s, const struct rect *all, struct table *t,
    const struct rows_look *look)
{
	struct rect below = { all->x, all->y + 1, all->w, all->h - 1 };
	const struct rect *r = &below;
	uint64_t most = table_most(t);
	int y;

	draw_titles(s, all, look);
	cursor_fit(&t->c, t->n, r->h);
	for (y = 0; y < r->h && t->c.top + (size_t)y < t->n; y++) {
		size_t at = t->c.top + (size_t)y;

		draw_row(s, r, y, &t->item[at], look, most, at == t->c.at);
	}
	if (t->n == 0)
		(void)canvas_str(s->canvas, r, FIRST, 0,
		    s->model->is_shown != NULL ? "nothing matches the filter"
		                               : "nothing",
		    STYLE_DIM);
}
