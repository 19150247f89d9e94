/*
 * Trees of callers. Such a tree repeats the outer frames of each stack, so it
 * can have as many nodes as all stacks have frames: stacks times depth. So it
 * is built level by level, from the innermost frames outwards. Nodes with too
 * few samples get no callers. Building stops before the level that would take
 * more steps than BOB_MAX_TREE_STEPS allows.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/tree.h"

/* Samples of one stack on their way outwards, to the root. */
struct way {
	bob_stack stack; /* the frame that comes next is on top of it */
	uint32_t at;     /* the node of the tree that was reached */
	struct bob_sum weight;
};

struct ways {
	struct way *v;
	size_t n;
	uint32_t *to; /* by node of a level: its number, 0 if too light */
	size_t cap_to;
};

static void
add_way(struct bob_tree *t, struct ways *w, bob_stack stack,
    struct bob_sum weight)
{
	sum_add(&t->node[0].total, weight);
	if (stack == 0)
		sum_add(&t->node[0].self, weight);
	else
		w->v[w->n++] = (struct way){ stack, 0, weight };
}

static int
ways_begin(struct bob_tree *t, struct ways *w, const struct bob_view *v,
    const struct bob_sum *weight)
{
	uint32_t focus = t->node[0].key, i;
	size_t n = v->n_leaf;

	for (i = 1; focus != 0 && i < v->n_node; i++)
		n += view_key(v, i) == focus;
	w->v = calloc(n + 1, sizeof(*w->v));
	if (w->v == NULL)
		return err_nomem(t->ctx);
	for (i = 0; focus == 0 && i < v->n_leaf; i++)
		add_way(t, w, v->leaf[i], v->self[v->leaf[i]]);
	for (i = 1; focus != 0 && i < v->n_node; i++)
		if (view_key(v, i) == focus && weight[i].samples > 0)
			add_way(t, w, view_parent(v, i), weight[i]);
	return BOB_OK;
}

/* Makes the nodes of the next level. */
static int
make_level(struct bob_tree *t, struct ways *w, const struct bob_view *v)
{
	size_t i;

	/* Children of earlier levels are not looked up any more. */
	intern_free(&t->by_child);
	memset(&t->by_child, 0, sizeof(t->by_child));
	for (i = 0; i < w->n; i++) {
		struct way *x = &w->v[i];

		x->at = tree_child(t, x->at, view_key(v, x->stack));
		if (x->at == BOB_NO_ID)
			return BOB_FATAL;
		sum_add(&t->node[x->at].total, x->weight);
	}
	return BOB_OK;
}

/* Removes nodes with too few samples, of those from `from` on. */
static int
level_drop_light(struct bob_tree *t, struct ways *w, uint32_t from,
    uint64_t min_samples)
{
	uint32_t i, n = from;

	if (MEM_GROW(t->ctx, w, to, (size_t)t->n - from) < 0)
		return BOB_FATAL;
	for (i = from; i < t->n; i++) {
		w->to[i - from] = 0;
		if (t->node[i].total.samples < min_samples)
			continue;
		w->to[i - from] = n;
		t->node[n++] = t->node[i];
	}
	t->n = n;
	return BOB_OK;
}

/* Moves all ways one frame outwards. A way that reaches the root ends at its
 * node. */
static void
ways_go_on(struct bob_tree *t, struct ways *w, const struct bob_view *v,
    uint32_t from)
{
	size_t i, n = 0;

	for (i = 0; i < w->n; i++) {
		struct way x = w->v[i];

		x.at = w->to[x.at - from];
		x.stack = view_parent(v, x.stack);
		if (x.at == 0)
			continue;
		if (x.stack == 0)
			sum_add(&t->node[x.at].self, x.weight);
		else
			w->v[n++] = x;
	}
	w->n = n;
}

int
tree_add_callers(struct bob_tree *t, const struct bob_view *v,
    const struct bob_sum *weight, uint64_t min_samples)
{
	uint64_t left = BOB_MAX_TREE_STEPS +
	    (uint64_t)BOB_MAX_TREE_STEPS_EACH * v->n_node;
	struct ways w = { 0 };
	uint32_t depth = 0, from;
	int r = ways_begin(t, &w, v, weight);

	while (r == BOB_OK && w.n > 0 &&
	    (t->max_depth == 0 || depth < t->max_depth)) {
		if (w.n > left) {
			t->cut = depth;
			break;
		}
		left -= w.n;
		from = t->n;
		r = make_level(t, &w, v);
		if (r == BOB_OK)
			r = level_drop_light(t, &w, from, min_samples);
		if (r == BOB_OK)
			ways_go_on(t, &w, v, from);
		depth++;
	}
	free(w.v);
	free(w.to);
	return r;
}
