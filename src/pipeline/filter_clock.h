/*
 * The clock of a trace, for filtering by time and for time lines.
 *
 * Each segment has a clock of its own. The clock of the trace is 0 at its first
 * time. A later segment goes on where the one before it ended. Only when both
 * this segment and the first one have the date of their time 0, the dates
 * decide.
 *
 * Sums are modulo 2^64 and read as signed: a clock that was set back is before
 * 0, and hostile times give odd places but no undefined behaviour.
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
	int by_date;         /* see clock_init_dates */
};

/* Dates are before this, 2^53 microseconds after 1970: the year 2255. Later
 * ones are those of a hostile trace, and count as none. */
#define CLOCK_MAX_DATE ((uint64_t)1 << 53)

/* True if the samples of a run have dates, in a segment whose time 0 has this
 * date (0: unknown). */
static inline int
clock_has_dates(uint64_t start, const struct bob_run *run)
{
	return (run->flags & BOB_RUN_TIMED) != 0 && start != 0 &&
	    start < CLOCK_MAX_DATE && run->t_first < CLOCK_MAX_DATE &&
	    run->t_last < CLOCK_MAX_DATE && run->t_first <= run->t_last;
}

void clock_init(struct filter_clock *c, uint64_t from, uint64_t to);

/* The same for dates, in microseconds since 1970: clock_cut drops runs without
 * dates. */
void clock_init_dates(struct filter_clock *c, uint64_t from, uint64_t to);

void clock_segment(struct filter_clock *c, const struct bob_segment *s);

/* Sets the date of the segment's time 0, from its metadata. Has no effect once
 * a time of the segment was seen. */
void clock_start(struct filter_clock *c, uint64_t start_us);

/* To be told of each run that has times. Afterwards, a time of its segment plus
 * c->shift is a time of the trace. */
void clock_note(struct filter_clock *c, const struct bob_run *run);

/* Cuts a run to the span that is kept. Returns 1, or 0 when nothing is left.
 * Call it for every run, whatever else may drop it. */
int clock_cut(struct filter_clock *c, struct bob_run *run);

#endif
