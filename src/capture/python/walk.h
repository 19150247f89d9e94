/*
 * From a copy of a thread's frames to a stack that can be believed.
 *
 * The thread ran on while the copy was made. frames.h says which frames it had
 * at the moment that counts; what is given of them has been proven:
 *
 *  - it ends where the thread entered Python: at a mark of C without a caller
 *    (from 3.12 on), at the thread's own (3.15), or at a frame that is not a
 *    generator's, as those lose their caller when they are suspended;
 *  - frames of a chunk lie on each other without gaps;
 *  - the instruction of every frame lies in its own code;
 *  - where a function was entered without C between (from 3.11 on), its caller
 *    stands on an instruction that can do so;
 *  - of frames that were not copied at one moment, the one is known to call the
 *    other, from samples in which both were seen to stay (capture/calls.h). If
 *    the caller has gone on, it is put where it is known to make that call.
 *    Generators on top are looked at once more when it is not known; one that
 *    is below a function must mention it by its name, if others that call it
 *    do (mentions.h).
 *
 * Where code is made and freed all the time, the stack must also be the same
 * after its names were read.
 *
 * Reading again would prefer long calls to short ones, so it is done only when
 * nothing of this holds, and given up after some tries.
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
	uint8_t is_guessed; /* its caller is, or what is between them */
	uint8_t is_over;  /* it did not run any more when it was copied */
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

/* A frame that lies in no chunk, as it was. */
#define WALK_LINKS 64
struct py_walk_link {
	uint64_t at;
	uint8_t bytes[PY_MAX_FRAME];
};

/* A call, by where its frames are; 0: none. */
struct py_walk_call {
	uint64_t caller, callee;
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
	size_t n_loose; /* of them: on top, copied later than the others */
	int has_looked, has_stayed; /* once more at those: all as they were */
	struct py_walk_memo *memo;
	size_t n_memo, cap_memo;
	struct py_walk_link *link; /* WALK_LINKS, by address; NULL: none yet */
	uint64_t mark_from, mark_to; /* C's stack, as far as marks were seen */
	uint64_t *scan; /* live frames of the newest chunk, outermost first */
	size_t n_scan, cap_scan;
	uint64_t scan_end; /* where the next one would be */
	uint64_t told_top; /* of this scan, if it was asked for */
	int has_told;
	uint64_t root;  /* the outermost frame of the last stack */
	struct py_walk_call doubted, watched; /* see witness.h */
	int is_paused;  /* the thread is stopped: nothing can change */
	int is_calm;    /* nothing changed while it was copied */
	int is_same;    /* one frame was current before and after */
	int with_dead;  /* calls that are over count */
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
