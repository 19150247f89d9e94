/*
 * Which frames a thread had, before any of them is proven or named: w->frame,
 * innermost first.
 *
 * A copy takes longer than many calls do, so it shows different moments. What
 * counts is the one that it begins with, as everything that is read makes the
 * thread wait for its memory, and thus more often be where it uses that
 * memory:
 *
 *  - From 3.11 on it is that of the newest chunk, which is copied within some
 *    hundred nanoseconds. Frames lie on each other in it, and each tells
 *    whether it lives. What lies elsewhere, marks of C and generators, is
 *    copied later; the frames of the chunk say what must be between them, and
 *    what has changed since is taken as it was when it was last part of a
 *    stack.
 *  - Up to 3.10 it is that at which the thread told its current frame. Frames
 *    are objects, and those of calls that are over mostly still say what they
 *    were and who called them.
 *
 * What is not sure by itself is marked as guessed: then walk.c wants to know
 * the call from elsewhere.
 *
 * All of them return WALK_OK, WALK_IDLE, why not (enum bob_lost), or
 * WALK_FATAL.
 */
#ifndef CAPTURE_PYTHON_FRAMES_H
#define CAPTURE_PYTHON_FRAMES_H

#include "capture/python/walk.h"

/* All from `at` outwards, as they were copied; with w->with_dead those that
 * have returned as well, if they lead to w->root. */
int py_frames_collect(struct py_walk *w, uint64_t at);

/* Finds the frames of the newest chunk that lived when it was copied: w->scan.
 * WALK_OK, why not, or WALK_FATAL. */
int py_frames_scan(struct py_walk *w);

/* Those of the chunk, and what lies elsewhere. `current` is what the thread
 * says a moment later. There must be some in w->scan. */
int py_frames_chunk(struct py_walk *w, uint64_t current);

/* Whether the frames on top that were copied later than the chunk, and what
 * they stand on, are still what was copied: then they were so at one moment. */
int py_frames_loose_stay(struct py_walk *w);

/* Whether no frame of w->scan went on while the chunk was copied twice. */
int py_frames_stand_still(const struct py_walk *w);

/* Those of the sample before that are still there. */
int py_frames_known(struct py_walk *w);

/* Up to 3.10: what was current before, on what is there after. */
int py_frames_graft(struct py_walk *w, uint64_t before, uint64_t after);

/* Whether a frame was there all the time while what py_copy_is_first tells was
 * copied. */
int py_frames_has_stayed(const struct py_walk *w,
    const struct py_walk_frame *f);

/* Of a frame's bytes: whether it is one that runs, and its instruction as the
 * version has it. */
int py_frames_runs(const struct py_walk *w, const uint8_t *p);
uint64_t py_frames_instr(const struct py_walk *w, const uint8_t *p);

/* The frames were proven: what lies elsewhere is remembered as it is. */
void py_frames_keep(struct py_walk *w);

#endif
