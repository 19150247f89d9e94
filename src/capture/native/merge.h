/*
 * One stack out of two: that of C and that of the interpreter which runs on
 * it.
 *
 * An interpreter's stack comes in pieces. Each is what one run of its loop has
 * entered, from the frame that C called up to one that calls C, or the top:
 *
 *     C stack          pieces              merged, innermost first
 *     memcpy                               memcpy
 *     execute_ex       c, b                c, b
 *     zend_call_..                         zend_call_..
 *     zif_usort                            zif_usort
 *     execute_ex       usort, a, main      usort, a, main
 *     main                                 main
 *
 * The C frame that runs a piece gives way to it. It is known by an address in
 * it that the interpreter tells (its mark), or else by the name of its
 * function, and then as many must be there as there are pieces. A piece may
 * also have been called by C without a loop: then it stands above the function
 * that made the call.
 *
 * There is one way for the two to fit, or they are not merged.
 */
#ifndef CAPTURE_NATIVE_MERGE_H
#define CAPTURE_NATIVE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "core/mem.h"

enum merge_kind {
	MERGE_PLAIN,
	MERGE_LOOP, /* a run of the interpreter's loop */
	MERGE_CALL  /* the function by which C calls the interpreter's */
};

/* A frame of C, the innermost first. */
struct merge_native {
	uint64_t sp, cfa; /* its memory */
	bob_fid frame;
	uint8_t kind;     /* enum merge_kind */
	uint8_t zero[3];
};

enum merge_piece_flags {
	MERGE_NO_LOOP = 1 << 0, /* C has called it without a loop */
	MERGE_BY_CALL = 1 << 1, /* the loop was entered by a MERGE_CALL */
	MERGE_APART = 1 << 2    /* its loop is on another C stack */
};

/* A piece, the outermost first: the frames above `from`, up to `to`. They may
 * be equal when all its frames are hidden. */
struct merge_piece {
	bob_stack from, to;
	uint32_t flags; /* enum merge_piece_flags */
	uint32_t tag;   /* for whoever makes it */
	uint64_t mark;  /* an address in its loop's frame; 0: not known */
};

struct merge {
	struct bob_ctx *ctx;
	bob_fid *out; /* innermost first */
	size_t n_out, cap_out;
};

/*
 * Merges into m->out. `is_whole`: the C stack is there up to where the thread
 * began; if it is not, all pieces with a loop must have marks, and what is
 * left of them is put below. So are those that are apart. 1: merged; 0: they
 * do not fit; FATAL.
 */
int merge_stacks(struct merge *m, const struct bob_dict *dict,
    const struct merge_native *v, size_t n, const struct merge_piece *piece,
    size_t n_piece, int is_whole);

/* For what does not fit: the frames of C that are certainly above the whole of
 * the interpreter's stack, and then that. BOB_OK or FATAL. */
int merge_leaf(struct merge *m, const struct bob_dict *dict,
    const struct merge_native *v, size_t n, const struct merge_piece *piece,
    size_t n_piece, int is_whole);

#endif
