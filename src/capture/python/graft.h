/*
 * Up to 3.10: a call that was over when its frame was copied.
 *
 * The frame still says what it was, and maybe who called it; what is below is
 * there no more, or something else. So it is put on what is there now, where it
 * is known to be called.
 */
#ifndef CAPTURE_PYTHON_GRAFT_H
#define CAPTURE_PYTHON_GRAFT_H

#include "capture/python/walk.h"

/* What was current before, on what is there after. As those of frames.h. */
int py_graft_collect(struct py_walk *w, uint64_t before, uint64_t after);

#endif
