/* Adding a run to the sums of a profile; see gather.h. */
#include "analyze/gather.h"
#include "core/mem.h"

#define MINUTE UINT64_C(60000000)
/* The most minutes that one run without times is divided into. */
#define MAX_MINUTES (7 * 24 * 60)

static int
add_timed(struct strip *strip, const struct input *in, uint32_t row,
    const struct bob_run *run)
{
	uint64_t t = run->t_first, from = 0, i;
	uint64_t first = gather_at(in, t), last = gather_at(in, run->t_last);

	if (run->dt == NULL || run->count == 1 ||
	    strip_bin(strip, first) == strip_bin(strip, last))
		return strip_add(strip, row, first, run->count);
	/* In stretches that share a bin. */
	for (i = 0; i < run->count; i++) {
		uint64_t next = i + 1 < run->count ? t + run->dt[i] : t;

		if (i + 1 == run->count ||
		    strip_bin(strip, gather_at(in, next)) !=
		        strip_bin(strip, gather_at(in, t))) {
			if (strip_add(strip, row, gather_at(in, t),
			        i + 1 - from) < 0)
				return BOB_FATAL;
			from = i + 1;
		}
		t = next;
	}
	return BOB_OK;
}

/* Untimed samples stand one period apart, in the order they came in. A long
 * run is spread over the bins that it covers, of which there are not many. */
static int
add_untimed(struct strip *strip, uint64_t at, uint32_t row, uint64_t count,
    uint64_t period)
{
	uint64_t end = count_add(at, count_mul(count, period)), n;

	/* One sample is in one bin. A saturated run has no known end. */
	if (count == 1 || end == BOB_MAX_COUNT)
		return strip_add(strip, row, at, count);
	while (count > 0) {
		uint64_t width = strip_width(strip);

		n = (width - (at & (width - 1)) + period - 1) / period;
		if (n > count)
			n = count;
		if (strip_add(strip, row, at, n) < 0)
			return BOB_FATAL;
		at += n * period;
		count -= n;
	}
	return BOB_OK;
}

/*
 * Adds a run to the history of its track: in stretches of equal gaps, which
 * also end at a pause.
 */
static void
add_timed_history(struct history *h, const struct input *in, bob_tid track,
    const struct gather_run *place, struct history_new x)
{
	const struct bob_run *run = place->run;
	uint64_t t = run->t_first, i = 0, left = run->count - 1;

	x.length = place->first;
	x.tail = in->pace.period_us;
	for (;; left--, i++) {
		x.first = gather_at(in, t);
		x.count = 1;
		x.gap = left > 0 && run->dt != NULL ? run->dt[i] : 0;
		if (run->dt == NULL) { /* all at once */
			x.count += left;
			left = 0;
		}
		if (pulse_inside(&in->pace, place->id, x.gap) == x.gap)
			for (; left > 0 && run->dt[i] == x.gap; left--, i++)
				x.count++;
		history_add(h, track, &x);
		if (left == 0)
			return;
		t += (x.count - 1) * x.gap + run->dt[i];
		x.length = pulse_inside(&in->pace, place->id, run->dt[i]);
	}
}

static void
keep_history(struct side *side, const struct input *in,
    const struct gather_run *place, uint32_t row)
{
	const struct bob_run *run = place->run;
	struct history_new x = { .row = row, .request = place->request,
		.first = place->at, .count = run->count,
		.gap = gather_period(in), .length = gather_period(in),
		.tail = gather_period(in) };

	if (run->flags & BOB_RUN_TIMED)
		add_timed_history(&side->history, in, run->track, place, x);
	else
		history_add(&side->history, run->track, &x);
}

static void
keep_last(struct last *last, const struct input *in, const struct bob_run *run)
{
	uint64_t n = run->count < last->cap ? run->count : last->cap;
	uint64_t t = run->t_last, i;

	for (i = 1; i < n && run->dt != NULL; i++)
		t -= run->dt[run->count - 1 - i];
	for (i = 0; i < n; i++) {
		if (i > 0 && run->dt != NULL)
			t += run->dt[run->count - 1 - (n - i)];
		last->v[last->at] = (struct bob_last){ .stack = run->stack,
			.track = run->track, .annot = run->annot,
			.status = run->status, .flags = run->flags,
			.time = run->flags & BOB_RUN_TIMED ?
			    gather_at(in, t) : 0 };
		last->at = (last->at + 1) % last->cap;
		if (last->n < last->cap)
			last->n++;
	}
}

uint32_t
gather_epoch(const struct bob_profile *p, const struct input *in,
    const struct bob_run *run, uint64_t at)
{

	if (p->split == BOB_SPLIT_SEGMENT)
		return in->epoch;
	if (p->split != BOB_SPLIT_MINUTE)
		return 0;
	if (run->flags & BOB_RUN_TIMED)
		at = gather_at(in, run->t_first);
	at /= MINUTE;
	return at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
}

