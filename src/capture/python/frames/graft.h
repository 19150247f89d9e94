/*
 * Up to 3.10: the stack of a call that was over when its frame was copied.
 *
 * The frame still has its code, and maybe its caller. But the frames below it
 * have changed. So the frame is put on the stack that is there now, on a frame
 * that is known to call it.
 */
#ifndef CAPTURE_PYTHON_FRAMES_GRAFT_H
#define CAPTURE_PYTHON_FRAMES_GRAFT_H

#include "capture/python/frames/walk.h"

/* Puts the frame that was current before the copy on the stack that was there
 * after it. Returns as the functions of frames.h. */
int py_graft_collect(struct py_walk *w, uint64_t before, uint64_t after);

#endif
