/* The list, the overview beside a sandwich, and the sandwich's panes. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

/* What a row of the list is. */
static const char *
row_title(const struct model *m)
{
	static const char *const names[] = {
		[BOB_GROUP_LINE] = "function and line",
		[BOB_GROUP_NAME] = "function",
		[BOB_GROUP_FUNCTION] = "function and file",
		[BOB_GROUP_FILE] = "file",
		[BOB_GROUP_CLASS] = "class",
		[BOB_GROUP_MODULE] = "module",
		[BOB_GROUP_PID] = "process",
		[BOB_GROUP_THREAD] = "thread",
		[BOB_GROUP_STATUS] = "status",
		[BOB_GROUP_SEGMENT] = "segment",
		[BOB_GROUP_MINUTE] = "minute",
	};

	return m->group == BOB_GROUP_ANNOTATION ? m->annotation
	                                        : names[m->group];
}

void
draw_list(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	struct rows_look look = { .is_active = m->over == OVER_NONE,
		.zero = "", .whole = { m->total[0], m->total[1] },
		.order = m->order, .title = row_title(m) };
	char title[96];

	if (m->is_diff) {
		(void)snprintf(title, sizeof(title), "%s of %.60s",
		    m->order == BOB_BY_SELF ? "self" : "total",
		    look.title);
		look.title = title;
	}
	draw_rows(s, &l->body, model_list(m), &look);
}

void
draw_overview(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	struct rect r = l->overview;
	struct rows_look look = { .zero = "", .order = m->overview_order,
		.is_active = m->over == OVER_NONE &&
		    m->pane == PANE_OVERVIEW,
		.whole = { m->total[0], m->total[1] },
		.title = m->follows_cursor ? "overview, followed"
		                           : "overview" };
	int y;

	draw_rows(s, &r, model_overview(m), &look);
	r.w++;
	for (y = 0; y < r.h; y++)
		canvas_put(s->canvas, &r, r.w - 1, y,
		    glyph(s->canvas, GLYPH_BAR), STYLE_RULE);
}

/* Writes the weights of the focus, and the sampling error of its share. */
static void
focus_facts(struct screen *s, char *text, size_t n)
{
	struct model *m = s->model;
	uint64_t self[2], total[2];
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	model_row(m, m->focus, self, total);
	if (m->is_diff)
		(void)snprintf(text, n,
		    " total %.1f%% (%s)  self %.1f%% (%s) ",
		    100 * model_share(m, 1, total[1]),
		    draw_delta(a, model_share(m, 1, total[1]) -
		        model_share(m, 0, total[0])),
		    100 * model_share(m, 1, self[1]),
		    draw_delta(b, model_share(m, 1, self[1]) -
		        model_share(m, 0, self[0])));
	else
		(void)snprintf(text, n,
		    " total %s %.1f%% %s%.1f  self %s %.1f%% ",
		    draw_weight(m, a, total[1]),
		    100 * model_share(m, 1, total[1]),
		    s->canvas->is_ascii ? "+-" : "±",
		    100 * model_error(m),
		    draw_weight(m, b, self[1]),
		    100 * model_share(m, 1, self[1]));
}

static void
draw_focus(struct screen *s, const struct rect *r, int is_active)
{
	struct model *m = s->model;
	char text[128];
	int style = is_active ? STYLE_CURSOR : STYLE_FLAME_FOCUS, w;

	focus_facts(s, text, sizeof(text));
	w = (int)safe_width(text, strlen(text), s->canvas->is_ascii);
	canvas_fill(s->canvas, r, 0, 0, r->w, ' ', style);
	if (is_active)
		canvas_put(s->canvas, r, 0, 0, glyph(s->canvas, GLYPH_MARKER),
		    style);
	if (w > r->w / 2 + 10)
		w = r->w / 2 + 10;
	(void)draw_label(s, r, 2, 0, r->w - 3 - w, m->focus, style);
	(void)canvas_text(s->canvas, r, r->w - w, 0, w, text,
	    strlen(text), FIT_LEFT, style);
}

void
draw_panes(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	int has_keys = m->over == OVER_NONE;
	struct rows_look look = { .zero = "<root>", .is_calls = 1 };
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
	(void)snprintf(title, sizeof(title), "%zu caller%s; %s",
	    callers->n, callers->n == 1 ? "" : "s",
	    m->is_diff ? "% of all" : "% of the focus");
	look.title = title;
	draw_rows(s, &l->callers, callers, &look);
	draw_focus(s, &l->banner, has_keys && m->pane == PANE_FOCUS);
	look.is_active = has_keys && m->pane == PANE_CALLEES;
	look.zero = "<leaf>";
	(void)snprintf(title, sizeof(title), "%zu callee%s",
	    callees->n, callees->n == 1 ? "" : "s");
	draw_rows(s, &l->callees, callees, &look);
}
