/*
 * From frame texts to stacks, for readers of text formats. Each distinct text
 * is parsed once and remembered, so that the millionth line with the same frame
 * costs one hash. Of a stack, only the frames are pushed in which it differs
 * from the stack before.
 */
#ifndef FORMAT_COMMON_FRAMEREAD_H
#define FORMAT_COMMON_FRAMEREAD_H

#include <bobbin/model.h>

#include "format/common/frametext.h"

struct frame_reader {
	struct bob_dict *dict; /* where frames and stacks go */
	struct bob_dict *seen; /* texts seen, as its strings */
	bob_fid *fid;          /* by id of the text; 0: not a frame */
	char *buf;
	bob_fid *path;    /* frames of the last stack, root first */
	bob_stack *stack; /* the stack that ends with path[i] */
	size_t cap_fid, cap_buf, cap_path, cap_stack;
	size_t depth; /* valid entries of path and stack */
};

int frame_reader_init(struct frame_reader *fr, struct bob_ctx *ctx,
    struct bob_dict *dict);
void frame_reader_done(struct frame_reader *fr);

typedef int frame_split_fn(const char *p, size_t n, struct frame_words *ret);

/*
 * Returns the frame of a text, which `split` takes apart; it must be the same
 * function in all calls. 0: the text is no frame; BOB_NO_ID: out of memory.
 */
bob_fid frame_reader_get(struct frame_reader *fr, const char *p, size_t n,
    frame_split_fn *split);

/*
 * Adds frame number `depth` of a stack; the root is 0, and none may be left
 * out. *ret is the stack so far. BOB_OK or FATAL.
 */
int frame_reader_push(struct frame_reader *fr, size_t depth, bob_fid frame,
    bob_stack *ret);

#endif
