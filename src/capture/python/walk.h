/*
 * From a copy of a thread's frames to a stack that can be believed.
 *
 * The thread ran on while the copy was made, so frames on top may have
 * returned, and their memory may already be another call's. What is given has
 * been proven:
 *
 *  - it ends where the thread entered Python: at a mark of C without a caller
 *    (from 3.12 on), at the thread's own (3.15), or at a frame that is not a
 *    generator's, as those lose their caller when they are suspended;
 *  - frames of a chunk lie on each other without gaps; where one does not,
 *    it is left from another call, and is dropped with what is above it;
 *  - the instruction of every frame lies in its own code;
 *  - where a function was entered without C between (from 3.11 on), its caller
 *    stands on an instruction that can do so. One that does not is on top
 *    itself: what seemed to be above it has returned, and is dropped.
 *
 * Where code is made and freed all the time, the stack must also be the same
 * after its names were read.
 *
 * What cannot be proven is read again, and given up after some tries. Which
 * frame is current is known right before and right after the copy. The sample
 * is that of the moment before, so that a call that begins meanwhile is left
 * out as often as one that ends meanwhile is kept; the moment after counts
 * when the one before cannot be proven.
 */
#ifndef CAPTURE_PYTHON_WALK_H
#define CAPTURE_PYTHON_WALK_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/model.h>

#include "capture/python/code.h"
#include "capture/python/copy.h"

struct py_walk_frame {
	uint64_t at, code, instr, previous;
	uint32_t copy;   /* of the code */
	int16_t chunk;   /* it is in; -1: in none */
	uint8_t is_entry; /* it was entered from C */
	uint8_t runs_gc;
	uint64_t mark;    /* what C left on its stack when it entered; or 0 */
};

/* A frame of the sample before, from the outermost on. */
struct py_walk_memo {
	uint64_t at, code, instr, previous;
	uint32_t copy, index; /* index: in codes */
	int64_t unit;
	uint8_t is_entry, runs_gc;
	bob_stack stack;
};

struct py_walk {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct py_copy *copy;
	struct py_codes *codes;
	const struct py_offsets *o;
	uint32_t max_depth;
	int with_native;
	bob_fid gc_frame, native_frame; /* marks; 0: not put yet */
	struct py_walk_frame *frame; /* innermost first */
	size_t n_frame, cap_frame;
	struct py_walk_memo *memo;
	size_t n_memo, cap_memo;
	uint32_t epoch, generation; /* of the codes that the memo refers to */
	/* Of the last stack. */
	bob_stack stack;
	int is_repaired, is_cut;
	int is_unsure; /* it holds code that may be gone by now */
};

void py_walk_init(struct py_walk *w, struct bob_ctx *ctx, struct bob_dict *dict,
    struct py_copy *copy, struct py_codes *codes, uint32_t max_depth);
void py_walk_done(struct py_walk *w);

/* Forgets the ids of the sample before; from here on they are of `dict`. */
void py_walk_forget(struct py_walk *w, struct bob_dict *dict);

#define WALK_OK (-1)
#define WALK_FATAL (-2)
#define WALK_IDLE (-3) /* no function of Python runs */

/* Proves the stack of the copy that was taken: WALK_OK and w->stack,
 * WALK_IDLE, the reason why it cannot be (enum bob_lost), or WALK_FATAL. The
 * last time a part of the stack is better than none. */
int py_walk_prove(struct py_walk *w, int is_last);

#endif
