/*
 * Arguments and local variables of the frames of a stopped thread, as text.
 *
 * Names of variables, and the references in a frame, do not change while its
 * thread is stopped. The objects they refer to may, by other threads: repr.h
 * deals with that. The variables of a module or a class body are in a
 * dictionary, not in its frame, and are not read.
 */
#ifndef CAPTURE_PYTHON_VALUES_LOCALS_H
#define CAPTURE_PYTHON_VALUES_LOCALS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/frames/walk.h"
#include "capture/python/values/repr.h"
#include "capture/runtime.h"

/* Variables of one frame that are read. */
#define LOCALS_PER_FRAME 256

struct py_locals {
	struct process *p;
	const struct py_offsets *o;
	struct py_repr repr;
};

/* NULL: memory is out, recorded. */
struct py_locals *py_locals_new(struct process *p,
    const struct py_offsets *o);
void py_locals_free(struct py_locals *l);

/* Adds the variables of a frame of a stopped thread to the process, for the
 * frame that `stack` ends with. `frame` and `code` are addresses. BOB_OK, also
 * if they cannot be read; or FATAL. */
int py_locals_of_frame(struct py_locals *l, uint64_t frame, uint64_t code,
    bob_stack stack);

/* The same for all frames of the stack that was proven, innermost first. */
int py_locals_of_walk(struct py_locals *l, const struct py_walk *w);

#endif
