/*
 * The times of a recording: struct bob_times. Sums over rows, and what the
 * filter of the profile has set aside. One pass over the rows, one over the
 * strip if the filter has a range of time.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/profile.h"
#include "core/memo.h"
#include "core/text.h"
#include "format/common/meta.h"
#include "model/weights.h"

/* A longer duration in metadata is nonsense: 1,000 years. */
#define MAX_SECONDS 3.2e10

static int
get_number(struct bob_bytes value, double most, double *ret)
{
	char text[32], *end;

	if (value.n == 0 || value.n >= sizeof(text))
		return 0;
	memcpy(text, value.p, value.n);
	text[value.n] = '\0';
	*ret = strtod(text, &end);
	return *end == '\0' && *ret >= 0 && *ret <= most;
}

/* The last value in a segment counts. */
static void
take_duration(struct side *side, uint32_t epoch, double seconds)
{
	uint64_t us = (uint64_t)(seconds * 1e6 + 0.5);

	if (side->last_duration == epoch + 1)
		side->duration_us -= side->last_duration_us;
	else
		side->n_durations++;
	side->duration_us += us;
	side->last_duration = epoch + 1;
	side->last_duration_us = us;
}

void
times_mark(struct side *side, uint32_t epoch, struct bob_bytes key,
    struct bob_bytes value)
{
	uint64_t n;
	double v;

	if (key.n < 9 || memcmp(key.p, "profiler.", 9) != 0)
		return;
	if (bytes_are(key, META_DURATION)) {
		if (get_number(value, MAX_SECONDS, &v))
			take_duration(side, epoch, v);
	} else if (bytes_are(key, META_FAILED)) {
		if (get_number(value, 100, &v) && v > side->lost_percent)
			side->lost_percent = v;
	} else if (bytes_are(key, META_MISSED)) {
		if (get_number(value, 100, &v) && v > side->missed_percent)
			side->missed_percent = v;
	} else if (bytes_are(key, "profiler.lost")) {
		if (text_get_u64(value.p, value.n, &n))
			side->n_lost_taken = count_add(side->n_lost_taken, n);
	} else if (bytes_are(key, "profiler.missed")) {
		if (text_get_u64(value.p, value.n, &n))
			side->n_missed = count_add(side->n_missed, n);
	}
}

