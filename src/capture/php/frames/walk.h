/*
 * Proves the stack in a copy: follows the frames from the current one to the
 * outermost, and checks that they can have been the stack at one moment.
 *
 * The process ran on while the copy was made. So the innermost frames may have
 * returned since, and their memory may already hold a frame that is being
 * prepared for the next call. A stack that walk_prove() gives keeps these
 * rules:
 *
 *  1. Its outermost frame was entered from C and has no caller.
 *  2. A frame lies above its caller, if both are in the page.
 *  3. The opline of each caller lies in its own function.
 *  4. A frame that was entered by an opcode has a caller whose opline calls. If
 *     the caller's does not, the callee has returned: it is dropped, and the
 *     caller is the top.
 *
 * The walk begins with the frame that was current right before the copy. If the
 * process has run on since, callers may be at other oplines. The frames are
 * taken all the same when each function is known to call the next one; that was
 * learned from samples during which the current frame did not change
 * (repair.h). A caller that has gone on gets the line from which it is known to
 * make the call. Everything else is dropped and read again, a few times only: a
 * sampler that retries until it succeeds sees long calls too often.
 */
#ifndef CAPTURE_PHP_FRAMES_WALK_H
#define CAPTURE_PHP_FRAMES_WALK_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/model.h>

#include "capture/calls.h"
#include "capture/php/frames/copy.h"
#include "capture/php/frames/names.h"
#include "capture/php/frames/slots.h"

/* A frame as it was copied: a zend_execute_data. */
struct walk_frame {
	uint64_t ex, func, opline;
	uint32_t info; /* type_info of This: how it was entered */
	uint32_t n_args;
	uint32_t is_waiting; /* a generator, in `yield from` */
};

/* A named frame. They are kept from the outermost on, and compared with those
 * of the next sample: what is the same needs no name again. */
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
	struct calls calls; /* functions are indices of names; a place is the
	                     * bob_fid of the caller's frame */
	struct slots slots;
	struct ptrmap seen; /* proven stacks, by current frame and end */
	uint32_t generation; /* of the names that the memo refers to */
	int is_stopped; /* the thread is stopped while it is read */
	/* Of a stopped thread: the frame that PHP's loop executes, and its
	 * opline, from registers; 0: not known. */
	uint64_t run_frame, run_opline;
	uint64_t end;   /* of the used page when the frame was current; 0: not
	                 * known, or the thread is stopped */
	int is_calm;    /* current frame and end were the same before and after
	                 * the copy */
	int may_repair; /* frames that have returned may be dropped */
	/* The last stack: index of its top in `frame`, the place of the top,
	 * and the number of frames that have a name. */
	size_t top;
	struct php_place place;
	size_t depth;
	bob_stack stack;
	bob_stack known; /* a proven stack to take instead; 0: none */
	int is_repaired, is_cut;
	int is_inferred; /* it called or returned while it was copied */
};

void walk_init(struct walk *w, struct bob_ctx *ctx, struct bob_dict *dict,
    struct copy *copy, struct names *names, uint32_t max_depth);
void walk_done(struct walk *w);

/* Forgets all ids of the dictionary. */
void walk_forget(struct walk *w);

#define WALK_OK (-1)
#define WALK_FATAL (-2)

/* Proves the stack in w->copy. Returns WALK_OK and sets w->stack; the reason
 * why it cannot be proven (enum bob_lost, 0 or more); or WALK_FATAL. */
int walk_prove(struct walk *w);

#endif
