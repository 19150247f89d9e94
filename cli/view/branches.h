/*
 * The call tree of a selection as rows: the children of a node, and those of
 * the nodes on the way to it. `way` has the keys of that way, outermost first,
 * with dots between them; keys keep their numbers when the input grows.
 *
 * Fields: samples, time_us, levels (from the outermost frames to the children
 * of the last node of the way that there is: n_nodes, and nodes, a flat list of
 * BRANCH_FIELDS numbers each, heaviest first), keys (by number).
 */
#ifndef CLI_VIEW_BRANCHES_H
#define CLI_VIEW_BRANCHES_H

#include <bobbin/profile.h>

#include "answers.h"

/* Of one node, and in one answer. */
#define BRANCH_NODES 500
#define BRANCH_LEVELS 2000

/* Numbers of a node: key, total, self, how many children. */
#define BRANCH_FIELDS 4

answer_fn answer_branches;

/* The child of a node that has a key; 0: none. */
uint32_t branch_child(const struct bob_tree_node *node, uint32_t i,
    uint32_t key);

/* Takes the next key of a way, and moves on. 0: the way ends, or is none. */
uint32_t branch_step(const char **way);

#endif
