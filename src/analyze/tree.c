/*
 * Trees of a view. Nodes are made parents first, then totals are added up
 * from the end, light nodes are left out, and children are put in order. Trees
 * of callers are made in tree_callers.c.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analyze/tree.h"

static struct bob_tree *
tree_new(struct bob_view *v, uint32_t focus, uint32_t max_depth)
{
	struct bob_tree *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->ctx = v->p->ctx;
	t->seed = v->p->dict->seed;
	t->max_depth = max_depth;
	if (MEM_TAKE(t->ctx, t, node, 1) < 0) {
		free(t);
		return NULL;
	}
	t->node[t->n++] = (struct bob_tree_node){ .key = focus };
	return t;
}

void
bob_tree_free(struct bob_tree *t)
{
	if (t == NULL)
		return;
	MEM_DROP(t->ctx, t, node);
	intern_free(&t->by_child);
	free(t);
}

uint32_t
tree_child(struct bob_tree *t, uint32_t parent, uint32_t key)
{
	uint32_t pair[2] = { parent, key }, at, id;
	uint64_t hash;

	if (t->max_depth != 0 && t->node[parent].depth == t->max_depth)
		return parent;
	if (intern_reserve(t->ctx, &t->by_child) < 0)
		return BOB_NO_ID;
	hash = XXH3_64bits_withSeed(pair, sizeof(pair), t->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&t->by_child, hash, &at)) != 0)
		if (t->node[id].parent == parent && t->node[id].key == key)
			return id;
	if (MEM_TAKE(t->ctx, t, node, (size_t)t->n + 1) < 0)
		return BOB_NO_ID;
	id = t->n++;
	t->node[id] = (struct bob_tree_node){ .key = key, .parent = parent,
		.depth = t->node[parent].depth + 1 };
	intern_add(&t->by_child, hash, at, id);
	return id;
}

/*
 * Returns the weight of each node and all below it, up to the next occurrence
 * of the focus. For a node with the focus this is the weight of samples whose
 * innermost occurrence it is. NULL without memory.
 */
static struct bob_sum *
own_weights(const struct bob_view *v, uint32_t focus)
{
	struct bob_sum *w = calloc(v->n_node, sizeof(*w));
	uint32_t i;

	if (w == NULL)
		return NULL;
	memcpy(w, v->self, v->n_node * sizeof(*w));
	for (i = v->n_node - 1; i > 0; i--)
		if (view_key(v, i) != focus)
			sum_add(&w[view_parent(v, i)], w[i]);
	return w;
}

/* Adds samples that end at a node, or below it, where the tree is cut. */
static void
add_end(struct bob_tree *t, uint32_t node, struct bob_sum weight, int is_below)
{
	sum_add(is_below ? &t->node[node].total : &t->node[node].self, weight);
}

/*
 * The call tree without a focus is the tree of the grouped stacks, whose totals
 * are known. So there are no lookups, and light nodes are never made.
 */
static int
copy_all(struct bob_tree *t, const struct bob_view *v, uint64_t min_samples)
{
	uint32_t *at = calloc(v->n_node, sizeof(*at)); /* tree node + 1 */
	uint32_t i;

	if (at == NULL)
		return err_nomem(t->ctx);
	at[0] = 1;
	t->node[0].self = v->self[0];
	t->node[0].total = v->total[0];
	for (i = 1; i < v->n_node; i++) {
		uint32_t parent = at[view_parent(v, i)];

		if (parent == 0 || v->total[i].samples == 0 ||
		    v->total[i].samples < min_samples ||
		    (t->max_depth != 0 &&
		        t->node[parent - 1].depth == t->max_depth))
			continue;
		if (MEM_TAKE(t->ctx, t, node, (size_t)t->n + 1) < 0) {
			free(at);
			return BOB_FATAL;
		}
		t->node[t->n] = (struct bob_tree_node){
			.key = view_key(v, i), .parent = parent - 1,
			.depth = t->node[parent - 1].depth + 1,
			.self = v->self[i], .total = v->total[i] };
		at[i] = ++t->n;
	}
	free(at);
	return BOB_OK;
}

