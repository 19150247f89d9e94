/* The timeline of a trace; see the header. */
#include "format/common/axis.h"

#include "model/weights.h"

/* A difference of two times, whatever they are. */
static int64_t
distance(uint64_t from, uint64_t to)
{
	int64_t d = (int64_t)(to - from);

	return d > AXIS_FAR / 4 ? AXIS_FAR / 4 :
	    d < -AXIS_FAR / 4 ? -AXIS_FAR / 4 : d;
}

void
axis_segment(struct axis *a, const struct bob_segment *segment)
{
	a->period = segment->period_us != 0 ? segment->period_us
	                                    : WEIGHTS_DEFAULT_PERIOD;
	a->start_us = segment->start_us;
	a->is_placed = 0;
	a->begin = a->start_us != 0 && a->has_epoch
	    ? distance(a->epoch, a->start_us) : a->end;
}

/* Learns the unix time of 0 on the timeline, knowing that time t of the segment
 * is at `at`. */
static void
learn_epoch(struct axis *a, uint64_t t, int64_t at)
{
	if (a->start_us == 0 || a->has_epoch)
		return;
	a->epoch = a->start_us + t - (uint64_t)at;
	a->has_epoch = 1;
}

int64_t
axis_at(struct axis *a, uint64_t t)
{
	if (!a->is_placed) {
		a->is_placed = 1;
		a->t = t;
		a->at = a->start_us != 0 && a->has_epoch
		    ? distance(a->epoch, a->start_us + t) : a->begin;
		learn_epoch(a, t, a->at);
	}
	return a->at + distance(a->t, t);
}

int64_t
axis_begin(struct axis *a)
{
	learn_epoch(a, 0, a->begin);
	return a->begin;
}
