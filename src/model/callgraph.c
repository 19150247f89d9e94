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

/* 0 on failure. */
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
	if (MEM_GROW(g->ctx, g, edge, (size_t)g->n_edge + 1) < 0)
		return 0;
	intern_add(&g->by_edge, hash, at, g->n_edge);
	g->edge[g->n_edge] = (struct callgraph_edge){ .site = site,
		.caller = caller, .callee = callee };
	return g->n_edge++;
}

/* The edge by which the innermost frame of this stack was called. */
static uint32_t
edge_into(struct callgraph *g, bob_stack stack)
{
	const struct dict_node *tree = g->dict->node;
	uint32_t callee = g->node_of[tree[stack].frame];
	bob_stack parent = tree[stack].parent;
	bob_fid frame = tree[parent].frame;

	if (parent == 0)
		return find_edge(g, 0, 0, callee);
	return find_edge(g, g->site_of[frame], g->node_of[frame], callee);
}

/* Counts a sample for the edge unless this stack has done so. */
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

/* Counts a sample for the node, and for the edge it came in by, once. */
static void
count_node(struct callgraph *g, struct callgraph_node *n, uint64_t samples,
    uint64_t time_us)
{
	struct callgraph_edge *e = &g->edge[n->in];

	if (n->in == 0)
		return;
	n->in = 0;
	n->total = count_add(n->total, samples);
	n->total_us = count_add(n->total_us, time_us);
	e->into = count_add(e->into, samples);
	e->into_us = count_add(e->into_us, time_us);
}

int
callgraph_add(struct callgraph *g, bob_stack stack, uint64_t samples,
    uint64_t time_us)
{
	const struct dict_node *tree = g->dict->node;
	struct callgraph_node *n;
	struct callgraph_edge *e;
	uint32_t id;
	bob_stack s;

	g->n_stack++;
	for (s = stack; s != 0; s = tree[s].parent) {
		id = edge_into(g, s);
		if (id == 0)
			return BOB_FATAL;
		e = &g->edge[id];
		n = &g->node[g->node_of[tree[s].frame]];
		n->in = id; /* the last one to say so is the outermost */
		count_edge(g, e, samples, time_us);
		if (s != stack)
			continue;
		n->self = count_add(n->self, samples);
		n->self_us = count_add(n->self_us, time_us);
		e->self = count_add(e->self, samples);
		e->self_us = count_add(e->self_us, time_us);
	}
	for (s = stack; s != 0; s = tree[s].parent)
		count_node(g, &g->node[g->node_of[tree[s].frame]], samples,
		    time_us);
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
