/*
 * Call trees as lists of lines, with folding, a filter and a cursor. In a
 * difference the trees of both sides are merged into one.
 */
#ifndef EXPLORE_TREE_H
#define EXPLORE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/profile.h>

#include "tui/cursor.h"

#define TREE_MAX_LINES 5000

struct tree_node {
	uint32_t key;
	uint32_t parent, first_child, next_sibling; /* 0: none */
	uint32_t depth;
	uint64_t w[2];    /* before, after */
	uint8_t is_open, is_shown;
};

struct tree {
	struct tree_node *node; /* parents before children; 0 is the focus */
	uint32_t n;
	uint32_t *line; /* nodes that are visible, TREE_MAX_LINES at most */
	size_t n_lines;
	int is_cut; /* there are more lines than TREE_MAX_LINES */
	struct cursor c;
};

/* The unit of weights, and the total of each side, for shares. */
struct tree_scale {
	int by_time;
	uint64_t total[2];
};

/*
 * Makes a tree from one or two trees of the library (NULL: that side is empty).
 * Children are in order of weight. Nodes with at least a fiftieth of the whole
 * are open. Returns 0; -1 without memory.
 */
int tree_make(struct tree *t, const struct bob_tree *before,
    const struct bob_tree *after, const struct tree_scale *scale);
void tree_done(struct tree *t);

/* Shows only nodes whose key is marked, and their ancestors; NULL: all. */
void tree_filter(struct tree *t, const uint8_t *is_shown);

/* Folds or opens the node of a line; with `deep`, also its descendants. */
void tree_fold(struct tree *t, size_t line, int is_open, int deep);

/* The node under the cursor. */
uint32_t tree_at(const struct tree *t);

/* The line of a node's parent. */
size_t tree_parent_line(const struct tree *t, size_t line);

/* True if a sibling after it, or a child of it, passes the filter. */
int tree_has_next(const struct tree *t, uint32_t node);
int tree_has_children(const struct tree *t, uint32_t node);

#endif
