/*
 * Cuts the stack of a thread into the pieces between which native frames are
 * put: a piece begins where C entered Python.
 */
#ifndef CAPTURE_PYTHON_FRAMES_NATIVE_PIECES_H
#define CAPTURE_PYTHON_FRAMES_NATIVE_PIECES_H

#include "capture/native/native.h"
#include "capture/python/frames/walk.h"

/* The function of CPython that runs code. */
extern const struct native_words py_words;

/*
 * Cuts the stack that a struct py_walk has proven last (native_cut_fn). From
 * 3.11 on each piece has a mark, the address of what the interpreter's loop has
 * on C's stack while it runs: a frame of its own, or in 3.11 a _PyCFrame that
 * points to the top frame. Returns BOB_OK or FATAL.
 */
int py_cut_pieces(const struct native *n, const void *walk,
    struct merge_pieces *ret);

#endif
