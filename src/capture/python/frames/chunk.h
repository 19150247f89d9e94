/*
 * From 3.11 on: finds the frames of the newest chunk that were live when it was
 * copied, and the generators between and on top of them.
 *
 * The chunk is copied within some hundred nanoseconds: that is the moment of
 * the sample. Frames lie in it one behind the other, and the bytes of each tell
 * whether it is live. Marks of C and generators are copied later; the frames of
 * the chunk say between which of them they must be.
 */
#ifndef CAPTURE_PYTHON_FRAMES_CHUNK_H
#define CAPTURE_PYTHON_FRAMES_CHUNK_H

#include "capture/python/frames/walk.h"

/* Finds the live frames: w->scan, outermost first. WALK_OK, the reason of a
 * loss (enum bob_lost), or WALK_FATAL. */
int py_chunk_scan(struct py_walk *w);

/* Collects the frames of w->scan, of which there must be some, and the
 * generators between and on top of them. `current` is the current frame that
 * the thread told a moment later. Returns as the functions of frames.h. */
int py_chunk_collect(struct py_walk *w, uint64_t current);

/* Reads the frames on top that were copied later than the chunk (w->n_loose),
 * and the one below them, again. Returns 1 if they are the same: then they were
 * so at one moment. */
int py_chunk_loose_stay(struct py_walk *w);

/* Returns 1 if all frames of w->scan are the same in both copies of the
 * chunk. */
int py_chunk_stands_still(const struct py_walk *w);

#endif
