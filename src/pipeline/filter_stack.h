/*
 * What a filter makes of stacks: hide, match, no-line. It is a function of the
 * stack alone, so it is computed once per stack and once per frame, and
 * remembered.
 *
 * The image of a stack is the image of its parent with the image of its frame
 * on top, unless the frame is hidden. Images are their own images, so filtering
 * twice changes nothing.
 */
#ifndef PIPELINE_FILTER_STACK_H
#define PIPELINE_FILTER_STACK_H

#include <bobbin/filter.h>

#include "model/dict.h"

struct pattern;

enum stack_fate_bits {
	FATE_KNOWN = 1 << 0,
	FATE_HIDDEN = 1 << 1, /* of frames */
	FATE_MATCHES = 1 << 2 /* of stacks: some frame does */
};

/* What becomes of a frame or a stack. */
struct stack_fate {
	uint32_t to;
	uint32_t bits;
};

struct stack_filter {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct pattern *hide, *match; /* NULL: not asked for */
	int no_line;
	struct stack_fate *frame, *stack; /* by id */
	bob_stack *path; /* scratch: from a stack to a known ancestor */
	char *text;      /* scratch: what patterns are matched against */
	size_t cap_frame, cap_stack, cap_path, cap_text;
};

/* BOB_OK or FAILED; stack_filter_done releases in both cases. */
int stack_filter_init(struct stack_filter *f, struct bob_ctx *ctx,
    const struct bob_filter *spec, struct bob_dict *dict);
void stack_filter_done(struct stack_filter *f);

/* True when there is anything to do. */
static inline int
stack_filter_is_on(const struct stack_filter *f)
{
	return f->hide != NULL || f->match != NULL || f->no_line;
}

/* Computes f->stack[s], which has FATE_KNOWN from then on. BOB_OK or FATAL. */
int stack_filter_resolve(struct stack_filter *f, bob_stack s);

/* Replaces *s by its image. Returns 1 to keep the sample, 0 to drop it, or
 * FATAL. */
static inline int
stack_filter_map(struct stack_filter *f, bob_stack *s)
{
	struct stack_fate fate;

	if ((*s >= f->cap_stack || !(f->stack[*s].bits & FATE_KNOWN)) &&
	    stack_filter_resolve(f, *s) < 0)
		return BOB_FATAL;
	fate = f->stack[*s];
	/* A stack of which hide has left nothing is no sample; one that was
	 * empty before is. */
	if (f->match != NULL ? !(fate.bits & FATE_MATCHES) :
	    fate.to == 0 && *s != 0)
		return 0;
	*s = fate.to;
	return 1;
}

#endif
