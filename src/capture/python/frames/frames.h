/*
 * Collects the frames that a thread had into w->frame, innermost first. walk.c
 * proves and names them later.
 *
 * A copy takes longer than many calls, so its parts are of different moments.
 * The moment of the sample is the first one: each read makes the thread wait
 * for its memory, so later parts would show it too often where it uses that
 * memory. The first moment is:
 *
 *  - from 3.11 on, when the newest chunk was copied (chunk.h);
 *  - up to 3.10, when the current frame of the thread was read. Frames are
 *    objects there, and mostly still have their code and caller after the call
 *    is over (graft.h).
 *
 * A frame whose caller is not sure is marked as guessed: walk.c then believes
 * the call only if it is known from other samples.
 *
 * Functions that collect return WALK_OK, WALK_IDLE, the reason of a loss (enum
 * bob_lost), or WALK_FATAL.
 */
#ifndef CAPTURE_PYTHON_FRAMES_FRAMES_H
#define CAPTURE_PYTHON_FRAMES_FRAMES_H

#include "capture/python/frames/walk.h"

/* Appends the frame at `at`, whose bytes are p. If `owner` is a mark of C, no
 * frame is appended: the last one was entered from C. WALK_OK or FATAL. */
int py_frames_take(struct py_walk *w, const uint8_t *p, uint64_t at,
    uint8_t owner);

/* Collects all frames from `at` outwards, as they were copied. With
 * w->with_dead also those that have returned, if the chain leads to w->root. */
int py_frames_collect(struct py_walk *w, uint64_t at);

/* The same, appended to the frames that are in w->frame. */
int py_frames_collect_on(struct py_walk *w, uint64_t at);

/* Collects those frames of the sample before that are still there. */
int py_frames_known(struct py_walk *w);

/* Returns 1 if a frame is the same in both copies: then it was there all the
 * time while the span that py_copy_is_first() tells was read. */
int py_frames_has_stayed(const struct py_walk *w,
    const struct py_walk_frame *f);

/* The frames were proven: remembers those outside of chunks, and the marks of C
 * (links.h). */
void py_frames_keep(struct py_walk *w);

#endif
