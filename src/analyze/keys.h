/*
 * Keys: what frames or samples are grouped by, and the tree of stacks after
 * grouping. Made once per kind of grouping, kept by the profile and extended
 * when the profile has grown, so that a view costs nothing for what an earlier
 * one has found out.
 *
 * Keys are the frames, and grouped stacks the stacks, of a dictionary of their
 * own: node[i].parent < i holds for it as for any.
 */
#ifndef ANALYZE_KEYS_H
#define ANALYZE_KEYS_H

#include <bobbin/profile.h>

#include "analyze/rows.h"
#include "format/frametext.h"
#include "model/dict.h"
#include "model/labels.h"

/* Where the parts of a key are in its text. */
struct key_parts {
	uint32_t name_len, file_at, file_len, opcode_at, opcode_len;
	int64_t line;
	uint8_t has_line, lang;
	bob_fid frame;
};

struct keys {
	struct keys *next; /* of the profile's other groupings */
	struct bob_ctx *ctx;
	struct bob_dict *from;
	struct labels *labels; /* the profile's */
	int group;       /* enum bob_group */
	uint32_t flags;  /* enum bob_view_flags */
	char *annotation; /* NULL: not grouped by one */
	struct bob_dict *own;
	struct key_parts *parts; /* by key */
	uint32_t *of_frame;      /* by frame: its key; 0 unknown yet */
	bob_stack *of_stack;     /* by stack: the grouped one */
	uint8_t *is_inner; /* by grouped stack: its key is further out too */
	size_t cap_parts, cap_of_frame, cap_of_stack, cap_is_inner;
	uint32_t n_stack, n_inner; /* known so far */
	struct frame_name name;
	char *text; /* scratch */
	size_t len, cap_text;
};

/* NULL without memory. */
struct keys *keys_new(struct bob_ctx *ctx, struct bob_dict *from,
    struct labels *labels, const struct bob_view_opts *opts);
void keys_free(struct keys *k);

/* True when these are the keys that a view asks for. */
int keys_fit(const struct keys *k, const struct bob_view_opts *opts);

/* True when keys belong to frames, not to samples. */
int keys_are_frames(const struct keys *k);

/* Takes in what the dictionary has got since. BOB_OK or FATAL. */
int keys_update(struct keys *k);

/* The grouped stack of a sample; `stack` may differ from the row's, by what
 * was hidden. BOB_NO_ID without memory. Call keys_settle when done. */
bob_stack keys_of_row(struct keys *k, const struct row *row, bob_stack stack);

/* Finds out is_inner for what is new. BOB_OK or FATAL. */
int keys_settle(struct keys *k);

static inline struct bob_bytes
keys_text(const struct keys *k, uint32_t key)
{
	return k->own->str[k->own->frame[key].name];
}

#endif
