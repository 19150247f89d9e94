/*
 * Merges the C stack of a thread with that of the interpreter which it runs.
 *
 * The interpreter's stack comes in pieces, one for each run of its loop: from
 * the frame that C code called to the frame that calls C again, or to the top.
 *
 *     C stack          pieces              merged, innermost first
 *     memcpy                               memcpy
 *     execute_ex       c, b                c, b
 *     zend_call_..                         zend_call_..
 *     zif_usort                            zif_usort
 *     execute_ex       usort, a, main      usort, a, main
 *     main                                 main
 *
 * Each piece replaces the C frame of its loop. That frame is found by an
 * address in it that the interpreter knows (the mark of the piece), or else by
 * the name of its function; by name, there must be as many loops as pieces. A
 * piece may also have no loop: an internal function that C code called. It is
 * put above the C function that made the call (MERGE_CALL).
 *
 * If the two stacks do not fit in exactly one way, they are not merged.
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
	uint64_t sp, cfa; /* its memory is [sp, cfa) */
	bob_fid frame;
	uint8_t kind;     /* enum merge_kind */
	uint8_t zero[3];
};

enum merge_piece_flags {
	MERGE_NO_LOOP = 1 << 0, /* C code has called it without a loop */
	MERGE_BY_CALL = 1 << 1, /* its loop was entered by a MERGE_CALL */
	MERGE_APART = 1 << 2    /* its loop is on another C stack */
};

/* The frames above `from` up to `to`. Both are equal if all its frames are
 * hidden. Pieces are in order, the outermost first. */
struct merge_piece {
	bob_stack from, to;
	uint32_t flags; /* enum merge_piece_flags */
	uint32_t tag;   /* for the one who makes it; not used here */
	uint64_t mark;  /* an address in its loop's frame; 0: not known */
};

struct merge_pieces {
	struct merge_piece *v;
	size_t n, cap_v;
};

struct merge {
	struct bob_ctx *ctx;
	bob_fid *out; /* innermost first */
	size_t n_out, cap_out;
};

/*
 * Merges into m->out. `is_whole`: the C stack is complete up to where the
 * thread began. If it is not, all pieces with a loop must have marks, and those
 * whose loops were cut off are put below the rest. So are pieces that are
 * MERGE_APART. Returns 1 if merged; 0 if they do not fit; FATAL.
 */
int merge_stacks(struct merge *m, const struct bob_dict *dict,
    const struct merge_native *v, size_t n, const struct merge_piece *piece,
    size_t n_piece, int is_whole);

/* For stacks that do not fit: puts the C frames that are certainly above the
 * interpreter's stack, and then that stack, into m->out. Returns BOB_OK or
 * FATAL. */
int merge_leaf(struct merge *m, const struct bob_dict *dict,
    const struct merge_native *v, size_t n, const struct merge_piece *piece,
    size_t n_piece, int is_whole);

#endif
