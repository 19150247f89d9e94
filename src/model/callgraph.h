/*
 * Call graphs: who called whom and for how long, from weighted stacks.
 *
 * The caller maps each frame to a node (a function, or a function with a line)
 * and to a site, from which calls are made (the node itself, or the node with a
 * line).
 *
 *     callgraph_init(&g, ctx, dict, seed, node_of, n_node, site_of);
 *     callgraph_add(&g, stack, samples, time_us);    for each distinct stack
 *     callgraph_solve(&g);                           once
 *     g.node[i].total_us, g.edge[k].callee ...
 *
 * Adding a stack takes the same time whatever its depth. Solving is one walk
 * through the tree of stacks, linear in its nodes.
 *
 * Recursion does not inflate sums:
 * 1. The total of a node counts each sample once, however often the node is in
 *    the stack.
 * 2. `samples` of an edge counts each sample once.
 * 3. Each sample of a node entered it by exactly one edge, that of its
 *    outermost call (`into`). So the incoming `into` of a node add up to its
 *    total, as viewers of call graphs expect. The outermost frame of a stack is
 *    called from node 0 at site 0, so this holds for it too.
 */
#ifndef MODEL_CALLGRAPH_H
#define MODEL_CALLGRAPH_H

#include "model/dict.h"

struct callgraph_node {
	uint64_t self, self_us;   /* samples, microseconds */
	uint64_t total, total_us;
	uint32_t on_way; /* during the walk: times it is on the path */
};

struct callgraph_edge {
	uint32_t site, caller, callee;
	uint32_t on_way; /* during the walk: times it is on the path */
	uint64_t samples, samples_us;
	uint64_t self, self_us; /* of these, in the callee itself */
	uint64_t into, into_us; /* of these, by its outermost call */
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
	struct callgraph_edge *edge; /* 1 .. n_edge - 1, in order of the walk */
	size_t cap_edge;
	uint32_t n_node, n_edge;
	struct intern by_edge;
	struct callgraph_weight *own; /* by stack: what was added */
	size_t cap_own, n_own;
};

/* Borrows all arguments. node_of and site_of are by frame; nodes are numbers
 * below n_node. If site_of is NULL, all calls are from site 0: for callers that
 * need no edges. Returns BOB_OK or FATAL. Call callgraph_done in either
 * case. */
int callgraph_init(struct callgraph *g, struct bob_ctx *ctx,
    const struct bob_dict *dict, uint64_t seed, const uint32_t *node_of,
    uint32_t n_node, const uint32_t *site_of);
void callgraph_done(struct callgraph *g);

/* Adds samples and time to a stack. The empty stack counts nowhere. Returns
 * BOB_OK or FATAL. */
int callgraph_add(struct callgraph *g, bob_stack stack, uint64_t samples,
    uint64_t time_us);

/* Computes nodes and edges from all that was added. Returns BOB_OK or FATAL. */
int callgraph_solve(struct callgraph *g);

/* Sorts the edges by site, then by callee. */
void callgraph_sort(struct callgraph *g);

#endif
