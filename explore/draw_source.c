/* The source view: lines of a file with their shares. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

#define TAB 4

/* Draws the text of a line; a tab moves to the next multiple of TAB columns. */
static void
draw_code(struct screen *s, const struct rect *r, int x, int y,
    const struct source_line *l, int style)
{
	const char *p = l->p, *end = l->p + l->n;
	int at = 0, limit = r->w - x;

	while (p < end && at < limit) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		const char *stop = tab != NULL ? tab : end;

		at += canvas_text(s->canvas, r, x + at, y, limit - at, p,
		    (size_t)(stop - p), FIT_LEFT, style);
		if (tab != NULL)
			at += TAB - at % TAB;
		p = stop + (tab != NULL);
	}
}

static void
draw_source_line(struct screen *s, const struct rect *r, int y, size_t at,
    int is_selected)
{
	const struct model *m = s->model;
	const struct source_line *l = &m->source.line[at];
	double total = model_share(m, 1, l->total[1]);
	double d = total - model_share(m, 0, l->total[0]);
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	int style = is_selected ? STYLE_CURSOR : STYLE_PLAIN, x = 1;
	int heat = is_selected ? style
	    : m->is_diff ? draw_change_style(s->model, l->key, 0, d)
	                 : style_heat(total);

	if (is_selected) {
		canvas_fill(s->canvas, r, 0, y, r->w, ' ', style);
		canvas_put(s->canvas, r, 0, y, glyph(s->canvas, GLYPH_MARKER),
		    style);
	}
	if (l->total[0] + l->total[1] > 0) {
		int level = (int)(8 * total + 0.999);

		canvas_put(s->canvas, r, x, y, glyph_block(s->canvas, level),
		    heat);
		(void)canvas_printf(s->canvas, r, x + 1, y, heat, " %s %6s",
		    number_percent(a, total), m->is_diff
		        ? draw_delta(b, d)
		        : l->self[1] > 0
		            ? number_percent(b, model_share(m, 1, l->self[1]))
		            : "");
	}
	x += 15;
	x += canvas_printf(s->canvas, r, x, y, is_selected ? style
	    : STYLE_DIM, " %6zu ", at + 1);
	canvas_put(s->canvas, r, x, y, glyph(s->canvas, GLYPH_BAR),
	    is_selected ? style : STYLE_RULE);
	draw_code(s, r, x + 2, y, l, style);
}

void
draw_source(struct screen *s, const struct layout *l)
{
	struct source_file *src = &s->model->source;
	struct rect r = l->body;
	int w, y;

	draw_heading(s, &r, 0, s->model->is_diff ? "total  change"
	                                         : "total  self", 1);
	w = (int)safe_width(src->path, strlen(src->path),
	    s->canvas->is_ascii);
	if (w > r.w - 28)
		w = r.w - 28;
	canvas_put(s->canvas, &r, 25, 0, ' ', STYLE_RULE);
	w = canvas_text(s->canvas, &r, 26, 0, w, src->path,
	    strlen(src->path), FIT_RIGHT, STYLE_PANE_ACTIVE);
	canvas_put(s->canvas, &r, 26 + w, 0, ' ', STYLE_RULE);
	if (src->is_cut)
		(void)canvas_str(s->canvas, &r, 26 + w, 0,
		    " (only its beginning)", STYLE_ERROR);
	r.y++;
	r.h--;
	cursor_fit(&src->c, src->n, r.h);
	for (y = 0; y < r.h && src->c.top + (size_t)y < src->n; y++)
		draw_source_line(s, &r, y, src->c.top + (size_t)y,
		    src->c.top + (size_t)y == src->c.at);
}
