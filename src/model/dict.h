/*
 * The inside of the dictionary: an array by id and a hash table for each kind
 * of entry. The public functions are in bobbin/model.h; hot code reads the
 * arrays directly. dict.c checks the invariants in debug builds (dict_check).
 *
 * Invariants:
 * 1. Arrays only grow; an id keeps its meaning.
 * 2. node[0] is the empty stack; node[i].parent < i.
 * 3. The frame of a stack was put before it, unless the dictionary's owner
 *    uses numbers of its own with dict_push_path. Strings of frames,
 *    tracks and pairs are what the caller gave: they may be ids that were
 *    never given out, so outputs read them with bob_str_get.
 * 4. node[i].child is the first stack that was pushed on stack i, or 0. Only
 *    the other children are in by_node: most stacks have one child, which is
 *    found without a hash. Stacks from first_fresh on are not in by_node yet;
 *    index_fresh adds them before the next lookup.
 * Hashes are seeded per dictionary, so that crafted input cannot aim at one
 * slot. Ids depend only on the order of puts.
 */
#ifndef MODEL_DICT_H
#define MODEL_DICT_H

#include <string.h>

#include <bobbin/model.h>

#include "core/mem.h"
#include "model/intern.h"

struct dict_annot {
	uint32_t first, n; /* pairs */
};

/* A stack: everything that pushing reads. Four fit into a cache line. */
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

/* Counts the work of puts, for fuzzers: it finds readers whose work per byte of
 * input has no bound. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define DICT_WORK(d, n) ((void)((d)->work += (n)))
#else
#define DICT_WORK(d, n) ((void)0)
#endif

/* Returns 1 if the bytes are those of `text`. */
static inline int
bytes_are(struct bob_bytes s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* Pushes n frames on `parent`; frame[0] is the innermost one and is pushed
 * last. `parent` must be valid; frames are not looked up. Returns the stack, or
 * BOB_NO_ID on failure. */
bob_stack dict_push_path(struct bob_dict *d, bob_stack parent,
    const bob_fid *frame, size_t n);

/* Pushes a frame on a stack that is known not to have this child: without a
 * lookup, and so without a hash. All ids must be valid. */
bob_stack dict_push_fresh(struct bob_dict *d, bob_stack parent, bob_fid frame);

/*
 * Puts all entries of `from` into `into`. The caller allocates the maps, with
 * one entry per id of `from` (bob_dict_counts); they are filled with the ids in
 * `into`. annot_map and track_map may be NULL. All strings that `from` refers
 * to must exist, as in dictionaries that readers have filled. Returns BOB_OK or
 * FATAL.
 */
int dict_merge(struct bob_dict *into, const struct bob_dict *from,
    bob_stack *stack_map, bob_tid *track_map, bob_annot *annot_map);

#endif
