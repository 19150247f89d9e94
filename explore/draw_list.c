/* The list, the overview beside a sandwich, and the sandwich's panes. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

static const char *
order_name(int order)
{
	return order == BOB_BY_SELF ? "self" : "total";
}

void
draw_list(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	struct rows_look look = { .is_active = m->over == OVER_NONE,
		.zero = "", .whole = { m->total[0], m->total[1] } };

	draw_rows(s, &l->body, model_list(m), &look);
}

void
draw_overview(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	struct rect r = l->overview;
	struct rows_look look = { .zero = "", .is_short = 1,
		.is_active = m->over == OVER_NONE &&
		    m->pane == PANE_OVERVIEW,
		.whole = { m->total[0], m->total[1] } };
	char title[64];
	int y;

	(void)snprintf(title, sizeof(title), "overview · %s%s",
	    order_name(m->overview_order),
	    m->follows_cursor ? " · followed" : "");
	draw_heading(s, &r, 0, title, look.is_active);
	r.y++;
	r.h--;
	draw_rows(s, &r, model_overview(m), &look);
	r = l->overview;
	r.w++;
	for (y = 0; y < r.h; y++)
		canvas_put(s->canvas, &r, r.w - 1, y,
		    glyph(s->canvas, GLYPH_BAR), STYLE_RULE);
}

/* The line of the focus: its weights, and the sampling error of its share. */
static void
draw_focus(struct screen *s, const struct rect *r, int y, int is_active)
{
	struct model *m = s->model;
	uint64_t self[2], total[2];
	char a[NUMBER_TEXT], b[NUMBER_TEXT], text[128];
	int style = is_active ? STYLE_CURSOR : STYLE_BOLD, w;

	model_row(m, m->focus, self, total);
	if (m->is_diff)
		(void)snprintf(text, sizeof(text),
		    " total %.1f%% (%s)  self %.1f%% (%s) ",
		    100 * model_share(m, 1, total[1]),
		    draw_delta(a, model_share(m, 1, total[1]) -
		        model_share(m, 0, total[0])),
		    100 * model_share(m, 1, self[1]),
		    draw_delta(b, model_share(m, 1, self[1]) -
		        model_share(m, 0, self[0])));
	else
		(void)snprintf(text, sizeof(text),
		    " total %s %.1f%% %s%.1f  self %s %.1f%% ",
		    draw_weight(m, a, total[1]),
		    100 * model_share(m, 1, total[1]),
		    s->canvas->is_ascii ? "+-" : "±",
		    100 * model_error(m),
		    draw_weight(m, b, self[1]),
		    100 * model_share(m, 1, self[1]));
	w = (int)safe_width(text, strlen(text), s->canvas->is_ascii);
	if (is_active) {
		canvas_fill(s->canvas, r, 0, y, r->w, ' ', style);
		canvas_put(s->canvas, r, 0, y, glyph(s->canvas, GLYPH_MARKER),
		    style);
	}
	if (w > r->w / 2 + 10)
		w = r->w / 2 + 10;
	draw_label(s, r, 2, y, r->w - 3 - w, m->focus, style);
	(void)canvas_text(s->canvas, r, r->w - w, y, w, text,
	    strlen(text), FIT_RIGHT, is_active ? style : STYLE_ON);
}

void
draw_panes(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	int has_keys = m->over == OVER_NONE;
	struct rows_look look = { .zero = "<root>" };
	struct table *callers = model_callers(m), *callees = model_callees(m);
	uint64_t self[2];
	char title[96];

	/* Shares are of the focus; in a difference, of all samples. */
	model_row(m, m->focus, self, look.whole);
	if (m->is_diff) {
		look.whole[0] = m->total[0];
		look.whole[1] = m->total[1];
	}
	look.is_active = has_keys && m->pane == PANE_CALLERS;
	draw_rows(s, &l->callers, callers, &look);
	(void)snprintf(title, sizeof(title), "%zu caller%s above · %s",
	    callers->n, callers->n == 1 ? "" : "s",
	    m->is_diff ? "% of all" : "% of the focus");
	draw_heading(s, &l->banner, 0, title, look.is_active);
	draw_focus(s, &l->banner, 1, has_keys && m->pane == PANE_FOCUS);
	look.is_active = has_keys && m->pane == PANE_CALLEES;
	look.zero = "<leaf>";
	(void)snprintf(title, sizeof(title), "%zu callee%s below",
	    callees->n, callees->n == 1 ? "" : "s");
	draw_heading(s, &l->banner, 2, title, look.is_active);
	draw_rows(s, &l->callees, callees, &look);
}