int
times_set_aside(struct bob_profile *p, struct side *side,
    const struct bob_run *run, uint64_t clock_us, uint64_t period_us)
{
	struct aside *to = &side->aside;
	int is_known = idle_is_by_status(run->status, run->flags);

	if (MEMO_GROW(p->ctx, to, has_track, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	to->has_track[run->track] = 1;
	to->samples = count_add(to->samples, run->count);
	if (run->flags & BOB_RUN_TIMED)
		to->n_timed = count_add(to->n_timed, run->count);
	to->us[BY_CLOCK] = count_add(to->us[BY_CLOCK], clock_us);
	to->us[BY_PERIOD] = count_add(to->us[BY_PERIOD], period_us);
	if (!is_known)
		return BOB_OK;
	to->status_us[BY_CLOCK] = count_add(to->status_us[BY_CLOCK],
	    clock_us);
	to->status_us[BY_PERIOD] = count_add(to->status_us[BY_PERIOD],
	    period_us);
	return BOB_OK;
}

/* What is computed of one side. */
struct sums {
	struct bob_profile *p;
	struct side *side;
	int number, idle_mode;
	struct filter *filter;  /* NULL: all */
	const uint64_t *in_range; /* by row: samples; NULL: all */
	uint64_t *track_us;     /* by track */
	uint8_t *has_track, *is_idle_track;
	int has_unknown_idle;   /* idle samples without a status */
	struct bob_times t;
};

/* The same as what gather.c counts as waiting. */
static int
is_waiting(const struct sums *s, const struct row *row)
{
	return requests_is_task(s->p->dict, row->key.annot) &&
	    !(bob_track_get(s->p->dict, row->key.track)->flags &
	        BOB_TRACK_TID);
}

static int
passes(const struct sums *s, const struct row *row)
{
	struct bob_run run = { .count = row->samples,
		.stack = row->key.stack, .track = row->key.track,
		.annot = row->key.annot, .status = row->key.status,
		.flags = row->key.flags };
	size_t n = 1;

	if (s->filter != NULL && filter_runs(s->filter, &run, &n) < 0)
		return BOB_FATAL;
	return n == 1;
}

static void
add_share(struct sums *s, const struct row *row, uint64_t samples, uint64_t us)
{
	if (s->idle_mode != BOB_IDLE_KEEP &&
	    row->key.is_idle != (s->idle_mode == BOB_IDLE_ONLY))
		return;
	s->t.share_samples = count_add(s->t.share_samples, samples);
	s->t.share_us = count_add(s->t.share_us, us);
}

static void
add_idle(struct sums *s, const struct row *row, uint64_t samples, uint64_t us)
{
	s->t.idle_samples = count_add(s->t.idle_samples, samples);
	s->t.idle_us = count_add(s->t.idle_us, us);
	s->is_idle_track[row->key.track] = 1;
	if (!idle_is_by_status(row->key.status, row->key.flags))
		s->has_unknown_idle = 1;
}

static void
sums_add(struct sums *s, const struct row *row, uint64_t samples, uint64_t us)
{
	uint64_t *of_track = &s->track_us[row->key.track];

	add_share(s, row, samples, us);
	s->t.samples = count_add(s->t.samples, samples);
	if (is_waiting(s, row)) {
		s->t.waited_us = count_add(s->t.waited_us, us);
		return;
	}
	s->t.thread_us = count_add(s->t.thread_us, us);
	s->has_track[row->key.track] = 1;
	*of_track = count_add(*of_track, us);
	if (row->key.is_idle)
		add_idle(s, row, samples, us);
	if (!idle_is_by_status(row->key.status, row->key.flags))
		return;
	s->t.status_us = count_add(s->t.status_us, us);
	if (row->key.status & BOB_STATUS_ON_CPU)
		s->t.cpu_us = count_add(s->t.cpu_us, us);
}

static int
add_rows(struct sums *s)
{
	uint32_t i;

	for (i = 0; i < s->p->rows.n; i++) {
		const struct row *row = &s->p->rows.row[i];
		uint64_t n = s->in_range != NULL ? s->in_range[i]
		                                 : row->samples;
		uint64_t us = row_time(row, s->t.basis);
		int r;

		if (row->key.side != s->number || n == 0)
			continue;
		r = passes(s, row);
		if (r < 0)
			return r;
		if (n != row->samples)
			us = (uint64_t)((double)us *
			    ((double)n / (double)row->samples));
		if (r > 0)
			sums_add(s, row, n, us);
	}
	return BOB_OK;
}

/* Adds what the filter of the profile has set aside. It is not known by row, so
 * a filter of its own does not apply to it. */
static void
add_aside(struct sums *s)
{
	const struct aside *from = &s->side->aside;
	int by = s->t.basis == BOB_TIME_CLOCK ? BY_CLOCK : BY_PERIOD;
	size_t i;

	if (from->samples == 0)
		return;
	s->t.samples = count_add(s->t.samples, from->samples);
	s->t.idle_samples = count_add(s->t.idle_samples, from->samples);
	s->t.thread_us = count_add(s->t.thread_us, from->us[by]);
	s->t.idle_us = count_add(s->t.idle_us, from->us[by]);
	s->t.status_us = count_add(s->t.status_us, from->status_us[by]);
	if (from->status_us[BY_PERIOD] != from->us[BY_PERIOD])
		s->has_unknown_idle = 1;
	for (i = 0; i < from->cap_has_track && i < s->p->dict->n.n_track; i++)
		if (from->has_track[i])
			s->has_track[i] = s->is_idle_track[i] = 1;
}

static void
count_tracks(struct sums *s)
{
	uint32_t i;

	for (i = 0; i < s->p->dict->n.n_track; i++) {
		s->t.n_tracks += s->has_track[i];
		s->t.n_idle_tracks += s->is_idle_track[i];
	}
}

static uint64_t
longest_track(const struct sums *s)
{
	uint64_t longest = 0;
	uint32_t i;

	for (i = 0; i < s->p->dict->n.n_track; i++)
		if (s->track_us[i] > longest)
			longest = s->track_us[i];
	return longest;
}

static void
cut_range(const struct bob_filter *f, uint64_t *from, uint64_t *to)
{
	if (!(f->flags & BOB_FILTER_TIME))
		return;
	*from = *from < f->t_from ? f->t_from : *from;
	*to = *to > f->t_to ? f->t_to : *to;
}

/* Sets wall_us to the overlap of [from, to) and the ranges of the filters. */
static void
set_wall(struct sums *s, int basis, uint64_t from, uint64_t to,
    const struct bob_filter *f)
{
	cut_range(f, &from, &to);
	cut_range(&s->p->filter, &from, &to);
	s->t.wall_us = to > from ? to - from : 0;
	s->t.wall_basis = basis;
}

/* A capture that has one segment says how long it took. Of several, only times
 * tell whether they followed each other. */
static void
find_wall(struct sums *s, const struct bob_filter *f)
{
	const struct side *side = s->side;
	uint64_t period = bob_profile_info(s->p, s->number).max_period_us;
	int all_say = side->n_durations > 0 &&
	    side->n_durations == side->n_segments;

	if (all_say && (side->n_segments == 1 || !side->has_read_time))
		set_wall(s, BOB_WALL_SAID, 0, side->duration_us, f);
	else if (side->has_read_time)
		set_wall(s, BOB_WALL_CLOCK, side->read_first,
		    count_add(side->read_last, period), f);
	else if ((s->t.wall_us = longest_track(s)) > 0)
		s->t.wall_basis = BOB_WALL_THREAD;
}

static void
set_counts(struct sums *s)
{
	const struct side *side = s->side;
	struct bob_times *t = &s->t;

	t->n_gaps = side->n_gaps;
	t->n_gap_lost = side->n_lost;
	t->n_lost = side->n_lost_taken;
	t->n_unkept = side->n_unkept;
	t->n_missed = side->n_missed;
	t->lost_percent = side->lost_percent;
	t->missed_percent = side->missed_percent;
	t->has_cpu = t->status_us > 0;
	t->is_idle_hidden = s->idle_mode == BOB_IDLE_HIDE ||
	    s->p->idle_mode == BOB_IDLE_HIDE;
	t->idle_rule = t->idle_samples == 0 ? BOB_IDLE_NONE
	    : s->has_unknown_idle ? BOB_IDLE_BY_FUNCTIONS
	                          : BOB_IDLE_BY_STATUS;
}

/* Returns how many samples each row has in a range; NULL without memory. */
static uint64_t *
count_range(struct bob_profile *p, struct strip *strip,
    const struct bob_filter *f)
{
	uint64_t *got = calloc((size_t)p->rows.n + 1, sizeof(*got));
	size_t i;

	if (got == NULL || strip_flush(strip) < 0) {
		free(got);
		(void)err_nomem(p->ctx);
		return NULL;
	}
	for (i = 0; i < strip->n; i++) {
		const struct strip_entry *e = &strip->entry[i];
		uint64_t width = strip_width(strip);
		uint64_t middle = e->bin * width + width / 2;

		if (f->t_from <= middle && middle < f->t_to)
			got[e->row] = count_add(got[e->row], e->samples);
	}
	return got;
}

static int
sums_find(struct sums *s, struct bob_filter *f)
{
	size_t n_track = (size_t)s->p->dict->n.n_track + 1;
	uint64_t *in_range = NULL;
	int r;

	s->track_us = calloc(n_track, sizeof(*s->track_us));
	s->has_track = calloc(n_track, 1);
	s->is_idle_track = calloc(n_track, 1);
	if (s->track_us == NULL || s->has_track == NULL ||
	    s->is_idle_track == NULL)
		return err_nomem(s->p->ctx);
	if (f->flags & BOB_FILTER_TIME) {
		in_range = count_range(s->p, &s->side->strip, f);
		if (in_range == NULL)
			return BOB_FATAL;
		s->in_range = in_range;
	}
	s->t.basis = profile_basis(s->side);
	r = add_rows(s);
	free(in_range);
	if (r < 0)
		return r;
	add_aside(s);
	count_tracks(s);
	find_wall(s, f);
	set_counts(s);
	return BOB_OK;
}

int
bob_profile_times(struct bob_profile *p, int side,
    const struct bob_filter *filter, struct bob_times *ret)
{
	struct sums s = { .p = p, .side = &p->side[side != 0],
		.number = side != 0 };
	struct bob_filter f = { 0 }, rest;
	size_t size = ret->size;
	int r;

	if (filter != NULL)
		memcpy(&f, filter, filter->size < sizeof(f) ? filter->size :
		    sizeof(f));
	f.size = sizeof(f);
	s.idle_mode = f.idle;
	rest = f;
	rest.idle = BOB_IDLE_KEEP;
	rest.flags &= ~(uint32_t)BOB_FILTER_TIME;
	r = filter_new(p->ctx, &rest, p->dict, &s.filter);
	if (r == BOB_OK)
		r = sums_find(&s, &f);
	filter_free(s.filter);
	free(s.track_us);
	free(s.has_track);
	free(s.is_idle_track);
	if (r < 0)
		return err_set_status(p->ctx, BOB_FAILED);
	memcpy(ret, &s.t, size < sizeof(s.t) ? size : sizeof(s.t));
	ret->size = size;
	return BOB_OK;
}
