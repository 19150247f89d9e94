/*
 * The sandwich's flame: the focus in the middle, callers growing up, callees
 * down; below it a line about the selected box. Without a focus it is the whole
 * program, from its outermost functions down.
 */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

#define LABELLED 4 /* cells that a label needs */
#define ALL "all samples" /* the box of the whole program */
#define NAME_BYTES 512 /* longer names are not looked at any further */

static int
box_style(const struct screen *s, const struct box *b)
{
	const struct model *m = s->model;
	struct bob_bytes name;
	uint32_t h = 2166136261u;
	size_t i;

	if (m->is_diff) {
		double d = model_share(m, 1, b->weight[1]) -
		    model_share(m, 0, b->weight[0]);

		return model_is_significant(s->model, b->key, 0, d)
		    ? style_delta(d) : STYLE_FLAME_SAME;
	}
	if (b->level == 0)
		return STYLE_FLAME_FOCUS;
	/* A function has the same colour wherever it is. */
	name = bob_view_key(m->view[1], b->key).name;
	for (i = 0; i < name.n && i < NAME_BYTES; i++)
		h = (h ^ (unsigned char)name.p[i]) * 16777619u;
	return STYLE_FLAME + (int)(h >> 8) % N_FLAME;
}

/* The label of a box: the name, without its namespace if the whole does not
 * fit. */
static struct bob_bytes
box_label(const struct screen *s, const struct box *b)
{
	struct bob_key k = bob_view_key(s->model->view[1], b->key);
	size_t i;

	if (b->key == 0)
		return (struct bob_bytes){ ALL, sizeof(ALL) - 1 };
	if (k.name.n > 0)
		k.text = k.name;
	if (safe_width_upto(k.text.p, k.text.n, s->canvas->is_ascii,
	    (size_t)b->w) < (size_t)b->w || k.text.n > NAME_BYTES)
		return k.text;
	for (i = k.text.n; i > 0 && k.text.p[i - 1] != '\\'; i--)
		;
	return (struct bob_bytes){ k.text.p + i, k.text.n - i };
}

static void
draw_box(struct screen *s, const struct rect *r, const struct box *b, int y,
    int is_selected)
{
	const struct model *m = s->model;
	int style = box_style(s, b);
	struct bob_bytes label;

	if (m->is_shown != NULL && b->key != 0 && m->is_shown[b->key])
		style = STYLE_MATCH;
	canvas_fill(s->canvas, r, b->x, y, b->w, ' ', style);
	canvas_put(s->canvas, r, b->x, y, glyph(s->canvas, GLYPH_EDGE), style);
	if (b->w >= LABELLED) {
		label = box_label(s, b);
		(void)canvas_text(s->canvas, r, b->x + 1, y, b->w - 1,
		    label.p, label.n, m->is_right ? FIT_RIGHT : FIT_LEFT,
		    style);
	}
	if (is_selected)
		canvas_paint(s->canvas, r, b->x, y, b->w, -1,
		    CELL_REVERSE | CELL_BOLD);
}

/* Scrolls so that the selected box is visible. */
static void
scroll_to_selected(struct flame *f, int height)
{
	int rows = f->up + 1 + f->down;
	int at = f->box[f->at].level + f->up;

	if (rows <= height) {
		f->top = 0;
		return;
	}
	if (f->at == 0) /* the focus in the middle */
		f->top = f->up - height / 2;
	if (at < f->top)
		f->top = at;
	if (at >= f->top + height)
		f->top = at - height + 1;
	if (f->top > rows - height)
		f->top = rows - height;
	if (f->top < 0)
		f->top = 0;
}

static void
draw_box_facts(struct screen *s, const struct rect *r, const struct box *b)
{
	struct model *m = s->model;
	char a[NUMBER_TEXT], d[NUMBER_TEXT], text[96];
	double share = model_share(m, 1, b->weight[1]);
	int y = r->h - 1, w;

	if (m->is_diff)
		(void)snprintf(text, sizeof(text), "  %.1f%% (%s) ",
		    100 * share,
		    draw_delta(d, share - model_share(m, 0, b->weight[0])));
	else
		(void)snprintf(text, sizeof(text), "  %s %.1f%% ",
		    draw_weight(m, a, b->weight[1]), 100 * share);
	w = (int)strlen(text);
	if (b->key != 0)
		(void)draw_label(s, r, 1, y, r->w - w - 1, b->key, STYLE_BOLD);
	else
		(void)canvas_str(s->canvas, r, 1, y, ALL, STYLE_BOLD);
	(void)canvas_text(s->canvas, r, r->w - w, y, w, text, strlen(text),
	    FIT_RIGHT, STYLE_ON);
}

/* The colours of a difference, in its units. */
static void
draw_legend(struct screen *s, const struct rect *r)
{
	static const struct {
		int style;
		const char *text;
	} keys[] = {
		{ STYLE_FLAME_SHRANK + 1, " below -5 " },
		{ STYLE_FLAME_SHRANK, " down " },
		{ STYLE_FLAME_SAME, " not significant " },
		{ STYLE_FLAME_GREW, " up " },
		{ STYLE_FLAME_GREW + 1, " above +5 points " },
	};
	int w = 0, x;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		w += (int)strlen(keys[i].text);
	for (x = r->w - w, i = 0; x > 24 && i < sizeof(keys) / sizeof(keys[0]);
	    i++)
		x += canvas_str(s->canvas, r, x, 0, keys[i].text,
		    keys[i].style);
}

static void
draw_title(struct screen *s, const struct rect *r)
{
	const struct model *m = s->model;

	draw_heading(s, r, 0, m->is_whole
	        ? "the whole program"
	        : "callers above, callees below", m->over == OVER_NONE);
	if (m->is_diff)
		draw_legend(s, r);
}

void
draw_flame(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	const struct rect *r = &l->body;
	struct flame *f = model_flame(m, r->w);
	struct rect boxes = { r->x, r->y + 1, r->w, r->h - 2 };
	size_t i;
	int y;

	draw_title(s, r);
	if (f->n == 0)
		return;
	if (f->at >= f->n)
		f->at = 0;
	scroll_to_selected(f, boxes.h);
	for (i = 0; i < f->n; i++) {
		y = f->box[i].level + f->up - f->top;
		if (y >= 0 && y < boxes.h)
			draw_box(s, &boxes, &f->box[i], y, i == f->at &&
			    m->over == OVER_NONE && m->pane == PANE_MAIN);
	}
	draw_box_facts(s, r, &f->box[f->at]);
}
