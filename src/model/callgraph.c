/* Call graphs from weighted stacks; see the header. */
#include "model/callgraph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int
callgraph_init(struct callgraph *g, struct bob_ctx *ctx,
    const struct bob_dict *dict, uint64_t seed, const uint32_t *node_of,
    uint32_t n_node, const uint32_t *site_of)
{
	memset(g, 0, sizeof(*g));
	g->ctx = ctx;
	g->dict = dict;
	g->seed = seed;
	g->node_of = node_of;
	g->site_of = site_of;
	g->n_node = n_node;
	g->n_edge = 1;
	g->node = calloc(n_node, sizeof(*g->node));
	return g->node == NULL ? err_nomem(ctx) : BOB_OK;
}

void
callgraph_done(struct callgraph *g)
{
	free(g->node);
	MEM_DROP(g->ctx, g, edge);
	free(g->own);
	intern_free(&g->by_edge);
	memset(g, 0, sizeof(*g));
}

/* Returns the edge, new or old; 0 without memory. */
static uint32_t
find_edge(struct callgraph *g, uint32_t site, uint32_t caller,
    uint32_t callee)
{
	uint32_t key[2] = { site, callee }, at, id;
	uint64_t hash;

	if (intern_reserve(g->ctx, &g->by_edge) < 0)
		return 0;
	hash = XXH3_64bits_withSeed(key, sizeof(key), g->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&g->by_edge, hash, &at)) != 0)
		if (g->edge[id].site == site && g->edge[id].callee == callee)
			return id;
	if (MEM_TAKE(g->ctx, g, edge, (size_t)g->n_edge + 1) < 0)
		return 0;
	intern_add(&g->by_edge, hash, at, g->n_edge);
	g->edge[g->n_edge] = (struct callgraph_edge){ .site = site,
		.caller = caller, .callee = callee };
	return g->n_edge++;
}

/* Returns the edge of the call to the innermost frame of a stack; 0 without
 * memory. */
static uint32_t
edge_into(struct callgraph *g, bob_stack stack)
{
	const struct dict_node *tree = g->dict->node;
	uint32_t callee = g->node_of[tree[stack].frame];
	bob_stack parent = tree[stack].parent;
	bob_fid frame = tree[parent].frame;

	if (parent == 0 || g->site_of == NULL)
		return find_edge(g, 0, 0, callee);
	return find_edge(g, g->site_of[frame], g->node_of[frame], callee);
}

int
callgraph_add(struct callgraph *g, bob_stack stack, uint64_t samples,
    uint64_t time_us)
{
	struct callgraph_weight *w;
	size_t n = (size_t)stack + 1;

	if (MEM_GROW(g->ctx, g, own, n) < 0)
		return BOB_FATAL;
	if (n > g->n_own) {
		memset(g->own + g->n_own, 0, (n - g->n_own) * sizeof(*g->own));
		g->n_own = n;
	}
	w = &g->own[stack];
	w->samples = count_add(w->samples, samples);
	w->us = count_add(w->us, time_us);
	return BOB_OK;
}

/* The walk; arrays are by stack. */
struct walk {
	struct callgraph_weight *below; /* weight of the stack and all below */
	bob_stack *first, *next; /* children with weight, as a list; 0: none */
	uint32_t *edge; /* by depth: the edges of the path */
	size_t cap_edge;
};

static void
walk_done(struct walk *w)
{
	free(w->below);
	free(w->first);
	free(w->next);
	free(w->edge);
}

/* Parents have smaller numbers than their children. */
static int
walk_init(struct walk *w, const struct callgraph *g)
{
	const struct dict_node *tree = g->dict->node;
	size_t n = g->n_own, s;

	w->below = malloc(n * sizeof(*w->below));
	w->first = calloc(n, sizeof(*w->first));
	w->next = calloc(n, sizeof(*w->next));
	if (w->below == NULL || w->first == NULL || w->next == NULL)
		return err_nomem(g->ctx);
	memcpy(w->below, g->own, n * sizeof(*w->below));
	for (s = n - 1; s > 0; s--) {
		bob_stack parent = tree[s].parent;
		struct callgraph_weight *to = &w->below[parent];

		assert(parent < s);
		if (w->below[s].samples == 0)
			continue;
		to->samples = count_add(to->samples, w->below[s].samples);
		to->us = count_add(to->us, w->below[s].us);
		w->next[s] = w->first[parent];
		w->first[parent] = (bob_stack)s;
	}
	return BOB_OK;
}

