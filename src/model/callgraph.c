/* Call graphs from weighted stacks; see the header. */
#include "model/callgraph.h"

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
	free(g->edge);
	intern_free(&g->by_edge);
	memset(g, 0, sizeof(*g));
}

static struct callgraph_edge *
find_edge(struct callgraph *g, uint32_t site, uint32_t caller,
    uint32_t callee)
{
	uint32_t key[2] = { site, callee }, at, id;
	struct callgraph_edge *e;
	uint64_t hash;

	if (intern_reserve(g->ctx, &g->by_edge) < 0)
		return NULL;
	hash = XXH3_64bits_withSeed(key, sizeof(key), g->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&g->by_edge, hash, &at)) != 0) {
		e = &g->edge[id];
		if (e->site == site && e->callee == callee)
			return e;
	}
	if (MEM_GROW(g->ctx, g, edge, (size_t)g->n_edge + 1) < 0)
		return NULL;
	intern_add(&g->by_edge, hash, at, g->n_edge);
	e = &g->edge[g->n_edge++];
	*e = (struct callgraph_edge){ .site = site, .caller = caller,
		.callee = callee };
	return e;
}

/* Counts a sample for the node unless this stack has done so. */
static int
is_first(struct callgraph *g, uint32_t id, uint64_t samples,
    uint64_t time_us)
{
	struct callgraph_node *n = &g->node[id];

	if (n->seen == g->n_stack)
		return 0;
	n->seen = g->n_stack;
	n->total = count_add(n->total, samples);
	n->total_us = count_add(n->total_us, time_us);
	return 1;
}

/* The same for an edge. */
static void
count_edge(struct callgraph *g, struct callgraph_edge *e, uint64_t samples,
    uint64_t time_us)
{
	if (e->seen == g->n_stack)
		return;
	e->seen = g->n_stack;
	e->samples = count_add(e->samples, samples);
	e->samples_us = count_add(e->samples_us, time_us);
}

int
callgraph_add(struct callgraph *g, bob_stack stack, uint64_t samples,
    uint64_t time_us)
{
	const struct bob_node *tree = g->dict->node;
	struct callgraph_edge *e;
	uint32_t callee, caller, depth = tree[stack].depth;
	bob_fid frame;

	if (stack == 0)
		return BOB_OK;
	g->n_stack++;
	callee = g->node_of[tree[stack].frame];
	(void)is_first(g, callee, samples, time_us);
	g->node[callee].self = count_add(g->node[callee].self, samples);
	g->node[callee].self_us = count_add(g->node[callee].self_us, time_us);
	for (stack = tree[stack].parent; stack != 0;
	    stack = tree[stack].parent) {
		frame = tree[stack].frame;
		caller = g->node_of[frame];
		e = find_edge(g, g->site_of[frame], caller, callee);
		if (e == NULL)
			return BOB_FATAL;
		count_edge(g, e, samples, time_us);
		if (tree[stack].depth + 1 == depth) {
			e->self = count_add(e->self, samples);
			e->self_us = count_add(e->self_us, time_us);
		}
		if (is_first(g, caller, samples, time_us)) {
			e->through = count_add(e->through, samples);
			e->through_us = count_add(e->through_us, time_us);
		}
		callee = caller;
	}
	return BOB_OK;
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
