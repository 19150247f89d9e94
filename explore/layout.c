/* Windows from the size of the screen; see the header. */
#include "layout.h"

#include <string.h>

#define BANNER 1
#define LABELS 6       /* columns of the labels of strips */
#define MIN_STRIPS 16  /* rows of a screen that has strips */
#define TALL 40        /* rows from which strips are twice as high */

static int
clamp(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}

/* Cuts h rows off the top of a window and returns them. */
static struct rect
take_rows(struct rect *left, int h)
{
	struct rect r = { left->x, left->y, left->w, h };

	left->y += h;
	left->h -= h;
	return r;
}

static void
split_columns(const struct model *m, struct layout *l)
{
	struct rect *b = &l->body;
	int w;

	if (model_has_overview(m)) {
		w = clamp(m->cols * 28 / 100, 30, 50);
		l->overview = (struct rect){ 0, b->y, w, b->h };
		b->x += w + 1; /* a rule between them */
		b->w -= w + 1;
	}
	if (m->over == OVER_FACETS) {
		l->facets = *b;
		w = clamp(m->cols * 40 / 100, 36, 64);
		if (b->w >= w + 50) {
			l->facets.x = b->x + b->w - w;
			l->facets.w = w;
			b->w -= w + 1;
		}
	}
}

static void
split_panes(struct layout *l)
{
	struct rect rest = l->body;

	l->callers = take_rows(&rest, (l->body.h - BANNER) / 2);
	l->banner = take_rows(&rest, BANNER);
	l->callees = rest;
}

/* The strips: a label, what they show, and for the time what it covers. */
static void
take_strips(const struct model *m, struct layout *l, struct rect *rest)
{
	int is_tall = m->rows >= TALL, clock = m->cols >= 80 ? 20 : 10;

	l->labels = (struct rect){ 0, rest->y, LABELS, 0 };
	if (m->rows < MIN_STRIPS)
		return;
	if (m->has_mini) {
		l->mini = take_rows(rest, is_tall ? 4 : 2);
		l->mini.x += LABELS;
		l->mini.w -= LABELS;
	}
	if (m->has_time) {
		l->time = take_rows(rest, is_tall ? 2 : 1);
		l->clock = (struct rect){ l->time.w - clock, l->time.y +
			    l->time.h - 1, clock, 1 };
		l->time.x += LABELS;
		l->time.w -= LABELS + clock;
	}
	l->labels.h = rest->y - l->labels.y;
}

void
layout_make(const struct model *m, struct layout *l)
{
	struct rect rest = { 0, 0, m->cols, m->rows };

	memset(l, 0, sizeof(*l));
	l->is_too_small = m->cols < LAYOUT_MIN_COLS ||
	    m->rows < LAYOUT_MIN_ROWS;
	if (l->is_too_small)
		return;
	l->header = take_rows(&rest, 1);
	rest.h--;
	l->footer = (struct rect){ 0, m->rows - 1, m->cols, 1 };
	l->wheel = (struct rect){ m->cols - 6, 0, 6, 1 };
	l->body = rest;
	if (m->over == OVER_HELP)
		return;
	take_strips(m, l, &rest);
	if (m->is_diff)
		l->verdict = take_rows(&rest, 1);
	l->body = rest;
	split_columns(m, l);
	if (m->mode == MODE_SANDWICH && m->look == LOOK_PANES)
		split_panes(l);
}
