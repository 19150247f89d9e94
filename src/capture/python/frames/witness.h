/*
 * Looks for a call that a stack needed to be known and that was not.
 *
 * Generators, and up to 3.10 all frames, are objects anywhere in memory. If a
 * call is short, no sample may ever show that both of its frames stayed. So one
 * read of its own looks for it: caller, callee, and caller again, within a
 * fraction of a microsecond. The call is noted if the callee runs and has that
 * caller, and the caller is the same both times. Right after the sample that
 * needed it the call is over, so it is looked for after the next one.
 */
#ifndef CAPTURE_PYTHON_FRAMES_WITNESS_H
#define CAPTURE_PYTHON_FRAMES_WITNESS_H

#include "capture/python/frames/walk.h"

/* Looks for this call next. */
void py_witness_doubt(struct py_walk *w, uint64_t caller, uint64_t callee);

/* A sample is done: looks for the call that the sample before needed, if any,
 * and notes it if it is seen. WALK_OK or FATAL. */
int py_witness_look(struct py_walk *w);

#endif
