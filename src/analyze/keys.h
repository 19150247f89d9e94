/*
 * Keys: the groups of frames or samples, and the tree of stacks after grouping.
 * The profile keeps one struct keys for each kind of grouping and extends it
 * when it grows, so that views share the work.
 *
 * Keys are the frames, and grouped stacks the stacks, of a dictionary (`own`).
 * So node[i].parent < i holds for grouped stacks too.
 */
#ifndef ANALYZE_KEYS_H
#define ANALYZE_KEYS_H

#include <bobbin/profile.h>

#include "analyze/rows.h"
#include "analyze/shape.h"
#include "format/common/frametext.h"
#include "model/dict.h"
#include "model/labels.h"

/* Where the parts of a key are in its text: offsets and lengths. */
struct key_parts {
	uint32_t name_len, file_at, file_len, opcode_at, opcode_len;
	int64_t line;
	uint8_t has_line, lang;
	bob_fid frame;
	bob_str module; /* in `own` */
};

/* of_stack: the shape leaves out samples with this stack. */
#define KEYS_OUT (BOB_NO_ID - 1)

struct keys {
	struct keys *next; /* of the profile's other groupings */
	struct bob_ctx *ctx;
	struct bob_dict *from;
	struct labels *labels; /* the profile's */
	int group;       /* enum bob_group */
	uint32_t flags;  /* enum bob_view_flags */
	char *annotation; /* BOB_GROUP_ANNOTATION: its key, else NULL */
	struct shape shape; /* with a shape, keys live as long as their views */
	size_t n_views;
	uint8_t *role; /* by frame: enum shape_role; only with a shape */
	size_t cap_role;
	struct bob_dict *own;    /* keys and grouped stacks */
	struct key_parts *parts; /* by key */
	uint32_t *of_frame;      /* by frame: its key; 0: not known yet */
	bob_stack *of_stack;     /* by stack: the grouped stack */
	uint8_t *is_inner; /* by grouped stack: its key is also an outer one of
	                    * the stack (recursion) */
	size_t cap_parts, cap_of_frame, cap_of_stack, cap_is_inner;
	uint32_t n_stack, n_inner; /* how many of_stack, is_inner are valid */
	struct frame_name name;
	char *text; /* scratch */
	size_t len, cap_text;
};

/* Returns NULL without memory. Borrows from and labels. */
struct keys *keys_new(struct bob_ctx *ctx, struct bob_dict *from,
    struct labels *labels, const struct bob_view_opts *opts);
void keys_free(struct keys *k);

/* True if these keys are of the grouping in `opts`. */
int keys_fit(const struct keys *k, const struct bob_view_opts *opts);

/* True if keys are properties of frames, not of samples. */
int keys_are_frames(const struct keys *k);

/* Returns the key with the text in k->text, new or old; 0 without memory. */
uint32_t keys_put(struct keys *k, const struct key_parts *parts);

/* Adds the new frames and stacks of the dictionary. Returns BOB_OK or FATAL. */
int keys_update(struct keys *k);

/* Returns the grouped stack of a row, which may be KEYS_OUT; BOB_NO_ID without
 * memory. `stack` is the row's stack after hiding frames, and was there at the
 * last keys_update. Call keys_settle after the last row. */
bob_stack keys_of_row(struct keys *k, const struct row *row, bob_stack stack);

/* Sets is_inner for new grouped stacks. Returns BOB_OK or FATAL. */
int keys_settle(struct keys *k);

static inline struct bob_bytes
keys_text(const struct keys *k, uint32_t key)
{
	return k->own->str[k->own->frame[key].name];
}

#endif
