/*
 * The times of a recording: struct bob_times. Sums over rows, and what has no
 * rows: what the filter of the profile has set aside, or everything if only
 * times are wanted. One pass over the rows, one over the strip if the filter
 * has a range of time.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/profile.h"
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
	} else if (bytes_are(key, META_MODE)) {
		if (meta_is_picked(value))
			side->last_picked = epoch + 1;
	} else if (bytes_are(key, META_EMPTY)) {
		/* Otherwise it may have waited for an answer. */
		if (side->last_picked != epoch + 1 &&
		    text_get_u64(value.p, value.n, &n))
			side->n_empty = count_add(side->n_empty, n);
	}
}

/* What is computed of one side. */
struct asked {
	struct bob_profile *p;
	struct side *side;
	int number, idle_mode;
	struct filter *filter;  /* NULL: all */
	const uint64_t *in_range; /* by row: samples; NULL: all */
	struct sums sums;
	struct bob_times t;
};

/* The same as what gather.c counts as waiting. */
static int
is_waiting(const struct asked *s, const struct row *row)
{
	return requests_is_task(s->p->dict, row->key.annot) &&
	    !(bob_track_get(s->p->dict, row->key.track)->flags &
	        BOB_TRACK_TID);
}

static int
passes(const struct asked *s, const struct row *row)
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

/* Adds n of the samples of a row. */
static int
sum_row(struct asked *s, const struct row *row, uint64_t n)
{
	struct sums_part part = { .track = row->key.track,
		.status = row->key.status, .flags = row->key.flags,
		.is_idle = row->key.is_idle, .samples = n,
		.us = { row->clock_us, row->period_us } };
	int i;

	part.is_waiting = (uint8_t)is_waiting(s, row);
	part.is_shared = s->idle_mode == BOB_IDLE_KEEP ||
	    row->key.is_idle == (s->idle_mode == BOB_IDLE_ONLY);
	for (i = 0; n != row->samples && i < N_TIMES; i++)
		part.us[i] = (uint64_t)((double)part.us[i] *
		    ((double)n / (double)row->samples));
	return sums_add(s->p->ctx, &s->sums, &part);
}

static int
sum_rows(struct asked *s)
{
	uint32_t i;

	for (i = 0; i < s->p->rows.n; i++) {
		const struct row *row = &s->p->rows.row[i];
		uint64_t n = s->in_range != NULL ? s->in_range[i]
		                                 : row->samples;
		int r;

		if (row->key.side != s->number || n == 0)
			continue;
		r = passes(s, row);
		if (r > 0)
			r = sum_row(s, row, n);
		if (r < 0)
			return r;
	}
	return BOB_OK;
}

/* Takes the sums over, on the basis that is right. */
static void
set_sums(struct asked *s)
{
	const struct sums *v = &s->sums;
	struct bob_times *t = &s->t;
	int by = t->basis == BOB_TIME_CLOCK ? BY_CLOCK : BY_PERIOD;
	size_t i;

	t->samples = v->samples;
	t->share_samples = v->share_samples;
	t->idle_samples = v->idle_samples;
	t->share_us = v->share_us[by];
	t->thread_us = v->thread_us[by];
	t->waited_us = v->waited_us[by];
	t->idle_us = v->idle_us[by];
	t->status_us = v->status_us[by];
	t->cpu_us = v->cpu_us[by];
	for (i = 0; i < v->cap_track; i++) {
		t->n_tracks += v->track[i].is_used;
		t->n_idle_tracks += v->track[i].has_idle;
	}
}

