/* Cuts runs to a span of time; see the header. */
#include "pipeline/filter_clock.h"

#include <string.h>

static int64_t
clamp(uint64_t t)
{
	return t > INT64_MAX ? INT64_MAX : (int64_t)t;
}

void
clock_init(struct filter_clock *c, uint64_t from, uint64_t to)
{
	memset(c, 0, sizeof(*c));
	c->from = clamp(from);
	c->to = clamp(to);
}

void
clock_init_dates(struct filter_clock *c, uint64_t from, uint64_t to)
{
	clock_init(c, from, to);
	c->by_date = 1;
}

void
clock_segment(struct filter_clock *c, const struct bob_segment *s)
{
	c->has_segment = 0;
	c->start = s->start_us;
}

void
clock_start(struct filter_clock *c, uint64_t start_us)
{
	if (!c->has_segment)
		c->start = start_us;
}

/* Sets the shift at the first time of a segment. */
static void
clock_begin_segment(struct filter_clock *c, uint64_t t)
{
	if (c->by_date) {
		c->shift = c->start;
	} else if (!c->has_origin) {
		c->shift = 0 - t;
		c->origin = c->start == 0 ? 0 : c->start + t;
		c->has_origin = 1;
	} else if (c->start != 0 && c->origin != 0) {
		c->shift = c->start - c->origin;
	} else {
		c->shift = c->end;
	}
	c->has_segment = 1;
}

static int
is_inside(const struct filter_clock *c, uint64_t t)
{
	int64_t at = (int64_t)(t + c->shift);

	return c->from <= at && at < c->to;
}

/* For a run with a time for each sample: keeps the first stretch that is inside
 * the span. There is only one, unless times wrap. */
static int
cut_timed_run(const struct filter_clock *c, struct bob_run *run)
{
	uint64_t t = run->t_first, i = 0, first;

	while (!is_inside(c, t)) {
		if (i == run->count - 1)
			return 0;
		t += run->dt[i++];
	}
	first = i;
	run->t_first = t;
	while (i < run->count - 1 && is_inside(c, t + run->dt[i]))
		t += run->dt[i++];
	run->t_last = t;
	run->dt += first;
	run->count = i - first + 1;
	return 1;
}

void
clock_note(struct filter_clock *c, const struct bob_run *run)
{
	if (!c->has_segment)
		clock_begin_segment(c, run->t_first);
	c->end = run->t_last + c->shift;
}

int
clock_cut(struct filter_clock *c, struct bob_run *run)
{
	if (!(run->flags & BOB_RUN_TIMED))
		return 0;
	clock_note(c, run);
	if (c->by_date && !clock_has_dates(c->start, run))
		return 0;
	if (run->count == 1 || run->dt == NULL ||
	    (is_inside(c, run->t_first) && is_inside(c, run->t_last)))
		return is_inside(c, run->t_first);
	return cut_timed_run(c, run);
}
