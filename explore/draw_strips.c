/* The strips above the views: the small flame, samples over time, and what a
 * difference comes to. */
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

	(void)canvas_str(s->canvas, &l->labels, 0, r->y - l->labels.y,
	    "calls", STYLE_LABEL);
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
	int x, y, style, level;

	for (x = 0; x < r->w; x++)
		if (column_average(t, bins, x, r->w) > most)
			most = column_average(t, bins, x, r->w);
	for (x = 0; x < r->w && most > 0; x++) {
		v = column_average(t, bins, x, r->w);
		all = column_average(t, t->all, x, r->w);
		level = (int)(8 * r->h * v / most + 0.5);
		if (v > 0 && level == 0)
			level = 1;
		style = t->part == NULL ? STYLE_HEAT + 2
		                        : style_heat(all > 0 ? v / all : 0);
		if ((m->has_range || t->is_dragged) &&
		    !is_time_selected(m, t, x, r->w))
			style = STYLE_HEAT;
		for (y = 0; y < r->h; y++)
			canvas_put(s->canvas, r, x, y, glyph_block(s->canvas,
			    level - 8 * (r->h - 1 - y)), style);
	}
}

/* At the right of the strip: how long it is, or where its cursor is. */
static void
draw_clock(struct screen *s, const struct rect *r, const struct time_strip *t)
{
	const struct model *m = s->model;
	uint64_t at = t->cursor * t->bin_us, other = t->anchor * t->bin_us;
	char a[NUMBER_TEXT], b[NUMBER_TEXT], text[2 * NUMBER_TEXT + 8];
	int is_wide = r->w >= 20, style = STYLE_DIM;

	if (t->is_dragged && is_wide) {
		(void)snprintf(text, sizeof(text), "%s .. %s",
		    number_time(a, at < other ? at : other),
		    number_time(b, (at < other ? other : at) + t->bin_us));
		style = STYLE_ON;
	} else if (t->cursor > 0 && is_wide) {
		(void)snprintf(text, sizeof(text), "%s of %s",
		    number_time(a, at), number_time(b, t->n * t->bin_us));
	} else {
		(void)snprintf(text, sizeof(text), "%s", number_time(a,
		    t->cursor > 0 ? at : t->n * t->bin_us));
	}
	(void)canvas_text(s->canvas, r, 1, 0, r->w - 1, text, strlen(text),
	    FIT_LEFT, m->has_range ? STYLE_ON : style);
}

void
draw_time(struct screen *s, const struct layout *l)
{
	struct time_strip *t = model_time(s->model);
	const struct rect *r = &l->time;
	int y = r->y - l->labels.y;

	(void)canvas_str(s->canvas, &l->labels, 0, y, t->part != NULL
	    ? "focus" : "time", STYLE_LABEL);
	if (t->part != NULL && r->h > 1)
		(void)canvas_str(s->canvas, &l->labels, 0, y + 1, "time",
		    STYLE_LABEL);
	if (t->n == 0 || t->all == NULL) {
		(void)canvas_str(s->canvas, r, 0, 0, "no samples over time",
		    STYLE_DIM);
		return;
	}
	draw_bins(s, r, t);
	draw_clock(s, &l->clock, t);
	for (y = 0; y < r->h; y++)
		canvas_paint(s->canvas, r, (int)((uint64_t)t->cursor *
		    (uint64_t)r->w / t->n), y, 1, -1, CELL_REVERSE);
}

/* Returns the bytes of as many sentences as fit; of one, if none does. */
static size_t
sentences_that_fit(const char *text, int width, int is_ascii)
{
	size_t n = strlen(text);
	const char *end;

	while ((int)safe_width(text, n, is_ascii) > width) {
		for (end = text + n - 1; end > text; end--)
			if (end[-1] == '.' && *end == ' ')
				break;
		if (end == text)
			return n;
		n = (size_t)(end - text);
	}
	return n;
}

/* A line that answers first: what of a difference is more than noise. Where
 * the sentence does not fit, the number and the name do. */
void
draw_verdict(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	const struct rect *r = &l->verdict;
	const struct verdict *v = model_verdict(m);
	int style = v->key == 0 ? STYLE_BOLD
	    : v->delta > 0 ? STYLE_GREW : STYLE_SHRANK, x;
	char a[NUMBER_TEXT], text[160];

	if (!v->is_known) {
		(void)canvas_str(s->canvas, r, 0, 0,
		    "it is not known what is noise", STYLE_DIM);
		return;
	}
	if (v->key == 0 || (int)safe_width(v->text, strlen(v->text),
	    s->canvas->is_ascii) <= r->w) {
		(void)canvas_text(s->canvas, r, 0, 0, r->w, v->text,
		    sentences_that_fit(v->text, r->w, s->canvas->is_ascii),
		    FIT_LEFT, style);
		return;
	}
	(void)snprintf(text, sizeof(text), "%zu of %zu changed%s: %s ±%.1f ",
	    v->n_changed, v->n, r->w < 60 ? "" : " beyond noise",
	    draw_delta(a, v->delta),
	    50 * (v->high - v->low));
	x = canvas_str(s->canvas, r, 0, 0, text, style);
	(void)draw_label(s, r, x, 0, r->w - x, v->key, STYLE_PLAIN);
}
