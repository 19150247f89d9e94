/*
 * Call trees, a line for each node:
 *
 *     ├─ ▼ ⣿⣿⡇    45.6% label (123)
 */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

#define BAR 3 /* cells of a bar */

/* Levels that are indented; deeper ones would leave no room for labels. */
static int
max_levels(const struct rect *r)
{
	int n = r->w * 2 / 5 / 3;

	return n > 40 ? 40 : n;
}

/* Draws the branches that lead to a node; returns the next column. */
static int
draw_branches(struct screen *s, const struct rect *r, int y,
    const struct tree *t, uint32_t node, int x)
{
	const struct tree_node *n = &t->node[node];
	int most = max_levels(r), depth = (int)n->depth, skip = 0, level;
	uint32_t at = node;

	if (depth == 0)
		return x;
	if (depth > most) {
		skip = depth - most;
		(void)canvas_printf(s->canvas, r, x, y, STYLE_DIM, "…%d",
		    skip);
		x += skip < 10 ? 3 : 6; /* columns of levels stay columns */
		depth = most;
	}
	for (level = depth - 1; level >= 0; level--) {
		int last = !tree_has_next(t, at), own = level == depth - 1;
		enum glyph first = own ? (last ? GLYPH_LAST : GLYPH_BRANCH)
		                      : GLYPH_DOWN;

		if (own || !last)
			canvas_put(s->canvas, r, x + 3 * level, y,
			    glyph(s->canvas, first), STYLE_RULE);
		if (own)
			canvas_put(s->canvas, r, x + 3 * level + 1, y,
			    glyph(s->canvas, GLYPH_STROKE), STYLE_RULE);
		at = t->node[at].parent;
	}
	return x + 3 * depth;
}

/* A bar of BAR cells, in steps of half a cell. */
static void
draw_bar(struct screen *s, const struct rect *r, int x, int y, double part,
    int style)
{
	int halves = (int)(2 * BAR * part + 0.5), i;

	if (part > 0 && halves == 0)
		halves = 1;
	for (i = 0; i < BAR; i++, halves -= 2)
		if (halves > 0)
			canvas_put(s->canvas, r, x + i, y, glyph_dots(
			    s->canvas, halves > 1 ? 0xff : 0x55), style);
}

static void
draw_tree_line(struct screen *s, const struct rect *r, int y,
    const struct tree *t, uint32_t node, int style, double part)
{
	struct model *m = s->model;
	const struct tree_node *n = &t->node[node];
	char a[NUMBER_TEXT], b[NUMBER_TEXT], count[NUMBER_TEXT + 3];
	double d = model_share(m, 1, n->w[1]) - model_share(m, 0, n->w[0]);
	int x = draw_branches(s, r, y, t, node, 1), w, heat = style;

	if (style == STYLE_PLAIN)
		heat = !m->is_diff ? style_heat(part)
		                   : draw_change_style(m, n->key, 0, d);
	if (tree_has_children(t, node))
		canvas_put(s->canvas, r, x, y, glyph(s->canvas,
		    n->is_open ? GLYPH_OPEN : GLYPH_FOLDED), style);
	x += 2;
	draw_bar(s, r, x, y, part, heat);
	x += BAR + 1;
	x += canvas_printf(s->canvas, r, x, y, heat, "%s ",
	    number_percent(a, part));
	if (m->is_diff)
		x += canvas_printf(s->canvas, r, x, y, heat, "%6s ",
		    draw_delta(b, d));
	(void)snprintf(count, sizeof(count), " (%s)", draw_weight(m, a,
	    n->w[1]));
	w = r->w - x - (int)strlen(count);
	x += n->key != 0 ? draw_label(s, r, x, y, w, n->key, style)
	                 : canvas_str(s->canvas, r, x, y, "all samples", style);
	(void)canvas_str(s->canvas, r, x, y, count,
	    style == STYLE_PLAIN ? STYLE_DIM : style);
}

/* What the tree is, and what its shares are of. */
static void
draw_title(struct screen *s, const struct rect *r, int direction)
{
	const struct model *m = s->model;

	draw_heading(s, r, 0, m->is_whole
	    ? direction == BOB_CALLERS ? "what runs, and its callers; % of all"
	                               : "the whole program; % of all"
	    : direction == BOB_CALLERS ? "callers of the focus; % of the focus"
	                               : "callees of the focus; % of the focus",
	    m->over == OVER_NONE && m->pane == PANE_MAIN);
}

void
draw_tree(struct screen *s, const struct layout *l, int direction)
{
	struct model *m = s->model;
	struct tree *t = model_tree(m, direction);
	struct rect below = { l->body.x, l->body.y + 1, l->body.w,
		l->body.h - 1 };
	const struct rect *r = &below;
	int is_active = m->over == OVER_NONE && m->pane == PANE_MAIN, y;
	uint64_t whole;

	draw_title(s, &l->body, direction);
	if (t->n == 0) {
		(void)canvas_str(s->canvas, r, 2, 0, "nothing", STYLE_DIM);
		return;
	}
	whole = t->node[0].w[1];
	cursor_fit(&t->c, t->n_lines, r->h);
	for (y = 0; y < r->h && t->c.top + (size_t)y < t->n_lines; y++) {
		size_t at = t->c.top + (size_t)y;
		uint32_t node = t->line[at];
		int style = at != t->c.at ? STYLE_PLAIN
		    : is_active ? STYLE_CURSOR
		                : STYLE_PICKED;

		if (style == STYLE_CURSOR) {
			canvas_fill(s->canvas, r, 0, y, r->w, ' ', style);
			canvas_put(s->canvas, r, 0, y, glyph(s->canvas,
			    GLYPH_MARKER), style);
		}
		draw_tree_line(s, r, y, t, node, style, whole > 0
		        ? (double)t->node[node].w[1] / (double)whole
		        : 0);
	}
}
