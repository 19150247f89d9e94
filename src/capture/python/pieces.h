/* The stack of a thread in the pieces that native frames are put between. */
#ifndef CAPTURE_PYTHON_PIECES_H
#define CAPTURE_PYTHON_PIECES_H

#include <stddef.h>

#include "capture/native/native.h"
#include "capture/python/walk.h"

/* Functions of CPython that run code. */
extern const struct native_words py_words;

struct py_pieces {
	struct merge_piece *v;
	size_t n, cap_v;
};

/*
 * Those of the stack that was proven last. From 3.11 on each has a mark: what
 * the interpreter's loop has on the stack of C while it runs, a frame of its
 * own or (3.11) a link that says which frame was on top. BOB_OK or FATAL.
 */
int py_pieces_of(struct bob_ctx *ctx, const struct py_walk *w,
    const struct native *n, struct py_pieces *ret);

#endif
