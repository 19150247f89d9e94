/* The list of facets, at the right or over the rest. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

#define NUMBERS 15 /* columns of count and share, at the right */

static void
draw_facet_name(struct screen *s, const struct rect *r, int y,
    const struct facet *f, int style)
{
	const struct bob_dict *d = bob_profile_dict(s->model->profile);
	struct bob_bytes text = { "", 0 };
	char number[64];
	int x = 5;

	switch (f->kind) {
	case FACET_PID:
		(void)snprintf(number, sizeof(number), "%llu ",
		    (unsigned long long)f->number);
		text = bob_profile_process(s->model->profile, f->number);
		break;
	case FACET_THREAD:
		(void)snprintf(number, sizeof(number), "%llu ",
		    (unsigned long long)f->number);
		text = bob_str_get(d, f->name);
		break;
	case FACET_STATUS:
		(void)snprintf(number, sizeof(number), "%s", f->label);
		break;
	default:
		number[0] = '\0';
		text = bob_str_get(d, f->value);
		break;
	}
	x += canvas_str(s->canvas, r, x, y, number, style);
	(void)canvas_text(s->canvas, r, x, y, r->w - x - NUMBERS - 1, text.p,
	    text.n, FIT_LEFT, style);
}

/* The heading of a list; says how much is shown if it is cut. */
static void
draw_facet_title(struct screen *s, const struct rect *r, int y,
    const struct facet *f)
{
	struct bob_bytes key = bob_str_get(bob_profile_dict(
	    s->model->profile), f->key);
	char a[NUMBER_TEXT];
	int x = 1;

	if (f->label != NULL)
		x += canvas_str(s->canvas, r, x, y, f->label, STYLE_PANE);
	else
		x += canvas_text(s->canvas, r, x, y, r->w - 20, key.p, key.n,
		    FIT_LEFT, STYLE_PANE);
	if (f->number > FACETS_MAX)
		(void)canvas_printf(s->canvas, r, x + 1, y, STYLE_DIM,
		    "(%d of %s)", FACETS_MAX, number_count(a, f->number));
}

static void
draw_facet(struct screen *s, const struct rect *r, int y,
    const struct facet *f, int is_selected)
{
	int style = is_selected ? STYLE_CURSOR
	    : f->is_on ? STYLE_ON
	               : STYLE_PLAIN;
	char a[NUMBER_TEXT], b[NUMBER_TEXT], text[64];
	uint64_t all = s->model->times[1].share_samples;

	if (s->model->is_diff)
		all += s->model->times[0].share_samples;
	if (f->kind == FACET_HEADING) {
		draw_facet_title(s, r, y, f);
		return;
	}
	if (is_selected)
		canvas_fill(s->canvas, r, 0, y, r->w, ' ', style);
	(void)canvas_str(s->canvas, r, 1, y, "[ ]", style);
	if (f->is_on)
		canvas_put(s->canvas, r, 2, y, glyph(s->canvas, GLYPH_CHECK),
		    style);
	draw_facet_name(s, r, y, f, style);
	(void)snprintf(text, sizeof(text), " %s %s", number_count(a,
	    f->samples), number_percent(b, all > 0 ? (double)f->samples /
	        (double)all : 0));
	(void)canvas_text(s->canvas, r, r->w - NUMBERS - 1, y, NUMBERS, text,
	    strlen(text), FIT_RIGHT, style);
}

void
draw_facets(struct screen *s, const struct layout *l)
{
	struct facets *f = &s->model->facets;
	struct rect r = l->facets;
	int y;

	if (r.x > 0) { /* a rule to what is at the left of it */
		struct rect rule = { r.x - 1, r.y, 1, r.h };

		for (y = 0; y < r.h; y++)
			canvas_put(s->canvas, &rule, 0, y,
			    glyph(s->canvas, GLYPH_BAR), STYLE_RULE);
	}
	draw_heading(s, &r, 0, "facets · Enter chooses, a closes", 1);
	r.y++;
	r.h--;
	cursor_fit(&f->c, f->n, r.h);
	/* At the top, show the first heading as well. */
	if (f->c.top == 1)
		f->c.top = 0;
	for (y = 0; y < r.h; y++) {
		size_t at = f->c.top + (size_t)y;

		canvas_fill(s->canvas, &r, 0, y, r.w, ' ', STYLE_PLAIN);
		if (at < f->n)
			draw_facet(s, &r, y, &f->facet[at], at == f->c.at);
	}
}
