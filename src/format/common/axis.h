/*
 * One timeline, in microseconds, for a trace of several segments. Each segment
 * has a clock of its own. When the unix time of a segment and of an earlier one
 * are known, they decide where it is; else it follows all that came before.
 *
 * Times may be anything, go back or wrap. What is impossibly far away is moved
 * to AXIS_FAR, so that sums never overflow.
 */
#ifndef FORMAT_COMMON_AXIS_H
#define FORMAT_COMMON_AXIS_H

#include <bobbin/model.h>

#define AXIS_FAR ((int64_t)1 << 58)

struct axis {
	uint64_t period; /* of the segment */
	int64_t begin;   /* where the segment begins */
	int64_t end;     /* of all samples so far */
	int is_placed;   /* a time of the segment is known ... */
	uint64_t t;      /* ... by its own clock, ... */
	int64_t at;      /* ... and where it is */
	uint64_t start_us; /* of the segment; 0: unknown */
	uint64_t epoch;  /* unix time of 0 on the timeline, modulo 2^64 */
	int has_epoch;
};

void axis_segment(struct axis *a, const struct bob_segment *segment);

/* Returns where time t of the segment is on the timeline. */
int64_t axis_at(struct axis *a, uint64_t t);

/* Returns where the samples of a segment without times begin. */
int64_t axis_begin(struct axis *a);

/* Returns `at` plus `by` microseconds, at most AXIS_FAR. */
static inline int64_t
axis_later(int64_t at, uint64_t by)
{
	return by < (uint64_t)AXIS_FAR && at + (int64_t)by < AXIS_FAR
	    ? at + (int64_t)by : at > AXIS_FAR ? at : AXIS_FAR;
}

#endif
