/*
 * A call that a stack needed to be known and that was not, until it is seen.
 *
 * Generators, and up to 3.10 all frames, are objects all over the memory, and
 * of a call that is short no sample may ever show both sides standing still. So
 * it is looked for by a read of its own: the caller, the callee, and the caller
 * once more, within a fraction of a microsecond. It is seen when the callee ran
 * and had that caller, and the caller stayed where it was. Right behind the
 * sample that missed it that call is over, so it is looked for behind the next.
 */
#ifndef CAPTURE_PYTHON_WITNESS_H
#define CAPTURE_PYTHON_WITNESS_H

#include "capture/python/walk.h"

/* This call is the one to look for next. */
void py_witness_doubt(struct py_walk *w, uint64_t caller, uint64_t callee);

/* A sample is done: looks for the call that one before it has missed, if there
 * is any, and notes it if it is seen. WALK_OK or FATAL. */
int py_witness_look(struct py_walk *w);

#endif
