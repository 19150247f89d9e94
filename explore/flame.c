/*
 * Flames as boxes, and the small flame in dots. The width of a box is its share
 * of the parent's box, rounded down, so that children do not overlap; a box
 * that is narrower than a column is left out.
 */
#include "flame.h"

#include <stdlib.h>
#include <string.h>

#define MINI_LEVELS 4 /* dots in a cell, from top to bottom */

static double
share_of(const uint64_t w[2], const uint64_t total[2])
{
	double sum = 0;
	int i;

	for (i = 0; i < 2; i++)
		if (total[i] > 0)
			sum += (double)w[i] / (double)total[i];
	return sum;
}

static struct box *
add_box(struct flame *f)
{
	if (f->n == f->cap) {
		size_t cap = f->cap > 0 ? 2 * f->cap : 256;
		struct box *p = realloc(f->box, cap * sizeof(*p));

		if (p == NULL)
			return NULL;
		f->box = p;
		f->cap = cap;
	}
	memset(&f->box[f->n], 0, sizeof(f->box[0]));
	return &f->box[f->n++];
}

/* Adds the boxes of the children of box `at`. */
static int
add_children(struct flame *f, const struct tree *t, size_t at, int step,
    const uint64_t total[2])
{
	const struct tree_node *parent = &t->node[f->box[at].node];
	double whole = share_of(parent->w, total);
	int32_t x = f->box[at].x, w;
	struct box *b;
	uint32_t i;

	for (i = parent->first_child; i != 0; i = t->node[i].next_sibling) {
		const struct tree_node *n = &t->node[i];

		w = whole > 0 ? (int32_t)(share_of(n->w, total) / whole *
		    f->box[at].w + 1e-9) : 0;
		if (w > f->box[at].x + f->box[at].w - x)
			w = f->box[at].x + f->box[at].w - x;
		if (w <= 0)
			continue;
		b = add_box(f);
		if (b == NULL)
			return -1;
		*b = (struct box){ .key = n->key, .node = i, .x = x, .w = w,
			.level = f->box[at].level + step,
			.parent = (uint32_t)at,
			.weight = { n->w[0], n->w[1] } };
		x += w;
	}
	return 0;
}

/* Adds all boxes of a tree, level by level. */
static int
add_tree(struct flame *f, const struct tree *t, int step,
    const uint64_t total[2])
{
	size_t begin = f->n, at;

	if (t->n == 0)
		return 0;
	if (add_children(f, t, 0, step, total) < 0)
		return -1;
	for (at = begin; at < f->n; at++)
		if (add_children(f, t, at, step, total) < 0)
			return -1;
	return 0;
}

int
flame_make(struct flame *f, const struct tree *callers,
    const struct tree *callees, const uint64_t total[2], int width)
{
	const struct tree *any = callees->n > 0 ? callees : callers;
	struct box *b;
	size_t i;

	f->n = 0;
	f->at = 0;
	f->up = f->down = 0;
	f->width = 0;
	b = add_box(f);
	if (b == NULL)
		return -1;
	b->w = width;
	if (any->n > 0) {
		b->key = any->node[0].key;
		memcpy(b->weight, any->node[0].w, sizeof(b->weight));
	}
	if (add_tree(f, callers, -1, total) < 0 ||
	    add_tree(f, callees, 1, total) < 0)
		return -1;
	for (i = 0; i < f->n; i++) {
		if (-f->box[i].level > f->up)
			f->up = -f->box[i].level;
		if (f->box[i].level > f->down)
			f->down = f->box[i].level;
	}
	f->width = width;
	return 0;
}

void
flame_done(struct flame *f)
{
	free(f->box);
	memset(f, 0, sizeof(*f));
}

long
flame_find(const struct flame *f, int x, int level)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->box[i].level == level && x >= f->box[i].x &&
		    x < f->box[i].x + f->box[i].w)
			return (long)i;
	return -1;
}

/* The nearest box on the same level to the left or right; itself if none. */
static size_t
box_beside(const struct flame *f, int dx)
{
	const struct box *b = &f->box[f->at];
	size_t best = f->at, i;

	for (i = 0; i < f->n; i++) {
		const struct box *o = &f->box[i];

		if (o->level != b->level ||
		    (dx < 0 ? o->x >= b->x : o->x <= b->x))
			continue;
		if (best == f->at ||
		    (dx < 0 ? o->x > f->box[best].x
		            : o->x < f->box[best].x))
			best = i;
	}
	return best;
}

