/*
 * One trace of phpspy's text, gathered line by line.
 */
#ifndef FORMAT_PHPSPY_TRACE_H
#define FORMAT_PHPSPY_TRACE_H

#include "core/lines.h"
#include "format/common/frameread.h"
#include "format/format.h"

struct trace {
	struct source *src;
	struct lines lines;
	struct frame_reader frames;
	bob_fid *frame; /* leaf first */
	struct bob_pair *pair;
	size_t cap_frame, cap_pair;
	size_t n_frames, n_pairs;
	uint64_t offset; /* of the line that began it */
	uint64_t pid, t_us;
	int has_pid, has_time;
	int is_empty; /* it says of itself that it has no frames */
};

int trace_init(struct trace *t, struct source *src);
void trace_done(struct trace *t);

/* Forgets the trace; what was learned about frames stays. */
void trace_clear(struct trace *t);

/*
 * Takes one more line that is not blank: a frame, a comment, or a whole trace
 * with TABs in it; then *ends becomes 1. A line that is none of them is a
 * warning. BOB_OK or FATAL.
 */
int trace_add_line(struct trace *t, const char *p, size_t n, int *ends);

/* The stack of all its frames. BOB_OK or FATAL. */
int trace_stack(struct trace *t, bob_stack *ret);

#endif
