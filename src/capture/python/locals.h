/*
 * Arguments and variables of the frames of a thread, as text.
 *
 * Where a frame has them and what they are called does not change while its
 * thread is stopped; what they refer to may, by other threads: repr.h. Those
 * of a module or a class body are not its frame's, but in a dictionary, and
 * not told.
 */
#ifndef CAPTURE_PYTHON_LOCALS_H
#define CAPTURE_PYTHON_LOCALS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/repr.h"
#include "capture/python/walk.h"
#include "capture/runtime.h"

/* Variables of one frame that are looked at. */
#define LOCALS_PER_FRAME 256

struct py_locals {
	struct process *p;
	const struct py_offsets *o;
	struct py_repr repr;
};

/* NULL: memory is out, which is recorded. */
struct py_locals *py_locals_new(struct process *p,
    const struct py_offsets *o);
void py_locals_free(struct py_locals *l);

/* Those of a frame of a stopped thread, at an address as its code, are added
 * to the process for the frame that `stack` ends with. BOB_OK, also when they
 * cannot be read; or FATAL. */
int py_locals_of_frame(struct py_locals *l, uint64_t frame, uint64_t code,
    bob_stack stack);

/* Those of all frames of the stack that was proven, innermost first. */
int py_locals_of_walk(struct py_locals *l, const struct py_walk *w);

#endif
