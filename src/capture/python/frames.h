/*
 * Which frames a thread had, before any of them is proven or named: w->frame,
 * innermost first.
 *
 * A copy takes longer than many calls do, so it shows different moments. What
 * counts is the one that it begins with, as everything that is read makes the
 * thread wait for its memory, and thus more often be where it uses that
 * memory:
 *
 *  - From 3.11 on it is that of the newest chunk (chunk.h).
 *  - Up to 3.10 it is that at which the thread told its current frame. Frames
 *    are objects, and those of calls that are over mostly still say what they
 *    were and who called them (graft.h).
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

/* One more, outside of those that are there; or a mark, which says that they
 * were entered from C. WALK_OK or FATAL. */
int py_frames_take(struct py_walk *w, const uint8_t *p, uint64_t at,
    uint8_t owner);

/* All from `at` outwards, as they were copied; with w->with_dead those that
 * have returned as well, if they lead to w->root. */
int py_frames_collect(struct py_walk *w, uint64_t at);

/* The same, outside of those that are there. */
int py_frames_collect_on(struct py_walk *w, uint64_t at);

/* Those of the sample before that are still there. */
int py_frames_known(struct py_walk *w);

/* Whether a frame was there all the time while what py_copy_is_first tells was
 * copied. */
int py_frames_has_stayed(const struct py_walk *w,
    const struct py_walk_frame *f);

/* The frames were proven: what lies elsewhere is remembered as it is. */
void py_frames_keep(struct py_walk *w);

#endif