static uint64_t
longest_track(const struct asked *s)
{
	int by = s->t.basis == BOB_TIME_CLOCK ? BY_CLOCK : BY_PERIOD;
	uint64_t longest = 0;
	size_t i;

	for (i = 0; i < s->sums.cap_track; i++)
		if (s->sums.track[i].us[by] > longest)
			longest = s->sums.track[i].us[by];
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

/* The same for dates, on a clock whose time 0 has the date `origin`. */
static void
cut_dates(const struct bob_filter *f, uint64_t origin, uint64_t *from,
    uint64_t *to)
{
	const struct bob_filter range = { .flags = BOB_FILTER_TIME,
		.t_from = f->date_from > origin ? f->date_from - origin : 0,
		.t_to = f->date_to > origin ? f->date_to - origin : 0 };

	if ((f->flags & BOB_FILTER_DATE) != 0 && origin != 0)
		cut_range(&range, from, to);
}

/* Sets wall_us to the overlap of [from, to) and the ranges of the filters. */
static void
set_wall(struct asked *s, int basis, uint64_t from, uint64_t to,
    const struct bob_filter *f)
{
	const struct bob_filter *own = &s->p->filter[s->number];

	cut_range(f, &from, &to);
	cut_range(own, &from, &to);
	cut_dates(own, s->side->clock.origin, &from, &to);
	s->t.wall_us = to > from ? to - from : 0;
	s->t.wall_basis = basis;
}

/* A capture that has one segment says how long it took. Of several, only times
 * tell whether they followed each other. */
static void
find_wall(struct asked *s, const struct bob_filter *f)
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
set_counts(struct asked *s)
{
	const struct side *side = s->side;
	struct bob_times *t = &s->t;

	t->n_gaps = side->n_gaps;
	t->n_gap_lost = side->n_lost;
	t->n_lost = side->n_lost_taken;
	t->n_unkept = side->n_unkept;
	t->n_missed = side->n_missed;
	t->n_empty = side->n_empty;
	t->lost_percent = side->lost_percent;
	t->missed_percent = side->missed_percent;
	t->has_cpu = t->status_us > 0;
	t->is_idle_hidden = s->idle_mode == BOB_IDLE_HIDE ||
	    s->p->idle_mode == BOB_IDLE_HIDE;
	t->idle_rule = t->idle_samples == 0 ? BOB_IDLE_NONE
	    : s->sums.has_unknown_idle ? BOB_IDLE_BY_FUNCTIONS
	                          : BOB_IDLE_BY_STATUS;
}

/* Returns how many samples each row has in a range; NULL without memory. */
static uint64_t *
samples_in_range(struct bob_profile *p, struct strip *strip,
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
find_times(struct asked *s, struct bob_filter *f)
{
	uint64_t *in_range = NULL;
	int r;

	if (f->flags & BOB_FILTER_TIME) {
		in_range = samples_in_range(s->p, &s->side->strip, f);
		if (in_range == NULL)
			return BOB_FATAL;
		s->in_range = in_range;
	}
	s->t.basis = profile_basis(s->side);
	r = s->p->has_bare_rows ? BOB_OK : sum_rows(s);
	free(in_range);
	/* What has no rows is not known by stack, so a filter does not apply
	 * to it. */
	if (r < 0 || sums_settle(s->p->ctx, &s->sums) < 0 ||
	    sums_settle(s->p->ctx, &s->side->aside) < 0 ||
	    sums_join(s->p->ctx, &s->sums, &s->side->aside) < 0)
		return BOB_FATAL;
	set_sums(s);
	find_wall(s, f);
	set_counts(s);
	return BOB_OK;
}

int
bob_profile_times(struct bob_profile *p, int side,
    const struct bob_filter *filter, struct bob_times *ret)
{
	struct asked s = { .p = p, .side = &p->side[side != 0],
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
	if (p->fed[s.number] != NULL && gather_held(p, p->fed[s.number]) < 0)
		return err_set_status(p->ctx, BOB_FAILED);
	r = filter_new(p->ctx, &rest, p->dict, &s.filter);
	if (r == BOB_OK)
		r = find_times(&s, &f);
	filter_free(s.filter);
	sums_done(&s.sums);
	if (r < 0)
		return err_set_status(p->ctx, BOB_FAILED);
	memcpy(ret, &s.t, size < sizeof(s.t) ? size : sizeof(s.t));
	ret->size = size;
	return BOB_OK;
}
