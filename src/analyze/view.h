/*
 * The inside of a view. Its arrays are by node (a grouped stack of keys->own)
 * or by key. A parent has a smaller number than its children, so one pass from
 * the end computes totals.
 */
#ifndef ANALYZE_VIEW_H
#define ANALYZE_VIEW_H

#include "analyze/profile.h"
#include "core/mem.h"

/* node_of_row: the row is not in the view. */
#define VIEW_NO_NODE BOB_NO_ID

struct bob_view {
	struct bob_profile *p;
	struct keys *keys;
	int side, basis;
	uint32_t n_row, n_node, n_key; /* when the view was made */
	bob_stack *node_of_row;
	int lacks_rows; /* the filter drops rows of this side */
	struct bob_sum *self, *total; /* by node */
	struct bob_row *row;          /* by key */
	bob_stack *leaf; /* nodes with self samples, in order of rows */
	uint32_t n_leaf;
	struct bob_sum sum; /* of the whole view */
	int idle_mode; /* enum bob_idle */
	int has_range; /* only samples in [t_from, t_to) */
	uint64_t t_from, t_to;
	struct bob_row *sorted[BOB_BY_TOTAL_TIME + 1];
	size_t n_sorted[BOB_BY_TOTAL_TIME + 1];
	uint64_t *bins; /* of the last time line */
	struct bob_lane *lane; /* NULL: not asked for yet */
	size_t n_lane;
};

static inline uint32_t
view_parent(const struct bob_view *v, bob_stack node)
{
	return v->keys->own->node[node].parent;
}

static inline uint32_t
view_key(const struct bob_view *v, bob_stack node)
{
	return v->keys->own->node[node].frame;
}

static inline void
sum_add(struct bob_sum *to, struct bob_sum x)
{
	to->samples = count_add(to->samples, x.samples);
	to->time_us = count_add(to->time_us, x.time_us);
}

/* True if a bin of the strip is in the view's range: its middle counts. */
static inline int
view_has_bin(const struct bob_view *v, uint64_t bin)
{
	uint64_t width = strip_width(&v->p->side[v->side].strip);
	uint64_t middle = bin * width + width / 2;

	return !v->has_range || (v->t_from <= middle && middle < v->t_to);
}

/* Sorts rows, heaviest first by `order` (enum bob_order). */
void view_sort(struct bob_row *row, size_t n, int order);

#endif
