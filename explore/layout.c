/* Windows from the size of the screen; see the header. */
#include "layout.h"

#include <string.h>

#define HEADER 4
#define BANNER 3
#define MIN_BODY 8 /* rows that strips must leave */

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

void
layout_make(const struct model *m, struct layout *l)
{
	struct rect rest = { 0, 0, m->cols, m->rows };
	int mini;

	memset(l, 0, sizeof(*l));
	l->is_too_small = m->cols < LAYOUT_MIN_COLS ||
	    m->rows < LAYOUT_MIN_ROWS;
	if (l->is_too_small)
		return;
	l->header = take_rows(&rest, HEADER);
	rest.h -= 2;
	l->footer = (struct rect){ 0, m->rows - 2, m->cols, 1 };
	l->status = (struct rect){ 0, m->rows - 1, m->cols, 1 };
	l->wheel = (struct rect){ m->cols - 6, 2, 6, 1 };
	l->body = rest;
	if (m->over == OVER_HELP)
		return;
	mini = m->rows >= 40 ? 4 : 2;
	if (m->has_mini && rest.h - mini >= MIN_BODY && m->rows >= 20)
		l->mini = take_rows(&rest, mini);
	if (m->has_time && rest.h - 2 >= MIN_BODY && m->rows >= 20)
		l->time = take_rows(&rest, 2);
	l->body = rest;
	split_columns(m, l);
	if (m->mode == MODE_SANDWICH && m->look == LOOK_PANES)
		split_panes(l);
}
