/* The strips above the views: the small flame, and samples over time. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

void
draw_mini(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	const struct rect *r = &l->mini;
	struct mini *f = model_mini(m, r->w, r->h);
	uint32_t key = model_cursor_key(m);
	int x, y;

	if (f->width != r->w)
		return;
	for (y = 0; y < r->h; y++) {
		for (x = 0; x < r->w; x++) {
			unsigned dots = f->dots[y * f->width + x];

			canvas_put(s->canvas, r, x, y, glyph_dots(s->canvas,
			    dots), STYLE_HEAT + 3);
			if (mini_has(f, x, y, key))
				canvas_paint(s->canvas, r, x, y, 1, -1,
				    CELL_REVERSE);
		}
	}
}

/* The first bin of a column. */
static uint32_t
bin_of(const struct time_strip *t, int x, int w)
{
	return (uint32_t)((uint64_t)x * t->n / (uint64_t)w);
}

/* The average over the bins of a column, which has at least one. */
static double
column_average(const struct time_strip *t, const uint64_t *v, int x, int w)
{
	uint32_t i = bin_of(t, x, w), end = bin_of(t, x + 1, w);
	double sum = 0;
	uint32_t n = 0;

	if (v == NULL)
		return 0;
	do {
		sum += (double)v[i];
		n++;
	} while (++i < end);
	return sum / n;
}

static int
is_time_selected(const struct model *m, const struct time_strip *t, int x,
    int w)
{
	uint32_t bin = bin_of(t, x, w);
	uint64_t at = bin * t->bin_us;

	if (t->is_dragged)
		return t->anchor < t->cursor
		    ? bin >= t->anchor && bin <= t->cursor
		    : bin >= t->cursor && bin <= t->anchor;
	return m->has_range && at >= m->from && at < m->to;
}

/* Bars of all samples; with a focus, of its samples, coloured by share. */
static void
draw_bins(struct screen *s, const struct rect *r, const struct time_strip *t)
{
	const struct model *m = s->model;
	const uint64_t *bins = t->part != NULL ? t->part : t->all;
	double most = 0, v, all;
	int x, style, level;

	for (x = 0; x < r->w; x++)
		if (column_average(t, bins, x, r->w) > most)
			most = column_average(t, bins, x, r->w);
	for (x = 0; x < r->w && most > 0; x++) {
		v = column_average(t, bins, x, r->w);
		all = column_average(t, t->all, x, r->w);
		level = (int)(8 * v / most + 0.5);
		style = t->part == NULL ? STYLE_HEAT + 2
		                        : style_heat(all > 0 ? v / all : 0);
		if (m->has_range && !is_time_selected(m, t, x, r->w))
			style = STYLE_HEAT;
		canvas_put(s->canvas, r, x, 0, glyph_block(s->canvas,
		    v > 0 && level == 0 ? 1 : level), style);
	}
}

/* A rule with the selected range and the time of the cursor on it. */
static void
draw_axis(struct screen *s, const struct rect *r, const struct time_strip *t)
{
	const struct model *m = s->model;
	char a[NUMBER_TEXT], b[NUMBER_TEXT], text[128];
	int x, w;

	for (x = 0; x < r->w; x++)
		if (is_time_selected(m, t, x, r->w))
			canvas_put(s->canvas, r, x, 1, glyph(s->canvas,
			    GLYPH_RULE_ON), STYLE_SELECTED_TIME);
		else
			canvas_put(s->canvas, r, x, 1, glyph(s->canvas,
			    GLYPH_RULE), STYLE_RULE);
	if (m->has_range)
		(void)snprintf(text, sizeof(text), " %s .. %s ",
		    number_time(a, m->from), number_time(b, m->to));
	else
		(void)snprintf(text, sizeof(text), " %s over %s ",
		    t->part != NULL ? "the focus" : "all samples",
		    number_time(a, t->n * t->bin_us));
	w = (int)strlen(text);
	(void)canvas_text(s->canvas, r, r->w - w - 1, 1, w, text,
	    strlen(text), FIT_LEFT, m->has_range ? STYLE_ON : STYLE_DIM);
	x = (int)((uint64_t)t->cursor * (uint64_t)r->w / t->n);
	canvas_paint(s->canvas, r, x, 0, 1, -1, CELL_REVERSE);
	(void)snprintf(text, sizeof(text), " %s ", number_time(a, t->cursor *
	    t->bin_us));
	w = (int)strlen(text);
	if (x + w > r->w - 30)
		x = r->w - 30 - w;
	(void)canvas_str(s->canvas, r, x < 0 ? 0 : x, 1, text, STYLE_DIM);
}

void
draw_time(struct screen *s, const struct layout *l)
{
	struct time_strip *t = model_time(s->model);

	if (t->n == 0 || t->all == NULL) {
		(void)canvas_str(s->canvas, &l->time, 1, 0,
		    "no samples over time", STYLE_DIM);
		return;
	}
	draw_bins(s, &l->time, t);
	draw_axis(s, &l->time, t);
}