/* Copies the part of the grouped stacks that begins with the focus. */
static int
add_callees(struct bob_tree *t, const struct bob_view *v, uint32_t focus,
    const struct bob_sum *w)
{
	uint32_t *at = calloc(v->n_node, sizeof(*at)); /* tree node + 1 */
	uint32_t i, to = 0;

	if (at == NULL)
		return err_nomem(t->ctx);
	for (i = 1; i < v->n_node && to != BOB_NO_ID; i++) {
		if (w[i].samples == 0)
			continue;
		if (view_key(v, i) == focus)
			to = 0;
		else if (at[view_parent(v, i)] != 0)
			to = tree_child(t, at[view_parent(v, i)] - 1,
			    view_key(v, i));
		else
			continue;
		if (to == BOB_NO_ID)
			break;
		at[i] = to + 1;
		add_end(t, to, v->self[i], view_key(v, i) != focus &&
		    at[view_parent(v, i)] == at[i]);
	}
	free(at);
	return to == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static void
tree_add_totals(struct bob_tree *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		sum_add(&t->node[i].total, t->node[i].self);
	for (i = t->n - 1; i > 0; i--)
		sum_add(&t->node[t->node[i].parent].total, t->node[i].total);
}

/* Removes nodes with too few samples. A parent has at least as many samples as
 * its children, so no node loses its parent. */
static int
tree_drop_light(struct bob_tree *t, uint64_t min_samples)
{
	uint32_t *to, i, n = 1;

	if (min_samples <= 1)
		return BOB_OK;
	to = calloc(t->n, sizeof(*to));
	if (to == NULL)
		return err_nomem(t->ctx);
	for (i = 1; i < t->n; i++) {
		struct bob_tree_node x = t->node[i];

		if (x.total.samples < min_samples)
			continue;
		x.parent = to[x.parent];
		to[i] = n;
		t->node[n++] = x;
	}
	t->n = n;
	free(to);
	return BOB_OK;
}

struct sibling {
	uint64_t samples;
	uint32_t id, first;
};

static int
heavier_first(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Links n siblings in order. */
static void
link_siblings(struct bob_tree *t, struct sibling *v, uint32_t n)
{
	uint32_t i;

	if (n > 1)
		qsort(v, n, sizeof(*v), heavier_first);
	for (i = 0; i < n; i++) {
		uint32_t parent = t->node[v[i].id].parent;

		if (i == 0)
			t->node[parent].first_child = v[i].id;
		else
			t->node[v[i - 1].id].next_sibling = v[i].id;
	}
}

/* Gathers nodes by their parent (counting), then orders each family. */
static int
link_nodes(struct bob_tree *t, const struct bob_view *v)
{
	uint32_t *end = calloc((size_t)t->n + 1, sizeof(*end));
	struct sibling *s = calloc(t->n, sizeof(*s));
	uint32_t i, from;

	if (end == NULL || s == NULL) {
		free(end);
		free(s);
		return err_nomem(t->ctx);
	}
	for (i = 1; i < t->n; i++)
		end[t->node[i].parent + 1]++;
	for (i = 1; i <= t->n; i++)
		end[i] += end[i - 1];
	for (i = 1; i < t->n; i++) {
		const struct bob_tree_node *x = &t->node[i];

		s[end[x->parent]++] = (struct sibling){ x->total.samples, i,
			v->row[x->key].first };
	}
	for (i = 0, from = 0; i < t->n; from = end[i++])
		link_siblings(t, s + from, end[i] - from);
	free(end);
	free(s);
	return BOB_OK;
}

#ifndef NDEBUG
/* What bobbin/profile.h promises of trees. Without memory nothing is
 * checked. */
static void
tree_check(const struct bob_tree *t)
{
	uint64_t *inside = calloc(t->n, sizeof(*inside));
	uint32_t i, k, n_linked = 0;

	for (i = 1; inside != NULL && i < t->n; i++) {
		const struct bob_tree_node *x = &t->node[i];

		assert(x->parent < i);
		assert(x->depth == t->node[x->parent].depth + 1);
		assert(t->max_depth == 0 || x->depth <= t->max_depth);
		inside[x->parent] = count_add(inside[x->parent],
		    x->total.samples);
	}
	for (i = 0; inside != NULL && i < t->n; i++) {
		assert(count_add(inside[i], t->node[i].self.samples) <=
		    t->node[i].total.samples);
		for (k = t->node[i].first_child; k != 0;
		    k = t->node[k].next_sibling, n_linked++)
			assert(t->node[k].parent == i);
	}
	assert(inside == NULL || n_linked == t->n - 1);
	free(inside);
}
#else
static void
tree_check(const struct bob_tree *t)
{
	(void)t;
}
#endif

int
bob_view_tree(struct bob_view *v, int direction, uint32_t focus,
    uint64_t min_samples, uint32_t max_depth, struct bob_tree **ret)
{
	struct bob_tree *t = tree_new(v, focus, max_depth);
	struct bob_sum *w = focus == 0 ? v->total : own_weights(v, focus);
	int r = BOB_OK;

	if (t == NULL || w == NULL)
		r = err_nomem(v->p->ctx);
	if (r == BOB_OK && direction == BOB_CALLERS) {
		r = tree_add_callers(t, v, w, min_samples);
	} else if (r == BOB_OK && focus == 0) {
		r = copy_all(t, v, min_samples);
	} else if (r == BOB_OK) {
		r = add_callees(t, v, focus, w);
		if (r == BOB_OK) {
			tree_add_totals(t);
			r = tree_drop_light(t, min_samples);
		}
	}
	if (w != v->total)
		free(w);
	if (r == BOB_OK)
		r = link_nodes(t, v);
	if (r < 0) {
		bob_tree_free(t);
		return err_set_status(v->p->ctx, BOB_FAILED);
	}
	tree_check(t);
	*ret = t;
	return BOB_OK;
}

const struct bob_tree_node *
bob_tree_nodes(const struct bob_tree *t, uint32_t *ret_n)
{
	*ret_n = t->n;
	return t->node;
}

uint32_t
bob_tree_cut(const struct bob_tree *t)
{
	return t->cut;
}
