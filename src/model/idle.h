/*
 * Idle samples: the thread waited for work, not for an answer.
 *
 * Waiting for work: an accept loop, the queue of a pool, the selector of an
 * event loop, a join, php-fpm between requests. Waiting for an answer (a query,
 * curl, a lock, sleep inside a request) is what people look for, so it is never
 * idle.
 *
 * The stack decides, by the table of known functions in idle.c. It is looked at
 * from the outside in, once for each distinct stack; the verdict is remembered,
 * so a sample costs one load. The status of the sample can only take a verdict
 * back: a thread that is on a CPU or holds the GIL has work. A status without
 * these does not make a sample idle, because waiting for an answer looks the
 * same. That a thread waits for the GIL is not looked at: CPython's sampler
 * says it of threads that sleep.
 *
 * Names come from the trace and are compared whole (known.h). A trace that uses
 * these names for other functions has other samples taken as idle, and nothing
 * worse.
 *
 *     idle_init(&x, ctx, dict);
 *     r = idle_of(&x, run->stack, run->status, run->flags);   1, 0 or FATAL
 *     idle_done(&x);
 */
#ifndef MODEL_IDLE_H
#define MODEL_IDLE_H

#include "model/known.h"

/* What is known of a stack. All zeros: nothing yet. */
struct idle_state {
	uint8_t bits; /* enum idle_bits, in idle.c */
	uint8_t n_own; /* frames of the program since its thread began */
};

struct idle {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	struct known_ends python, php; /* of the tables in idle.c */
	struct idle_state *stack; /* by stack */
	uint8_t *frame;           /* by frame: enum idle_class + 1 */
	bob_stack *path;          /* scratch: from a stack to a known one */
	size_t cap_stack, cap_frame, cap_path;
};

void idle_init(struct idle *x, struct bob_ctx *ctx,
    const struct bob_dict *dict);
void idle_done(struct idle *x);

/* Decides a stack that idle_of has not seen. BOB_OK or FATAL. */
int idle_resolve(struct idle *x, bob_stack stack);

/* Bit of idle_state: the stack waits for work. */
#define IDLE_WAITS 0x80

/* Returns 1 if a thread of this status has work, whatever its stack. */
static inline int
idle_has_work(uint8_t status, uint8_t flags)
{
	return (flags & BOB_RUN_STATUS) != 0 &&
	    (status & (BOB_STATUS_ON_CPU | BOB_STATUS_HAS_GIL)) != 0;
}

/* Returns 1 if the status says that the thread was not on a CPU. */
static inline int
idle_is_by_status(uint8_t status, uint8_t flags)
{
	return (flags & BOB_RUN_STATUS) != 0 &&
	    (status & BOB_STATUS_UNKNOWN) == 0;
}

/* Returns what idle_of reads of a stack, to prefetch. */
static inline const void *
idle_slot(const struct idle *x, bob_stack stack)
{
	return stack < x->cap_stack ? &x->stack[stack] : NULL;
}

/* Returns 1 if a sample with this stack and status is idle, 0 if not, FATAL
 * without memory. `stack` must be one of the dictionary. */
static inline int
idle_of(struct idle *x, bob_stack stack, uint8_t status, uint8_t flags)
{
	if ((stack >= x->cap_stack || x->stack[stack].bits == 0) &&
	    idle_resolve(x, stack) < 0)
		return BOB_FATAL;
	return (x->stack[stack].bits & IDLE_WAITS) != 0 &&
	    !idle_has_work(status, flags);
}

#endif
