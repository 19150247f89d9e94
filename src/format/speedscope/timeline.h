/*
 * A timeline that cannot grow without bounds: what a track did, in order, as
 * entries of a stack and its weight. Equal neighbours are one entry. When
 * there are too many entries, time is cut into windows and the equal stacks of
 * a window become one entry; windows double in length as often as it takes.
 * So weights stay exact to the last sample, and only the order within a window
 * is lost.
 */
#ifndef FORMAT_SPEEDSCOPE_TIMELINE_H
#define FORMAT_SPEEDSCOPE_TIMELINE_H

#include <bobbin/model.h>

#include "core/mem.h"

struct timeline_entry {
	bob_stack stack;
	uint64_t weight; /* microseconds */
};

struct timeline {
	struct timeline_entry *entry;
	size_t cap_entry, n;
	size_t n_settled;   /* entries of windows that are over */
	uint64_t weight;    /* of all */
	uint64_t window;    /* length of a window; 0: each change counts */
	uint64_t window_end; /* of the one that is being filled */
	uint64_t samples;
};

/* Adds to the end. BOB_OK or FATAL. */
int timeline_add(struct bob_ctx *ctx, struct timeline *t, bob_stack stack,
    uint64_t weight, uint64_t samples);

/* Makes windows longer until there are at most n entries, or one window is
 * all there is; then there are at most twice as many as different stacks. */
void timeline_coarsen(struct timeline *t, size_t n);

void timeline_done(struct timeline *t);

#endif
