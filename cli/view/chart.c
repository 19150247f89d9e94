/*
 * Boxes of a flame chart; see the header.
 *
 * Levels are the frames of the current stack, the outermost one at 1; level 0
 * is the track. A level that ends is a box if it is wide. If it is narrow, it
 * becomes part of the merged box on its parent; a narrow level has only narrow
 * ones in it, so nothing of it has been put out before.
 */
#include "chart.h"

#include <stdlib.h>
#include <string.h>

#include "chart_rows.h"
#include "chart_vote.h"

/* Narrow boxes on one parent. */
struct narrow {
	uint64_t start, end, samples;
	struct chart_vote vote;
	uint32_t n; /* 0: none */
};

struct level {
	uint64_t start, samples;
	struct chart_vote vote;
	struct narrow narrow;
	uint32_t node;
};

struct drawing {
	struct bob_view *view;
	const struct chart_span *span;
	struct chart *to;
	struct chart_rows rows;
	struct level level[CHART_DEPTH + 1];
	uint32_t depth;    /* of the current stack */
	uint64_t at;       /* the current stack lasts until then */
	int is_full;       /* the limit is reached */
	uint32_t *shallow; /* by node: its ancestor at CHART_DEPTH, or itself */
	uint32_t n_shallow;
};

static void
put_box(struct drawing *d, const struct chart_box *box)
{
	if (d->to->n_box == d->span->limit)
		d->is_full = 1;
	else
		d->to->box[d->to->n_box++] = *box;
}

/* ---- Merged boxes ------------------------------------------------------ */

static void
end_narrow(struct drawing *d, uint32_t parent)
{
	struct narrow *s = &d->level[parent].narrow;

	if (s->n == 0)
		return;
	put_box(d, &(struct chart_box){ .start = s->start, .end = s->end,
		.samples = s->samples, .depth = parent + 1,
		.node = s->vote.what, .n = s->n });
	memset(s, 0, sizeof(*s));
}

/* True if there is a hole that can be seen. */
static int
is_apart(const struct narrow *s, const struct level *l, uint64_t grain)
{
	return (l->start > s->end && l->start - s->end > grain) ||
	    (l->start < s->start && s->start - l->start > grain);
}

static void
merge(struct drawing *d, uint32_t parent, const struct level *l)
{
	struct narrow *s = &d->level[parent].narrow;

	if (s->n > 0 && is_apart(s, l, d->to->grain))
		end_narrow(d, parent);
	if (s->n == 0 || l->start < s->start)
		s->start = l->start;
	if (s->n == 0 || d->at > s->end)
		s->end = d->at;
	s->samples += l->samples;
	s->n++;
	chart_vote(&s->vote, l->vote.what, l->vote.lead);
	if (s->end - s->start >= d->to->grain)
		end_narrow(d, parent);
}

/* ---- Levels ------------------------------------------------------------ */

static void
end_levels(struct drawing *d, uint32_t depth)
{
	struct level *l, *parent;

	for (; d->depth > depth; d->depth--) {
		l = &d->level[d->depth];
		parent = l - 1;
		parent->samples += l->samples;
		chart_vote(&parent->vote, l->vote.what, l->vote.lead);
		if (d->at - l->start < d->to->grain) {
			merge(d, d->depth - 1, l);
			continue;
		}
		end_narrow(d, d->depth);
		end_narrow(d, d->depth - 1);
		put_box(d, &(struct chart_box){ .start = l->start,
			.end = d->at, .samples = l->samples,
			.depth = d->depth, .node = l->node });
	}
}

/* Nodes that are cut are numbered once: parents come before their children. */
static int
make_shallow(struct drawing *d, uint32_t node)
{
	uint32_t n = node + 1 + node / 2, i, *more;
	struct bob_view_node at;

	if (node < d->n_shallow)
		return 0;
	more = realloc(d->shallow, (size_t)n * sizeof(*more));
	if (more == NULL)
		return -1;
	d->shallow = more;
	for (i = d->n_shallow; i < n; i++) {
		at = bob_view_node(d->view, i);
		more[i] = at.depth <= CHART_DEPTH ? i : more[at.parent];
	}
	d->n_shallow = n;
	return 0;
}

