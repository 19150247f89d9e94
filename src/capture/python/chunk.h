/*
 * From 3.11 on: which frames of the newest chunk lived when it was copied, and
 * what lies between and on top of them.
 *
 * The chunk is copied within some hundred nanoseconds, so that is the moment of
 * a sample. Frames lie on each other in it, and each tells whether it lives.
 * Marks of C and generators are copied later; the frames of the chunk say what
 * must be between them.
 */
#ifndef CAPTURE_PYTHON_CHUNK_H
#define CAPTURE_PYTHON_CHUNK_H

#include "capture/python/walk.h"

/* Finds the frames that lived: w->scan. WALK_OK, why not, or WALK_FATAL. */
int py_chunk_scan(struct py_walk *w);

/* Takes them, and what lies elsewhere. `current` is what the thread says a
 * moment later. There must be some in w->scan. As those of frames.h. */
int py_chunk_collect(struct py_walk *w, uint64_t current);

/* Whether the frames on top that were copied later than the chunk, and what
 * they stand on, are still what was copied: then they were so at one moment. */
int py_chunk_loose_stay(struct py_walk *w);

/* Whether no frame of w->scan went on while the chunk was copied twice. */
int py_chunk_stands_still(const struct py_walk *w);

#endif
