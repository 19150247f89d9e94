/*
 * The flame graph of a selection: the nodes that are wide enough to be seen.
 *
 * The tree itself has all nodes and stays here. The page asks for the part
 * below one node (`root`, 0: all) at a width in pixels (`px`), and gets each
 * node that is at least a third of a pixel wide, at most FLAME_NODES of them,
 * widest parents first. What is left out is inside its parent's width.
 *
 * Nodes have other numbers once the input has grown; keys keep theirs. So a
 * page may also name the root by the keys of its path (`way`: numbers with dots
 * between them, outermost first); then `root` is not looked at.
 */
#ifndef CLI_VIEW_FLAME_H
#define CLI_VIEW_FLAME_H

#include "answers.h"

#define FLAME_NODES 50000

/* Fields: samples, root (the path to it: a list of nodes), nodes (a flat list
 * of FLAME_FIELDS numbers each), keys (by number), is_cut. */
answer_fn answer_flame;

/* Numbers of a node: id, depth below root, key, samples before it, total,
 * self. */
#define FLAME_FIELDS 6

#endif