/* Makes the levels those of a stack from `start` on. Those of the stack before
 * it go on where both have the same frames, if that is allowed. */
static void
enter_stack(struct drawing *d, uint32_t node, uint64_t start, int goes_on)
{
	uint32_t i, depth = bob_view_node(d->view, node).depth, same = depth;
	uint32_t path[CHART_DEPTH + 1];

	for (; same > 0; same--) {
		if (goes_on && same <= d->depth &&
		    d->level[same].node == node)
			break;
		path[same] = node;
		node = bob_view_node(d->view, node).parent;
	}
	end_levels(d, same);
	for (i = same + 1; i <= depth; i++)
		d->level[i] = (struct level){ .start = start,
			.node = path[i] };
	d->depth = depth;
}

/* ---- A track ----------------------------------------------------------- */

static int
take_stretch(struct drawing *d, struct bob_profile *p,
    const struct bob_stretch *whole)
{
	struct bob_stretch s = *whole;
	struct level *top;

	if (s.t_first < d->span->from)
		s.t_first = d->span->from;
	if (s.t_end > d->span->to)
		s.t_end = d->span->to;
	if (s.t_end < s.t_first)
		s.t_end = s.t_first;
	if (s.t_end == s.t_first && s.inside == 0)
		return BOB_OK; /* it only touches the span */
	if (make_shallow(d, s.node) < 0)
		return BOB_FATAL;
	enter_stack(d, d->shallow[s.node], s.t_first, s.t_first == d->at &&
	    !s.begins);
	top = &d->level[d->depth];
	top->samples += s.inside;
	chart_vote(&top->vote, d->shallow[s.node], s.t_end - s.t_first + 1);
	d->at = s.t_end;
	d->to->samples += s.inside;
	d->is_full |= chart_rows_add(&d->rows, p, &s, d->to, d->span->limit);
	return BOB_OK;
}

static void
begin(struct drawing *d)
{
	memset(&d->rows, 0, sizeof(d->rows));
	memset(&d->level[0], 0, sizeof(d->level[0]));
	d->depth = 0;
	d->at = d->span->from;
	d->is_full = 0;
	d->to->samples = d->to->n_box = d->to->n_band = d->to->n_mark = 0;
}

static int
draw(struct drawing *d, struct bob_profile *p, bob_tid track)
{
	struct bob_stretch s;
	struct bob_history *h;
	int r;

	begin(d);
	r = bob_history_open(d->view, track, d->span->from, d->span->to, &h);
	if (r < 0)
		return r;
	while (!d->is_full && (r = bob_history_next(h, &s)) > 0)
		if (take_stretch(d, p, &s) < 0) {
			r = BOB_FATAL;
			break;
		}
	bob_history_close(h);
	if (r < 0)
		return r;
	end_levels(d, 0);
	end_narrow(d, 0);
	d->is_full |= chart_rows_end(&d->rows, d->to, d->span->limit);
	return BOB_OK;
}

int
chart_read(struct bob_profile *p, struct bob_view *v, bob_tid track,
    const struct chart_span *span, struct chart *ret)
{
	struct drawing *d = malloc(sizeof(*d));
	int r = BOB_FATAL;

	*ret = (struct chart){ .grain = span->grain,
		.box = malloc(span->limit * sizeof(*ret->box)),
		.band = malloc(span->limit * sizeof(*ret->band)),
		.mark = malloc(span->limit * sizeof(*ret->mark)) };
	if (d != NULL && ret->box != NULL && ret->band != NULL &&
	    ret->mark != NULL) {
		d->view = v;
		d->span = span;
		d->to = ret;
		d->shallow = NULL;
		d->n_shallow = 0;
		while ((r = draw(d, p, track)) == BOB_OK && d->is_full)
			ret->grain = ret->grain > UINT64_MAX / 2 ? UINT64_MAX
			    : 2 * ret->grain;
		free(d->shallow);
	}
	free(d);
	if (r < 0)
		chart_done(ret);
	return r;
}

void
chart_done(struct chart *c)
{
	free(c->box);
	free(c->band);
	free(c->mark);
	memset(c, 0, sizeof(*c));
}