static int
add_to_request(struct bob_profile *p, struct input *in,
    const struct gather_run *place, const uint64_t *us)
{
	const struct bob_run *run = place->run;
	struct request_run x = { .run = run, .number = place->request,
		.shared = place->shared,
		.t = run->flags & BOB_RUN_TIMED ? gather_at(in, run->t_first)
		                                : 0,
		.t_last = run->flags & BOB_RUN_TIMED ? gather_at(in,
		    run->t_last) : 0,
		.time_us = place->shared == TOGETHER_NONE ? us[BY_CLOCK]
		                                          : place->shared_us };
	int r = requests_add(&p->requests[BY_CLOCK], &in->requests[BY_CLOCK],
	    &x);

	x.time_us = us[BY_PERIOD];
	return r < 0 ? r : requests_add(&p->requests[BY_PERIOD],
	    &in->requests[BY_PERIOD], &x);
}

static void
add_waiting(struct side *side, const uint64_t *us)
{
	uint64_t *to = side->waited_us;

	to[BY_CLOCK] = count_add(to[BY_CLOCK], us[BY_CLOCK]);
	to[BY_PERIOD] = count_add(to[BY_PERIOD], us[BY_PERIOD]);
}

int
gather_add(struct bob_profile *p, struct input *in,
    const struct gather_run *place)
{
	const struct bob_run *run = place->run;
	struct side *side = &p->side[in->side];
	int is_timed = (run->flags & BOB_RUN_TIMED) != 0;
	uint64_t us[N_TIMES];
	struct row *row;
	uint32_t id;

	gather_times(in, place, us);
	id = rows_find(&p->rows, &place->key, place->hash, place->guess);
	if (id == BOB_NO_ID)
		return BOB_FATAL;
	row = &p->rows.row[id];
	row->samples = count_add(row->samples, run->count);
	row->period_us = count_add(row->period_us, us[BY_PERIOD]);
	row->clock_us = count_add(row->clock_us, us[BY_CLOCK]);
	if (!p->has_bare_rows && (is_timed
	        ? add_timed(&side->strip, in, id, run)
	        : add_untimed(&side->strip, place->at, id, run->count,
	              gather_period(in))) < 0)
		return BOB_FATAL;
	side->n_samples = count_add(side->n_samples, run->count);
	side->period_us = count_add(side->period_us, us[BY_PERIOD]);
	side->clock_us = count_add(side->clock_us, us[BY_CLOCK]);
	if (place->is_waiting)
		add_waiting(side, us);
	if (is_timed)
		gather_note_times(side, in, run);
	if (p->last.cap > 0)
		keep_last(&p->last, in, run);
	if (p->flags & BOB_PROFILE_RUNS)
		keep_history(side, in, place, id);
	if (p->flags & BOB_PROFILE_REQUESTS)
		return add_to_request(p, in, place, us);
	return BOB_OK;
}

/* Adds a part of a run that was divided. */
static int
add_part(struct bob_profile *p, struct input *in, struct gather_run *part)
{
	gather_key(p, in, part);
	part->guess = rows_guess(&p->rows, part->hash);
	return gather_add(p, in, part);
}

/* A run without times that crosses a minute becomes one per minute, unless
 * that would be more than a week's. */
static int
add_untimed_by_minute(struct bob_profile *p, struct input *in,
    const struct gather_run *place)
{
	uint64_t period = gather_period(in), left = place->run->count, n;
	struct bob_run run = *place->run;
	struct gather_run part = *place;

	if (count_mul(left, period) > MAX_MINUTES * MINUTE)
		return gather_add(p, in, place);
	part.run = &run;
	for (; left > 0; left -= n) {
		n = (MINUTE - part.at % MINUTE + period - 1) / period;
		n = n < left ? n : left;
		run.count = n;
		if (add_part(p, in, &part) < 0)
			return BOB_FATAL;
		part.at = count_add(part.at, n * period);
	}
	return BOB_OK;
}

int
gather_add_by_minute(struct bob_profile *p, struct input *in,
    const struct gather_run *place)
{
	const struct bob_run *run = place->run;
	struct bob_run some = *run;
	struct gather_run part = *place;
	uint64_t t = run->t_first, from = 0, i;

	if (!(run->flags & BOB_RUN_TIMED))
		return add_untimed_by_minute(p, in, place);
	if (run->dt == NULL || gather_at(in, t) / MINUTE ==
	    gather_at(in, run->t_last) / MINUTE)
		return gather_add(p, in, place);
	part.run = &some;
	for (i = 0; i < run->count; i++) {
		uint64_t next = i + 1 < run->count ? t + run->dt[i] : t;

		if (i + 1 == run->count || gather_at(in, next) / MINUTE !=
		    gather_at(in, t) / MINUTE) {
			some.count = i + 1 - from;
			some.t_last = t;
			some.dt = run->dt + from;
			if (from > 0)
				part.first = pulse_inside(&in->pace,
				    place->id, run->dt[from - 1]);
			if (add_part(p, in, &part) < 0)
				return BOB_FATAL;
			some.t_first = next;
			from = i + 1;
		}
		t = next;
	}
	return BOB_OK;
}
