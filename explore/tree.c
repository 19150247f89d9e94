/*
 * Merging the call trees of two sides, folding, and the list of visible lines.
 * All walks are loops: a trace may have a tree of any depth.
 */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_SHARE 50 /* nodes with 1/50 of the whole are open at first */

static uint64_t
node_weight(const struct bob_tree_node *n, const struct tree_scale *s)
{
	return s->by_time ? n->total.time_us : n->total.samples;
}

void
tree_done(struct tree *t)
{
	free(t->node);
	free(t->line);
	memset(t, 0, sizeof(*t));
}

/* Finds a node by its parent and key: a hash table with open addressing; 0 is
 * an empty slot. */
struct child_map {
	uint32_t *slot;
	size_t mask;
};

static size_t
hash_child(uint32_t parent, uint32_t key)
{
	uint64_t h = ((uint64_t)parent << 32 | key) * 0x9e3779b97f4a7c15u;

	return (size_t)(h >> 32);
}

static int
child_map_init(struct child_map *m, size_t n)
{
	size_t cap = 16;

	while (cap < 2 * n)
		cap *= 2;
	m->slot = calloc(cap, sizeof(*m->slot));
	m->mask = cap - 1;
	return m->slot != NULL ? 0 : -1;
}

/* The slot of (parent, key); it holds the node, or 0. */
static uint32_t *
child_slot(const struct child_map *m, const struct tree *t, uint32_t parent,
    uint32_t key)
{
	size_t i = hash_child(parent, key) & m->mask;

	while (m->slot[i] != 0 && (t->node[m->slot[i]].parent != parent ||
	    t->node[m->slot[i]].key != key))
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

/* Adds the nodes of one side; sets to[i] to our node for node i of the side. */
static void
lay_over(struct tree *t, struct child_map *m, const struct bob_tree_node *src,
    uint32_t n, uint32_t *to, int side, const struct tree_scale *s)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint32_t parent = i == 0 ? 0 : to[src[i].parent];
		uint32_t *slot = NULL, at = 0;

		if (i > 0) {
			slot = child_slot(m, t, parent, src[i].key);
			at = *slot;
		}
		if (i > 0 && at == 0) {
			at = t->n++;
			*slot = at;
			t->node[at].parent = parent;
			t->node[at].depth = src[i].depth;
		}
		/* NOLINT(-Wanalyzer-null-dereference): n is 0 without one.
		 * NOLINT(clang-analyzer-core.NullDereference): as above. */
		t->node[at].key = src[i].key;
		t->node[at].w[side] = node_weight(&src[i], s);
		to[i] = at;
	}
}

struct weighed {
	double w;
	uint32_t node;
};

static double
share_sum(const struct tree_node *n, const struct tree_scale *s)
{
	double sum = 0;
	int i;

	for (i = 0; i < 2; i++)
		if (s->total[i] > 0)
			sum += (double)n->w[i] / (double)s->total[i];
	return sum;
}

/* Heavier nodes first. */
static int
by_share(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->w != y->w)
		return x->w > y->w ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Links children in order of weight: going from the lightest node to the
 * heaviest, each becomes the first child of its parent. */
static int
link_children(struct tree *t, const struct tree_scale *s)
{
	struct weighed *all = calloc(t->n, sizeof(*all));
	uint32_t i;

	if (all == NULL)
		return -1;
	for (i = 0; i < t->n; i++)
		all[i] = (struct weighed){ share_sum(&t->node[i], s), i };
	qsort(all, t->n, sizeof(*all), by_share);
	for (i = t->n; i > 0; i--) {
		struct tree_node *n = &t->node[all[i - 1].node];

		if (all[i - 1].node == 0)
			continue;
		n->next_sibling = t->node[n->parent].first_child;
		t->node[n->parent].first_child = all[i - 1].node;
	}
	free(all);
	return 0;
}

static void
open_heavy(struct tree *t, const struct tree_scale *s)
{
	double whole = share_sum(&t->node[0], s);
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		/* NOLINT(clang-analyzer-security.ArrayBound): n nodes. */
		t->node[i].is_shown = 1;
		t->node[i].is_open = i == 0 ||
		    share_sum(&t->node[i], s) * OPEN_SHARE >= whole;
	}
}

/* The next visible node after i, depth first; 0 at the end. */
static uint32_t
next_visible(const struct tree *t, uint32_t i)
{
	uint32_t at;

	at = t->node[i].is_open ? t->node[i].first_child : 0;
	while (at != 0 && !t->node[at].is_shown)
		at = t->node[at].next_sibling;
	while (at == 0) {
		if (i == 0)
			return 0;
		at = t->node[i].next_sibling;
		while (at != 0 && !t->node[at].is_shown)
			at = t->node[at].next_sibling;
		i = t->node[i].parent;
	}
	return at;
}

