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
 * Those of the stack that was proven last. From 3.12 on each has a mark: the
 * frame that the interpreter's loop leaves on the stack of C while it runs.
 * BOB_OK or FATAL.
 */
int py_pieces_of(struct bob_ctx *ctx, const struct py_walk *w,
    struct py_pieces *ret);

#endif
