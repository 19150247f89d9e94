/*
 * Proves the stack of a thread from a copy of its frames, and names it.
 *
 * The thread ran on while the copy was made. frames.h collects the frames that
 * it had at the moment of the sample. A stack is given only if:
 *
 *  - it ends where the thread entered Python: at a mark of C without a caller
 *    (from 3.12 on), at the base frame of the thread (3.15), or at a frame that
 *    is not a generator's (a generator loses its caller when it is suspended);
 *  - frames of a chunk lie one behind the other without gaps;
 *  - the instruction of every frame lies in its own code;
 *  - if a function was entered directly, without C between (from 3.11 on), its
 *    caller stands on an instruction that can enter a function;
 *  - if two frames were not copied at one moment, the one is known to call the
 *    other from samples in which both stayed (capture/calls.h). If the caller
 *    has gone on, it gets the place from which it is known to make the call. If
 *    the call is not known: generators on top are read again; a generator below
 *    a function must mention it by name, if others that call it do
 *    (mentions.h).
 *
 * If code is made and freed all the time, the stack must also be the same after
 * its names were read.
 *
 * Reading a stack again would prefer long calls to short ones. So that is done
 * only if the stack cannot be proven, and only a few times.
 */
#ifndef CAPTURE_PYTHON_FRAMES_WALK_H
#define CAPTURE_PYTHON_FRAMES_WALK_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/model.h>

#include "capture/python/code/code.h"
#include "capture/python/frames/copy.h"

struct py_walk_frame {
	uint64_t at, code, instr, previous;
	uint32_t copy;   /* index in co_tlbc */
	int16_t chunk;   /* index of its chunk; -1: in none */
	uint8_t is_entry; /* it was entered from C */
	uint8_t runs_gc;  /* the GC runs in it */
	uint8_t is_guessed; /* its caller is not sure */
	uint8_t is_over;  /* it did not run any more when it was copied */
	uint64_t mark;    /* address of the mark of C below it; or 0 */
};

/* A frame of the last stack that was named. */
struct py_walk_memo {
	uint64_t at, code, instr, previous;
	uint32_t copy, index; /* index: of its code object */
	int64_t unit;
	uint8_t is_entry, runs_gc;
	bob_stack stack;      /* ends with this frame */
};

/* A frame or mark that lies in no chunk, as it was: links.h. */
#define WALK_LINKS 64
struct py_walk_link {
	uint64_t at;
	uint8_t bytes[PY_MAX_FRAME];
};

/* A call, by the addresses of its frames; 0: none. */
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
	bob_fid gc_frame, native_frame; /* <GC>, <native>; 0: not made yet */
	struct py_walk_frame *frame; /* innermost first */
	size_t n_frame, cap_frame;
	size_t n_loose; /* the first ones, copied later than the others */
	int has_looked, has_stayed; /* they were read again; were the same */
	struct py_walk_memo *memo; /* outermost first */
	size_t n_memo, cap_memo;
	struct py_walk_link *link; /* WALK_LINKS of them; NULL: none yet */
	uint64_t mark_from, mark_to; /* where marks of C were seen */
	uint64_t *scan; /* live frames of the newest chunk, outermost first */
	size_t n_scan, cap_scan;
	uint64_t scan_end; /* the address behind the last one */
	uint64_t told_top; /* innermost one by the current frame; or 0 */
	int has_told;      /* told_top is set */
	int top_runs;      /* the innermost one ran, and called nothing */
	uint64_t root;  /* the outermost frame of the last stack */
	struct py_walk_call doubted, watched; /* witness.h */
	int is_paused;  /* the thread is stopped: nothing changes */
	int is_calm;    /* nothing changed while it was copied */
	int is_same;    /* the current frame was the same after the copy */
	int with_dead;  /* frames whose call is over are collected too */
	uint32_t epoch, generation; /* of the codes when memo was made */
	/* Of the last stack. */
	bob_stack stack;
	int is_repaired, is_cut;
	int is_inferred; /* it called or returned while it was copied */
	int is_unsure; /* it has code that may be freed by now */
};

void py_walk_init(struct py_walk *w, struct bob_ctx *ctx, struct bob_dict *dict,
    struct py_copy *copy, struct py_codes *codes, uint32_t max_depth);
void py_walk_done(struct py_walk *w);

/* Forgets the ids of the sample before. New ones are of `dict`. */
void py_walk_forget(struct py_walk *w, struct bob_dict *dict);

#define WALK_OK (-1)
#define WALK_FATAL (-2)
#define WALK_IDLE (-3) /* no function of Python runs */

/* Proves the stack of the copy that was taken. WALK_OK and w->stack; WALK_IDLE;
 * the reason if it cannot be proven (enum bob_lost); or WALK_FATAL. is_last:
 * this is the last try, so a part of the stack is better than none. */
int py_walk_prove(struct py_walk *w, int is_last);

#endif