static void
make_lines(struct tree *t)
{
	uint32_t i = 0;

	t->n_lines = 0;
	t->is_cut = 0;
	if (t->n == 0)
		return;
	do {
		if (t->n_lines == TREE_MAX_LINES) {
			t->is_cut = 1;
			break;
		}
		t->line[t->n_lines++] = i;
		i = next_visible(t, i);
	} while (i != 0);
	if (t->c.at >= t->n_lines)
		t->c.at = t->n_lines - 1;
}

/* Copies a tree that has only one side; its children are in order already. */
static int
copy_side(struct tree *t, const struct bob_tree_node *src, uint32_t n,
    const struct tree_scale *s)
{
	uint32_t i;

	t->node = calloc(n, sizeof(*t->node));
	if (t->node == NULL)
		return -1;
	t->n = n;
	for (i = 0; i < n; i++) {
		t->node[i] = (struct tree_node){ .key = src[i].key,
			.parent = src[i].parent,
			.first_child = src[i].first_child,
			.next_sibling = src[i].next_sibling,
			.depth = src[i].depth };
		t->node[i].w[1] = node_weight(&src[i], s);
	}
	return 0;
}

/* Makes one tree of two sides. */
static int
merge_sides(struct tree *t, const struct bob_tree_node *src[2],
    const uint32_t n[2], const struct tree_scale *s)
{
	size_t most = (size_t)n[0] + n[1] + 1;
	uint32_t *to = calloc(most, sizeof(*to));
	struct child_map map = { NULL, 0 };
	int side, r = -1;

	t->node = calloc(most, sizeof(*t->node));
	if (t->node != NULL && to != NULL && child_map_init(&map, most) == 0) {
		t->n = 1;
		for (side = 1; side >= 0; side--)
			lay_over(t, &map, src[side], n[side], to, side, s);
		r = link_children(t, s);
	}
	free(map.slot);
	free(to);
	return r;
}

int
tree_make(struct tree *t, const struct bob_tree *before,
    const struct bob_tree *after, const struct tree_scale *scale)
{
	const struct bob_tree_node *src[2] = { NULL, NULL };
	uint32_t n[2] = { 0, 0 };
	int r;

	tree_done(t);
	if (before != NULL)
		src[0] = bob_tree_nodes(before, &n[0]);
	if (after != NULL)
		src[1] = bob_tree_nodes(after, &n[1]);
	r = before == NULL && n[1] > 0 ? copy_side(t, src[1], n[1], scale)
	                               : merge_sides(t, src, n, scale);
	if (r == 0)
		t->line = calloc(TREE_MAX_LINES, sizeof(*t->line));
	if (t->line == NULL) {
		tree_done(t);
		return -1;
	}
	open_heavy(t, scale);
	make_lines(t);
	return 0;
}

void
tree_filter(struct tree *t, const uint8_t *is_shown)
{
	uint32_t i;

	for (i = t->n; i > 0; i--) {
		struct tree_node *n = &t->node[i - 1];

		n->is_shown = i == 1 || is_shown == NULL || is_shown[n->key];
	}
	/* Parents come before children, so going back marks all ancestors. */
	for (i = t->n; i > 1; i--)
		if (t->node[i - 1].is_shown)
			t->node[t->node[i - 1].parent].is_shown = 1;
	if (t->n > 0)
		make_lines(t);
}

void
tree_fold(struct tree *t, size_t line, int is_open, int deep)
{
	uint32_t i, root;

	if (line >= t->n_lines)
		return;
	root = t->line[line];
	t->node[root].is_open = (uint8_t)is_open;
	/* Parents come before children: one pass finds all descendants. */
	if (deep) {
		uint8_t *is_below = calloc(t->n, 1);

		if (is_below != NULL) {
			is_below[root] = 1;
			for (i = root + 1; i < t->n; i++) {
				is_below[i] = is_below[t->node[i].parent];
				if (is_below[i])
					t->node[i].is_open =
					    (uint8_t)is_open;
			}
		}
		free(is_below);
	}
	make_lines(t);
}

uint32_t
tree_at(const struct tree *t)
{
	return t->c.at < t->n_lines ? t->line[t->c.at] : 0;
}

size_t
tree_parent_line(const struct tree *t, size_t line)
{
	uint32_t parent;

	if (line >= t->n_lines)
		return 0;
	parent = t->node[t->line[line]].parent;
	while (line > 0 && t->line[line] != parent)
		line--;
	return line;
}

int
tree_has_next(const struct tree *t, uint32_t node)
{
	uint32_t i = t->node[node].next_sibling;

	while (i != 0 && !t->node[i].is_shown)
		i = t->node[i].next_sibling;
	return i != 0;
}

int
tree_has_children(const struct tree *t, uint32_t node)
{
	uint32_t i = t->node[node].first_child;

	while (i != 0 && !t->node[i].is_shown)
		i = t->node[i].next_sibling;
	return i != 0;
}