/* The widest child of the selected box, up or down; itself if none. */
static size_t
widest_child(const struct flame *f, int step)
{
	size_t best = f->at, i;

	for (i = 1; i < f->n; i++)
		if (f->box[i].parent == f->at &&
		    f->box[i].level == f->box[f->at].level + step &&
		    (best == f->at || f->box[i].w > f->box[best].w))
			best = i;
	return best;
}

void
flame_move(struct flame *f, int dx, int dy)
{
	int level;

	if (f->n == 0)
		return;
	for (; dx != 0; dx += dx < 0 ? 1 : -1)
		f->at = box_beside(f, dx);
	for (; dy != 0; dy += dy < 0 ? 1 : -1) {
		level = f->box[f->at].level;
		if ((level > 0 && dy < 0) || (level < 0 && dy > 0))
			f->at = f->box[f->at].parent;
		else
			f->at = widest_child(f, dy < 0 ? -1 : 1);
	}
}

/* ---- The small flame ---------------------------------------------------- */

void
mini_done(struct mini *m)
{
	free(m->dots);
	free(m->key);
	memset(m, 0, sizeof(*m));
}

static uint64_t
node_weight(const struct bob_tree_node *n, int by_time)
{
	return by_time ? n->total.time_us : n->total.samples;
}

/* Where a node lies, in half columns. */
struct span {
	double x, w, used;
};

/* Where a node and its child share a level, the child comes later and stays. */
static void
fill_span(struct mini *m, const struct span *s, uint32_t level, uint32_t key)
{
	int x = (int)(s->x + 0.5), end = (int)(s->x + s->w + 0.5);

	for (; x < end && x < 2 * m->width; x++) {
		m->key[(size_t)level * 2 * (size_t)m->width + (size_t)x] = key;
		m->dots[(size_t)(level / MINI_LEVELS) * (size_t)m->width +
		    (size_t)(x / 2)] |= (uint8_t)(1 << (level % MINI_LEVELS *
		    2 + (uint32_t)(x % 2)));
	}
}

int
mini_make(struct mini *m, const struct bob_tree *t, int by_time, int width,
    int height)
{
	uint32_t n, i;
	const struct bob_tree_node *node = bob_tree_nodes(t, &n);
	struct span *span = calloc((size_t)n + 1, sizeof(*span));
	uint32_t deepest = 1;

	mini_done(m);
	m->levels = height * MINI_LEVELS;
	m->dots = calloc((size_t)width * (size_t)height, 1);
	m->key = calloc((size_t)width * 2 * (size_t)m->levels,
	    sizeof(*m->key));
	if (span == NULL || m->dots == NULL || m->key == NULL) {
		free(span);
		mini_done(m);
		return -1;
	}
	m->width = width;
	m->height = height;
	span[0].w = 2 * width;
	for (i = 1; i < n; i++)
		if (node[i].depth > deepest)
			deepest = node[i].depth;
	if (deepest < (uint32_t)m->levels)
		deepest = (uint32_t)m->levels;
	for (i = 1; i < n; i++) {
		struct span *p = &span[node[i].parent];
		uint64_t whole = node_weight(&node[node[i].parent], by_time);

		if (whole == 0)
			continue;
		span[i].x = p->x + p->used;
		span[i].w = p->w * ((double)node_weight(&node[i], by_time) /
		    (double)whole);
		p->used += span[i].w;
		fill_span(m, &span[i], (uint32_t)((uint64_t)(node[i].depth -
		    1) * (uint32_t)m->levels / deepest), node[i].key);
	}
	free(span);
	return 0;
}

uint32_t
mini_find(const struct mini *m, int x, int y)
{
	uint32_t key = 0;
	int level, half;

	if (x < 0 || y < 0 || x >= m->width || y >= m->height)
		return 0;
	for (level = y * MINI_LEVELS; level < (y + 1) * MINI_LEVELS; level++)
		for (half = 0; half < 2; half++)
			if (m->key[(size_t)level * 2 * (size_t)m->width +
			    (size_t)(2 * x + half)] != 0)
				key = m->key[(size_t)level * 2 *
				    (size_t)m->width + (size_t)(2 * x + half)];
	return key;
}

int
mini_has(const struct mini *m, int x, int y, uint32_t key)
{
	int level, half;

	if (key == 0 || x < 0 || y < 0 || x >= m->width || y >= m->height)
		return 0;
	for (level = y * MINI_LEVELS; level < (y + 1) * MINI_LEVELS; level++)
		for (half = 0; half < 2; half++)
			if (m->key[(size_t)level * 2 * (size_t)m->width +
			    (size_t)(2 * x + half)] == key)
				return 1;
	return 0;
}
