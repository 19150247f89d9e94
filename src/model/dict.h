/*
 * Inside of the dictionary: flat arrays by id, and one hash table each. The
 * public functions are in bobbin/model.h; hot code reads the arrays directly.
 *
 * Invariants:
 * 1. Arrays only grow; an id, once given, always means the same.
 * 2. node[0] is the empty stack; node[i].parent < i.
 * 3. Everything an entry refers to was put before it.
 * 4. node[i].child is the stack that was first pushed on stack i, or 0; only
 *    the others are in by_node. Most stacks have one child, found without a
 *    hash, and what is pushed on a new stack is new. From first_fresh on they
 *    get there when the next one is looked for.
 * Hashes are seeded per dictionary, so that crafted input cannot aim at one
 * bucket; ids depend only on the order of puts.
 */
#ifndef MODEL_DICT_H
#define MODEL_DICT_H

#include <bobbin/model.h>

#include "core/mem.h"
#include "model/intern.h"

struct dict_annot {
	uint32_t first, n; /* pairs */
};

/* A stack. What pushing looks at is together: a cache line holds four. */
struct dict_node {
	bob_stack parent;
	bob_fid frame;
	uint32_t depth;
	bob_stack child;
};

struct bob_dict {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct arena text;

	struct bob_bytes *str;
	struct bob_frame *frame;
	struct dict_node *node;
	struct bob_track *track;
	struct dict_annot *annot;
	struct bob_pair *pair;
	size_t cap_str, cap_frame, cap_node, cap_track, cap_annot, cap_pair;
	struct bob_counts n;
	uint32_t n_pair;
	bob_stack first_fresh; /* 0: by_node has all of them */

	struct intern by_str, by_frame, by_node, by_track, by_annot;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	uint64_t work; /* bytes hashed and frames walked */
#endif
};

/* What putting something costs, for fuzzers: readers whose work for each byte
 * of input has no bound are found by it. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define DICT_WORK(d, n) ((void)((d)->work += (n)))
#else
#define DICT_WORK(d, n) ((void)0)
#endif

/* Pushes n frames on `parent`, the last of them first: they are listed as
 * stacks are walked, leaf first. BOB_NO_ID on failure. */
bob_stack dict_push_path(struct bob_dict *d, bob_stack parent,
    const bob_fid *frame, size_t n);

/* Pushes a frame on a stack that is known not to have it: what is not looked
 * for costs no hash. Ids are of this dictionary. */
bob_stack dict_push_fresh(struct bob_dict *d, bob_stack parent, bob_fid frame);

/*
 * Puts everything of `from` into `into`. Maps are allocated by the caller
 * with one entry per id of `from` (bob_dict_counts) and filled in; annot_map
 * and track_map may be NULL.
 */
int dict_merge(struct bob_dict *into, const struct bob_dict *from,
    bob_stack *stack_map, bob_tid *track_map, bob_annot *annot_map);

#endif
