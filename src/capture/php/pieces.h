/* The stack of a thread in the pieces that native frames are put between. */
#ifndef CAPTURE_PHP_PIECES_H
#define CAPTURE_PHP_PIECES_H

#include <stddef.h>

#include "capture/native/native.h"
#include "capture/php/walk.h"

/* Functions of PHP that run code and call it. */
extern const struct native_words php_words;

struct php_pieces {
	struct merge_piece *v;
	size_t n, cap_v;
};

/*
 * Those of the stack that was proven last. One begins with each frame that was
 * entered from C; a generator that waits in `yield from` runs in the loop of
 * the one that it waits for. Internal functions have no loop.
 *
 * Most builds keep the frame that a loop runs in a register, which unwinding
 * restores. Where that is so each piece gets a mark; those of a fiber's caller,
 * which has a C stack of its own, are apart; and a function that was entered
 * while its loop was not, has none. BOB_OK or FATAL.
 */
int php_pieces_of(struct bob_ctx *ctx, const struct walk *w,
    const struct native *n, struct php_pieces *ret);

#endif