/*
 * The walk enters stack s by an edge. All samples below count for the edge,
 * unless it is already on the path, and for the node, unless it is. So each
 * sample is counted once, for the outermost call.
 */
static void
walk_enter(struct callgraph *g, bob_stack s, struct callgraph_edge *e,
    const struct callgraph_weight *below)
{
	struct callgraph_node *n = &g->node[e->callee];
	const struct callgraph_weight *own = &g->own[s];

	assert(e->callee < g->n_node);
	n->self = count_add(n->self, own->samples);
	n->self_us = count_add(n->self_us, own->us);
	e->self = count_add(e->self, own->samples);
	e->self_us = count_add(e->self_us, own->us);
	if (e->on_way++ == 0) {
		e->samples = count_add(e->samples, below->samples);
		e->samples_us = count_add(e->samples_us, below->us);
	}
	if (n->on_way++ == 0) {
		n->total = count_add(n->total, below->samples);
		n->total_us = count_add(n->total_us, below->us);
		e->into = count_add(e->into, below->samples);
		e->into_us = count_add(e->into_us, below->us);
	}
}

static void
walk_leave(struct callgraph *g, uint32_t edge)
{
	assert(g->edge[edge].on_way > 0 &&
	    g->node[g->edge[edge].callee].on_way > 0);
	g->edge[edge].on_way--;
	g->node[g->edge[edge].callee].on_way--;
}

/* Not recursive: a stack of a million frames is legal. */
static int
walk_stacks(struct callgraph *g, struct walk *w)
{
	bob_stack s = w->first[0];
	size_t depth = 0;

	while (s != 0) {
		if (MEM_GROW(g->ctx, w, edge, depth + 1) < 0)
			return BOB_FATAL;
		w->edge[depth] = edge_into(g, s);
		if (w->edge[depth] == 0)
			return BOB_FATAL;
		walk_enter(g, s, &g->edge[w->edge[depth++]], &w->below[s]);
		if (w->first[s] != 0) {
			s = w->first[s];
			continue;
		}
		for (; depth > 0; s = g->dict->node[s].parent) {
			walk_leave(g, w->edge[--depth]);
			if (w->next[s] != 0)
				break;
		}
		s = w->next[s];
	}
	return BOB_OK;
}

#ifndef NDEBUG
/* The header's rules about recursion. Without memory nothing is checked. */
static void
callgraph_check(const struct callgraph *g)
{
	uint64_t *into = calloc(g->n_node, sizeof(*into));
	uint32_t i;

	for (i = 1; into != NULL && i < g->n_edge; i++) {
		const struct callgraph_edge *e = &g->edge[i];

		assert(e->on_way == 0);
		assert(e->self <= e->samples && e->into <= e->samples);
		assert(e->samples <= g->node[e->callee].total);
		into[e->callee] = count_add(into[e->callee], e->into);
	}
	for (i = 0; into != NULL && i < g->n_node; i++) {
		assert(g->node[i].on_way == 0);
		assert(g->node[i].self <= g->node[i].total);
		assert(into[i] == g->node[i].total);
	}
	free(into);
}
#else
static void
callgraph_check(const struct callgraph *g)
{
	(void)g;
}
#endif

int
callgraph_solve(struct callgraph *g)
{
	struct walk w = { 0 };
	int r;

	if (g->n_own == 0)
		return BOB_OK;
	r = walk_init(&w, g);
	if (r == BOB_OK)
		r = walk_stacks(g, &w);
	if (r == BOB_OK)
		callgraph_check(g);
	walk_done(&w);
	free(g->own);
	g->own = NULL;
	g->n_own = g->cap_own = 0;
	return r;
}

static int
compare_edges(const void *pa, const void *pb)
{
	const struct callgraph_edge *a = pa, *b = pb;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

void
callgraph_sort(struct callgraph *g)
{
	if (g->n_edge > 1)
		qsort(g->edge + 1, g->n_edge - 1, sizeof(*g->edge),
		    compare_edges);
	intern_free(&g->by_edge);
	memset(&g->by_edge, 0, sizeof(g->by_edge));
}
