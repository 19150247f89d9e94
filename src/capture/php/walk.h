/*
 * From a copy of the stack to a stack that can be believed.
 *
 * The process ran on while the copy was made, so frames on top may have
 * returned, and their memory may already be prepared for the next call. What
 * is given has been proven:
 *
 *  - it begins where PHP begins something: with a frame that was entered from
 *    C and has no caller;
 *  - frames of a page lie strictly above their callers;
 *  - the opline of every caller lies in its own function;
 *  - where a frame was entered by an opcode, its caller stands on one that
 *    calls. One that does not is on top itself: what seemed to be above it
 *    has returned, and is dropped.
 *
 * The frame to begin with is the one that was current right before the copy.
 * When the process has gone on since, its callers may stand elsewhere. Then
 * the frames are still taken if each is known to call the next: from samples
 * during which the current frame did not change. A caller that went on to its
 * next call meanwhile is told where it stood in those samples, when that was
 * one place. Only what is left is dropped, read again, and given up after some
 * tries: a sampler that retries at once prefers long calls to short ones.
 */
#ifndef CAPTURE_PHP_WALK_H
#define CAPTURE_PHP_WALK_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/model.h>

#include "capture/calls.h"
#include "capture/php/copy.h"
#include "capture/php/names.h"
#include "capture/php/slots.h"

struct walk_frame {
	uint64_t ex, func, opline;
	uint32_t info; /* type_info of This: how it was entered */
	uint32_t n_args;
	uint32_t is_waiting; /* a generator, in `yield from` */
};

/* A frame of the sample before, from the outermost on. */
struct walk_memo {
	uint64_t ex, func, opline;
	uint32_t function; /* index in names */
	uint8_t opcode;
	uint8_t is_internal;
	bob_stack stack;
};

struct walk {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct copy *copy;
	struct names *names;
	const struct php_offsets *o;
	uint32_t max_depth;
	struct walk_frame *frame; /* innermost first */
	size_t n_frame, cap_frame;
	struct walk_memo *memo;
	size_t n_memo, cap_memo;
	struct calls calls; /* by index in names; a place is a frame */
	struct slots slots;
	struct ptrmap seen; /* proven stacks, by current frame and end */
	uint32_t generation; /* of the names that the memo refers to */
	int is_stopped; /* the process does not run while it is read */
	/* The frame that PHP's loop runs and where it stands in it, from the
	 * registers of a process that is stopped; 0: not known. */
	uint64_t run_frame, run_opline;
	uint64_t end;   /* of the stack when the frame was current, or 0 */
	int is_calm;    /* the current frame was the same all the time */
	int may_repair; /* what has returned may be dropped */
	/* Of the last stack: its top, as an index and as a place, and how many
	 * frames it has. */
	size_t top;
	struct php_place place;
	size_t depth;
	bob_stack stack;
	bob_stack known; /* what was seen before in place of it, or 0 */
	int is_repaired, is_cut;
};

void walk_init(struct walk *w, struct bob_ctx *ctx, struct bob_dict *dict,
    struct copy *copy, struct names *names, uint32_t max_depth);
void walk_done(struct walk *w);

/* Forgets the ids of the sample before. */
void walk_forget(struct walk *w);

#define WALK_OK (-1)
#define WALK_FATAL (-2)

/* Proves the stack of the copy that was taken: WALK_OK and w->stack, the
 * reason why it cannot be (enum bob_lost), or WALK_FATAL. */
int walk_prove(struct walk *w);

#endif
