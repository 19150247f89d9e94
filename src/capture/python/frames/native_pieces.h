/*
 * Cuts the stack of a thread into the pieces between which native frames are
 * put: a piece begins where C entered Python.
 */
#ifndef CAPTURE_PYTHON_FRAMES_NATIVE_PIECES_H
#define CAPTURE_PYTHON_FRAMES_NATIVE_PIECES_H

#include <stddef.h>

#include "capture/native/native.h"
#include "capture/python/frames/walk.h"

/* The function of CPython that runs code. */
extern const struct native_words py_words;

struct py_pieces {
	struct merge_piece *v;
	size_t n, cap_v;
};

/*
 * The pieces of the stack that was proven last. From 3.11 on each has a mark,
 * the address of what the interpreter's loop has on C's stack while it runs: a
 * frame of its own, or in 3.11 a _PyCFrame that points to the top frame. BOB_OK
 * or FATAL.
 */
int py_pieces_of(struct bob_ctx *ctx, const struct py_walk *w,
    const struct native *n, struct py_pieces *ret);

#endif
