/*
 * The trace's own clock, for filtering by time and for time lines.
 *
 * Each segment has a clock of its own. The trace's clock stands at 0 at the
 * first time of the trace, and a later segment continues where the segment
 * before it ended: its own zero is there. Only where this segment and the
 * first one know the date of their zero, the dates decide.
 *
 * Sums are modulo 2^64 and read as signed: a clock that was set back is
 * before 0, and hostile times give odd places but nothing undefined.
 */
#ifndef PIPELINE_FILTER_CLOCK_H
#define PIPELINE_FILTER_CLOCK_H

#include <bobbin/model.h>

struct filter_clock {
	int64_t from, to;    /* what is kept: from <= time < to */
	int has_origin;      /* the first time was seen */
	int has_segment;     /* `shift` is that of the current segment */
	uint64_t origin;     /* date of time 0; 0 unknown */
	uint64_t start;      /* start_us of the current segment */
	uint64_t shift;      /* from the segment's clock to the trace's */
	uint64_t end;        /* the last time seen, on the trace's clock */
};

void clock_init(struct filter_clock *c, uint64_t from, uint64_t to);
void clock_segment(struct filter_clock *c, const struct bob_segment *s);

/* The date of the segment's time 0, when its metadata has it; too late once
 * a time of the segment was seen. */
void clock_start(struct filter_clock *c, uint64_t start_us);

/* Takes note of a run that has times: from here on c->shift is what to add to
 * times of its segment to have them on the trace's clock. */
void clock_note(struct filter_clock *c, const struct bob_run *run);

/* Takes note of a run and cuts it to what is kept: 1, or 0 when nothing is
 * left. Call it for every run, whatever else may drop it. */
int clock_cut(struct filter_clock *c, struct bob_run *run);

#endif
