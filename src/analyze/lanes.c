/* The samples of a view in their order: its tracks, and their histories. */
#include <stdlib.h>
#include <string.h>

#include "analyze/view.h"

/* ---- Tracks ------------------------------------------------------------ */

static int
heavier_first(const void *a, const void *b)
{
	const struct bob_lane *x = a, *y = b;

	if (x->sum.samples != y->sum.samples)
		return x->sum.samples > y->sum.samples ? -1 : 1;
	return x->track < y->track ? -1 : x->track > y->track;
}

/* Adds a row to the lane of its track. */
static void
add_row_to_lane(const struct bob_view *v, uint32_t i, struct bob_lane *by_track)
{
	const struct row *row = &v->p->rows.row[i];
	struct bob_lane *lane = &by_track[row->key.track];
	uint32_t depth = v->keys->own->node[v->node_of_row[i]].depth;

	lane->track = row->key.track;
	sum_add(&lane->sum, (struct bob_sum){ row->samples,
	    row_time(row, v->basis) });
	if (depth > lane->depth)
		lane->depth = depth;
}

static int
make_lanes(struct bob_view *v)
{
	uint32_t i, n = v->p->dict->n.n_track;
	struct bob_lane *lane = calloc((size_t)n + 1, sizeof(*lane));

	if (lane == NULL)
		return err_nomem(v->p->ctx);
	for (i = 0; i < v->n_row; i++)
		if (v->node_of_row[i] != VIEW_NO_NODE)
			add_row_to_lane(v, i, lane);
	for (i = 0; i < n; i++)
		if (lane[i].sum.samples > 0)
			lane[v->n_lane++] = lane[i];
	qsort(lane, v->n_lane, sizeof(*lane), heavier_first);
	v->lane = lane;
	return BOB_OK;
}

const struct bob_lane *
bob_view_lanes(struct bob_view *v, size_t *ret_n)
{
	*ret_n = 0;
	if (v->lane == NULL && make_lanes(v) < 0)
		return NULL;
	*ret_n = v->n_lane;
	return v->n_lane > 0 ? v->lane : NULL;
}

struct bob_view_node
bob_view_node(const struct bob_view *v, uint32_t node)
{
	const struct dict_node *at = &v->keys->own->node[node < v->n_node
	    ? node : 0];

	return (struct bob_view_node){ at->parent, at->frame, at->depth };
}

/* ---- Stretches --------------------------------------------------------- */

struct bob_history {
	struct bob_view *v;
	struct history_reader r;
	struct history_run next; /* read, but not part of the stretch before */
	int has_next;
};

static int
refuse(struct bob_view *v, const struct history *h)
{
	struct bob_ctx *ctx = v->p->ctx;

	if (h->why != NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_BUDGET, BOB_NO_OFFSET,
		    "the order of samples was not kept: %s", h->why);
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "the profile does not keep the order of samples");
}

int
bob_history_open(struct bob_view *v, bob_tid track, uint64_t from,
    uint64_t to, struct bob_history **ret)
{
	const struct history *of = &v->p->side[v->side].history;
	struct bob_history *h;

	if (!(v->p->flags & BOB_PROFILE_RUNS) || of->why != NULL)
		return refuse(v, of);
	h = malloc(sizeof(*h));
	if (h == NULL)
		return err_nomem(v->p->ctx), BOB_FAILED;
	h->v = v;
	h->has_next = 0;
	history_begin(&h->r, of, track, from, to);
	*ret = h;
	return BOB_OK;
}

void
bob_history_close(struct bob_history *h)
{
	free(h);
}

/* Finds the next run that the view has. Returns 1, 0 or FATAL. */
static int
find_run(struct bob_history *h)
{
	const struct bob_view *v = h->v;
	int r = 1;

	while (!h->has_next) {
		r = history_next(&h->r, &h->next);
		if (r <= 0)
			return r;
		h->has_next = h->next.row < v->n_row &&
		    v->node_of_row[h->next.row] != VIEW_NO_NODE;
	}
	return r;
}

static struct bob_stretch
stretch_of(const struct bob_history *h, const struct history_run *run)
{
	const struct row_key *key = &h->v->p->rows.row[run->row].key;

	return (struct bob_stretch){ .t_first = run->first,
		.t_last = run->last, .t_end = run->end, .samples = run->count,
		.inside = history_inside(run, h->r.from, h->r.to),
		.node = h->v->node_of_row[run->row], .stack = key->stack,
		.annot = key->annot, .status = key->status,
		.flags = key->flags, .is_idle = key->is_idle,
		.begins = (uint8_t)run->begins };
}

int
bob_history_next(struct bob_history *h, struct bob_stretch *ret)
{
	struct history_run *next = &h->next;
	uint32_t row;
	int r = find_run(h);

	if (r <= 0)
		return r < 0 ? err_set_status(h->v->p->ctx, BOB_FAILED) : 0;
	*ret = stretch_of(h, next);
	row = next->row;
	h->has_next = 0;
	while ((r = find_run(h)) > 0 && next->row == row && !next->begins &&
	    next->first == ret->t_end) {
		ret->t_last = next->last;
		ret->t_end = next->end;
		ret->samples = count_add(ret->samples, next->count);
		ret->inside = count_add(ret->inside, history_inside(next,
		    h->r.from, h->r.to));
		h->has_next = 0;
	}
	return r < 0 ? err_set_status(h->v->p->ctx, BOB_FAILED) : 1;
}
