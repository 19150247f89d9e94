/*
 * Call graphs: who called whom and for how long, from weighted stacks.
 *
 * What a node is, the caller decides by a number for each frame: functions,
 * or functions with lines. A call is made from a site, which is a number of
 * the caller's as well (the node itself, or the node with the line).
 *
 *     callgraph_init(&g, ctx, dict, seed, node_of, n_node, site_of);
 *     callgraph_add(&g, stack, samples, time_us);    for each distinct stack
 *     callgraph_solve(&g);                           once
 *     g.node[i].total_us, g.edge[k].callee ...
 *
 * Adding a stack costs the same whatever its depth. Solving is one walk
 * through the tree of stacks: linear in its nodes.
 *
 * Recursion inflates nothing:
 * 1. A node's total counts each sample once, however often it is in the stack.
 * 2. An edge counts each sample once (`samples`).
 * 3. A sample of a node came in by exactly one edge, that of its outermost
 *    call (`into`). So the incoming `into` of a node add up to its total,
 *    which is how viewers of call graphs compute totals. What a stack begins
 *    with is called from node 0 at site 0, so this holds for it too.
 */
#ifndef MODEL_CALLGRAPH_H
#define MODEL_CALLGRAPH_H

#include "model/dict.h"

struct callgraph_node {
	uint64_t self, self_us;   /* samples, microseconds */
	uint64_t total, total_us;
	uint32_t on_way; /* in the walk: how often it is above */
};

struct callgraph_edge {
	uint32_t site, caller, callee;
	uint32_t on_way; /* in the walk: how often it was taken */
	uint64_t samples, samples_us;
	uint64_t self, self_us; /* of these, those in the callee itself */
	uint64_t into, into_us;
};

struct callgraph_weight {
	uint64_t samples, us;
};

struct callgraph {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	uint64_t seed;
	const uint32_t *node_of, *site_of; /* by frame */
	struct callgraph_node *node;
	struct callgraph_edge *edge; /* 1 .. n_edge - 1, as they came */
	size_t cap_edge;
	uint32_t n_node, n_edge;
	struct intern by_edge;
	struct callgraph_weight *own; /* by stack: what was added */
	size_t cap_own, n_own;
};

/* Borrows everything given. Nodes are numbered below n_node. Without site_of
 * (NULL) all calls are from site 0: for nodes alone. BOB_OK or FATAL;
 * callgraph_done in either case. */
int callgraph_init(struct callgraph *g, struct bob_ctx *ctx,
    const struct bob_dict *dict, uint64_t seed, const uint32_t *node_of,
    uint32_t n_node, const uint32_t *site_of);
void callgraph_done(struct callgraph *g);

/* A stack that was sampled this much; the empty one counts nowhere. BOB_OK or
 * FATAL. */
int callgraph_add(struct callgraph *g, bob_stack stack, uint64_t samples,
    uint64_t time_us);

/* Finds nodes and edges of all that was added. BOB_OK or FATAL. */
int callgraph_solve(struct callgraph *g);

/* Edges in the order of their sites, then of their callees. */
void callgraph_sort(struct callgraph *g);

#endif
