/*
 * Call trees as lists of lines: what is folded, what a filter leaves, and a
 * cursor. With two sides the trees of both are laid over each other.
 */
#ifndef TUI_TREE_H
#define TUI_TREE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/profile.h>

#include "table.h"

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
	int is_cut; /* there would be more lines */
	struct cursor c;
};

/* Which weight counts, and of which the shares are. */
struct tree_scale {
	int by_time;
	uint64_t total[2];
};

/*
 * Makes a tree of one or two of the library's (NULL: that side is empty).
 * Children are in order of weight. Nodes with a fiftieth of the whole are
 * open. 0, or -1 without memory.
 */
int tree_make(struct tree *t, const struct bob_tree *before,
    const struct bob_tree *after, const struct tree_scale *scale);
void tree_done(struct tree *t);

/* Only nodes whose key is marked, and those on the way to them; NULL: all. */
void tree_filter(struct tree *t, const uint8_t *is_shown);

/* Folds or opens the node of a line, with all below it if `deep`. */
void tree_fold(struct tree *t, size_t line, int is_open, int deep);

/* The node under the cursor. */
uint32_t tree_at(const struct tree *t);

/* The line of a node's parent. */
size_t tree_parent_line(const struct tree *t, size_t line);

/* True when a visible sibling follows. */
int tree_has_next(const struct tree *t, uint32_t node);
int tree_has_children(const struct tree *t, uint32_t node);

#endif
