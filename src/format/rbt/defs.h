/*
 * What a segment has defined so far: strings, frames and stacks by the file's
 * ids, and how their events are decoded.
 *
 * As in reli's reader, a frame takes its strings when it is defined, but a
 * stack takes its frames when it is sampled: redefining a frame changes the
 * stacks that name it, and a stack may name frames that come later. So a
 * stack keeps its frame ids as written, and what it resolved to is valid for
 * one generation of frames only.
 *
 * An entry of `stack` that has been resolved never changes again: a stack
 * that is redefined, or resolves anew, gets another entry. So whatever is kept
 * by entry (the reader's sums) stays true until defs_clear.
 */
#ifndef FORMAT_RBT_DEFS_H
#define FORMAT_RBT_DEFS_H

#include "core/mem.h"
#include "format/rbt/changes.h"
#include "format/rbt/idmap.h"
#include "model/dict.h"

struct rbt_stack {
	const uint8_t *ids; /* `depth` varints in the arena, leaf first */
	const uint8_t *end;
	uint32_t depth;
	uint32_t generation; /* of frames that `stack` was made from; 0 none */
	bob_stack stack;
};

struct rbt_defs {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct idmap strings; /* -> bob_str */
	struct idmap frames;  /* -> bob_fid */
	struct idmap stacks;  /* -> entry of stack */
	struct idmap tracks;  /* number in samples -> bob_tid, as far as seen */
	struct rbt_stack *stack;
	size_t cap_stack, n_stack;
	struct arena arena;
	struct rbt_changes changes;
	enum bob_lang lang;  /* of frames that are defined and not native */
	uint32_t generation; /* from 1; counts redefinitions of frames */
	uint64_t rework;     /* frames resolved again after that, in all
	                      * segments */
	uint64_t n_bytes;    /* of frames and stacks, in all segments */
	bob_fid *scratch;
	size_t cap_scratch;
	struct bob_pair *pairs;
	size_t cap_pairs;
	char *name; /* of a track, while it is unescaped */
	size_t cap_name;
	char why[256]; /* what is wrong, when a function returns BOB_FAILED */
};

int defs_init(struct rbt_defs *d, struct bob_ctx *ctx, struct bob_dict *dict);
void defs_done(struct rbt_defs *d);

/* A new segment: everything is undefined again. */
void defs_clear(struct rbt_defs *d);

/*
 * Decode the payload [p, end) of a definition. BOB_OK; BOB_FAILED with the
 * reason in d->why; FATAL when memory is out.
 */
int defs_string(struct rbt_defs *d, const uint8_t *p, const uint8_t *end);
int defs_frame(struct rbt_defs *d, const uint8_t *p, const uint8_t *end);
int defs_stack(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    uint64_t *ret_id);
int defs_annotation(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    bob_annot *ret);

/* The same for metadata; BOB_EOF when it was about a track, a language or
 * annotations and there is nothing to hand on. */
int defs_metadata(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    bob_str *key, bob_str *value);

/* Gives the track of a number in a sample: a pid, unless metadata has said
 * something else. BOB_OK or FATAL. */
int defs_track(struct rbt_defs *d, uint64_t number, bob_tid *ret);

/* Gives the resolved entry of a stack id. Returns as above. */
int defs_resolve(struct rbt_defs *d, uint64_t id, uint32_t *ret_entry);

/* True when frames were redefined, so that stacks must be resolved at each
 * sample. */
static inline int
defs_are_fluid(const struct rbt_defs *d)
{
	return d->generation != 1;
}

#endif
