/*
 * From frames to their texts, for writers of text formats; the reverse of
 * frameread.h. The text of a frame is put together once and remembered, so
 * that the millionth line with the same frame costs a copy.
 */
#ifndef FORMAT_COMMON_FRAMEWRITE_H
#define FORMAT_COMMON_FRAMEWRITE_H

#include "core/textmemo.h"
#include "format/common/frametext.h"

/* Writes a frame, whose full name and file are given, to t. */
typedef void frame_put_fn(struct text *t, const struct bob_frame *f,
    struct bob_bytes name, struct bob_bytes file);

/* Begins with dict and put; the rest is 0. */
struct frame_writer {
	const struct bob_dict *dict;
	frame_put_fn *put;
	struct textmemo memo; /* by frame */
	struct frame_name name;
};

void frame_writer_done(struct frame_writer *fw);

/* The slow half of the function below: a frame whose text is not remembered. */
int frame_writer_put_new(struct frame_writer *fw, struct text *t, bob_fid id);

/* Writes frame `id` to t. BOB_OK or FATAL. */
static inline int
frame_writer_put(struct frame_writer *fw, struct text *t, bob_fid id)
{
	size_t n;
	const char *p = textmemo_get(&fw->memo, id, &n);

	if (p == NULL)
		return frame_writer_put_new(fw, t, id);
	text_bytes(t, p, n);
	return t->r;
}

#endif
