/*
 * Cuts a PHP stack into pieces for merging with the C stack: one piece for each
 * run of PHP's interpreter loop. See native/merge.h.
 */
#ifndef CAPTURE_PHP_FRAMES_PIECES_H
#define CAPTURE_PHP_FRAMES_PIECES_H

#include "capture/native/native.h"
#include "capture/php/frames/walk.h"

/* The C functions of PHP by which merging knows its loops. */
extern const struct native_words php_words;

/*
 * Cuts the stack that a struct walk has proven last (native_cut_fn). A piece
 * begins with each frame that was entered from C. A generator that waits in
 * `yield from` belongs to the piece of the generator that it waits for. An
 * internal function has no loop.
 *
 * Most builds keep the current frame of a loop in a register, which unwinding
 * restores. If so, each piece gets a mark. Then pieces of a fiber's caller,
 * which is on another C stack, are MERGE_APART, and a function whose loop has
 * not begun yet is MERGE_NO_LOOP. Returns BOB_OK or FATAL.
 */
int php_cut_pieces(const struct native *n, const void *walk,
    struct merge_pieces *ret);

#endif
