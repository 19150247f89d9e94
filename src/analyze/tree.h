/* The inside of a tree; see bobbin/profile.h. */
#ifndef ANALYZE_TREE_H
#define ANALYZE_TREE_H

#include "analyze/view.h"
#include "model/intern.h"

struct bob_tree {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct bob_tree_node *node;
	uint32_t n;
	size_t cap_node;
	struct intern by_child; /* (parent, key) */
	uint32_t max_depth; /* 0: any */
	uint32_t cut; /* as bob_tree_cut */
};

/* Returns the child of a node with this key, new or old; the node itself if it
 * is at max_depth; BOB_NO_ID without memory. */
uint32_t tree_child(struct bob_tree *t, uint32_t parent, uint32_t key);

/*
 * Fills a tree of callers. Node 0 has the focus (0: none) as its key. With a
 * focus, weight[n] is the weight of each node n of the view that has this key:
 * of the samples whose innermost occurrence it is. Without a focus it is not
 * used. Returns BOB_OK or FATAL.
 */
int tree_add_callers(struct bob_tree *t, const struct bob_view *v,
    const struct bob_sum *weight, uint64_t min_samples);

#endif
