/*
 * Slices out of samples: a function is taken to run from the first sample that
 * has it on the stack until the first one that has not. Slices of a lane are
 * strictly nested: a slice ends when one that it lies in ends.
 *
 *     slices_sample(&s, &lane, stack, at, period);
 *     ...
 *     slices_close(&s, &lane, end);
 *
 * What is still open is all that is in memory. Slices are written when they
 * end, those of one end from the outermost in.
 *
 * A stack that changes ends a dozen slices, so they are what this writes fast:
 * a slice is two copies into the output, its times and its function. Times are
 * put into digits once for all slices that begin and end together.
 */
#ifndef FORMAT_CHROME_SLICES_H
#define FORMAT_CHROME_SLICES_H

#include "core/text.h"
#include "core/textmemo.h"
#include "format/common/functions.h"

/* Silence of more periods than that ends all slices. */
#define SLICES_MAX_GAP 10

/* What a slice begins with: up to the time at most 60 bytes, with both times
 * 109. A copy of all of it is cheaper than one of the right length. */
#define SLICES_MAX_WHO 64
#define SLICES_MAX_HEAD 112

/* A thread. */
struct slices_lane {
	bob_stack stack;  /* of fns->own: what is open */
	int64_t *start;   /* by depth, from 0 */
	size_t cap_start;
	int64_t last;     /* time of the last sample */
	uint8_t n_who;    /* 0: not named yet */
	char who[SLICES_MAX_WHO]; /* a slice's text, up to its time */
};

/* The text of a slice up to its function. */
struct slices_head {
	size_t n;
	char p[SLICES_MAX_HEAD];
};

struct slices {
	struct bob_ctx *ctx;
	const struct functions *fns; /* with stacks of functions */
	struct out *out;
	struct text text;     /* room */
	struct slices_head head; /* of the slice at hand */
	struct textmemo memo; /* by function: the end of a slice's line */
	uint32_t *path;       /* functions of a stack, root first */
	size_t cap_path;
};

void slices_done(struct slices *s);

/* Says who the thread is; before its first sample. */
void slices_name(struct slices_lane *l, uint32_t pid, uint32_t tid);

/* A sample at a time that is not before the lane's last. BOB_OK or FATAL. */
int slices_sample(struct slices *s, struct slices_lane *l, bob_stack stack,
    int64_t at, uint64_t period);

/* Ends all that is open. */
int slices_close(struct slices *s, struct slices_lane *l, int64_t end);

#endif
