/*
 * What an input gives, added to the sums of a profile. Everything here is per
 * run: a run of any length costs the same, unless it crosses bins of the time
 * strip or holds pauses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile.h"
#include "core/mem.h"
#include "core/text.h"
#include "format/meta.h"
#include "model/weights.h"
#include "pipeline/memo.h"

#define MINUTE UINT64_C(60000000)
/* That one run may be divided into. */
#define MAX_MINUTES (7 * 24 * 60)

/* Runs that go through the steps of finding a row together (rows.h): enough
 * to fetch them at once, few enough for the first-level cache. */
#define BLOCK 64u

/* A run on its way to its row. */
struct place {
	const struct bob_run *run;
	uint64_t first; /* the time of its first sample */
	uint32_t request; /* which one of its track it is in */
	bob_str id;     /* what tells that; 0: nothing */
	uint64_t at;    /* without times: the periods of all that was read
	                 * before it, whatever the filter keeps */
	struct row_key key;
	uint64_t hash;
	uint32_t guess; /* what row it may be */
};

static uint64_t
period_of(const struct input *in)
{
	return in->period_us != 0 ? in->period_us : WEIGHTS_DEFAULT_PERIOD;
}

/* Tracks with the pid of a segment; it has another one now, or none. */
static void
forget_tracks(struct input *in)
{
	if (in->with_pid != NULL)
		memset(in->with_pid, 0,
		    in->cap_with_pid * sizeof(*in->with_pid));
}

static void
begin_segment(struct bob_profile *p, struct input *in,
    const struct bob_segment *s)
{
	struct side *side = &p->side[in->side];

	in->period_us = side->last_period = s->period_us;
	in->pace.period_us = period_of(in);
	in->pace.stamp++;
	in->pace.is_picked = 0;
	in->has_pid = 0;
	forget_tracks(in);
	in->epoch = (uint32_t)side->n_segments++;
	clock_segment(&in->clock, s);
	if (in->filter != NULL)
		filter_segment(in->filter, s);
}

/* A period counts once it has samples. */
static void
note_period(struct side *side, uint64_t period)
{
	if (period == 0) {
		side->has_unknown_period = 1;
		return;
	}
	if (side->min_period == 0 || period < side->min_period)
		side->min_period = period;
	if (period > side->max_period)
		side->max_period = period;
}

static int
is_text(struct bob_bytes s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static char *
copy_bytes(struct bob_bytes s)
{
	char *to = malloc(s.n + 1);

	if (to != NULL) {
		memcpy(to, s.p, s.n);
		to[s.n] = 0;
	}
	return to;
}

static void
take_pid(struct input *in, struct bob_bytes value)
{
	in->has_pid = text_get_u64(value.p, value.n, &in->pid);
	forget_tracks(in);
}

/* Keeps the last value of each key. */
static int
keep_fact(struct bob_profile *p, int side, bob_str key,
    struct bob_bytes value)
{
	struct side *to = &p->side[side];
	char *text = copy_bytes(value);
	struct fact *f;

	if (text == NULL)
		return err_nomem(p->ctx);
	if (MEMO_GROW(p->ctx, to, fact_of, (size_t)key + 1) < 0) {
		free(text);
		return BOB_FATAL;
	}
	f = to->fact_of[key];
	if (f != NULL) {
		free(f->value);
		f->value = text;
		return BOB_OK;
	}
	f = calloc(1, sizeof(*f));
	if (f != NULL)
		f->key = copy_bytes(bob_str_get(p->dict, key));
	if (f == NULL || f->key == NULL) {
		free(f);
		free(text);
		return err_nomem(p->ctx);
	}
	f->side = side;
	f->value = text;
	f->next = p->facts;
	p->facts = f;
	to->fact_of[key] = f;
	return BOB_OK;
}

static int
take_mark(struct bob_profile *p, struct input *in, const struct bob_mark *m)
{
	struct side *side = &p->side[in->side];
	struct bob_bytes key, value;
	uint64_t start;
	int r;

	if (in->filter != NULL)
		filter_mark(in->filter, m);
	if (m->kind == BOB_MARK_GAP) {
		in->pace.n_holes++;
		side->n_gaps++;
		side->n_lost = count_add(side->n_lost, m->gap->lost);
		return BOB_OK;
	}
	if (m->kind != BOB_MARK_META)
		return BOB_OK;
	key = bob_str_get(p->dict, m->key);
	value = bob_str_get(p->dict, m->value);
	if (is_text(key, "pid"))
		take_pid(in, value);
	else if (is_text(key, META_MODE))
		in->pace.is_picked = !is_text(value, "wall") &&
		    !is_text(value, "all");
	else if (is_text(key, META_START) &&
	    text_get_u64(value.p, value.n, &start))
		clock_start(&in->clock, start);
	side->n_unkept = count_add(side->n_unkept, bob_unkept(key, value));
	r = labels_take(&p->labels, key, value);
	return r == 0 ? keep_fact(p, in->side, m->key, value) :
	    r < 0 ? BOB_FATAL : BOB_OK;
}

/* The track of a sample, with the pid that its segment's metadata names. */
static bob_tid
track_of(struct bob_profile *p, struct input *in, bob_tid id)
{
	struct bob_track t;
	bob_tid old = id;

	if (!in->has_pid)
		return id;
	if (MEMO_GROW(p->ctx, in, with_pid, (size_t)id + 1) < 0)
		return BOB_NO_ID;
	if (in->with_pid[id] != 0)
		return in->with_pid[id];
	t = *bob_track_get(p->dict, id);
	if (!(t.flags & BOB_TRACK_PID)) {
		t.flags |= BOB_TRACK_PID;
		t.pid = in->pid;
		id = bob_track_put(p->dict, &t);
		if (id == BOB_NO_ID)
			return id;
	}
	in->with_pid[old] = id;
	return id;
}

/* The set without what only tells requests apart: there would be rows for each
 * request. */
static int
find_rest(struct bob_profile *p, bob_annot annot, bob_annot *ret)
{
	size_t n, i, n_rest = 0;
	const struct bob_pair *v = bob_annot_get(p->dict, annot, &n);

	if (MEM_GROW(p->ctx, p, rest, n) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (!is_text(bob_str_get(p->dict, v[i].key), REQUESTS_ID))
			p->rest[n_rest++] = v[i];
	*ret = n_rest == n ? annot : bob_annot_put(p->dict, p->rest, n_rest);
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
find_note(struct bob_profile *p, bob_annot annot, struct note *note)
{
	*note = (struct note){ .rest = annot, .is_known = 1 };
	note->id = requests_id(p->dict, annot);
	note->is_task = requests_is_task(p->dict, annot);
	if (note->id == 0 || (p->flags & BOB_PROFILE_REQUEST_IDS))
		return BOB_OK;
	return find_rest(p, annot, &note->rest);
}

static int
note_of(struct bob_profile *p, bob_annot annot, const struct note **ret)
{
	struct note note;

	if (MEMO_GROW(p->ctx, p, note, (size_t)annot + 1) < 0)
		return BOB_FATAL;
	if (annot != 0 && !p->note[annot].is_known) {
		if (find_note(p, annot, &note) < 0)
			return BOB_FATAL;
		p->note[annot] = note;
	}
	*ret = &p->note[annot];
	return BOB_OK;
}

/*
 * The time of the first sample of a run, and its request. Asked of every run,
 * also of those that the filter drops: what a sample took does not depend on
 * what is looked at.
 */
static int
take_pulse(struct bob_profile *p, struct input *in, struct place *place)
{
	const struct bob_run *run = place->run;
	const struct note *note;
	struct pulse *pulse;

	if (note_of(p, run->annot, &note) < 0 ||
	    MEMO_GROW(p->ctx, in, pulse, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	pulse = &in->pulse[run->track];
	place->id = note->id;
	place->first = pulse_take(pulse, &in->pace, run, note->id,
	    note->is_task);
	place->request = pulse->n_request;
	return BOB_OK;
}

/* A time on the trace's own clock, which does not go below 0. */
static uint64_t
trace_time(const struct input *in, uint64_t t)
{
	int64_t at = (int64_t)(t + in->clock.shift);

	return at < 0 ? 0 : (uint64_t)at;
}

static int
add_timed(struct strip *strip, const struct input *in, uint32_t row,
    const struct bob_run *run)
{
	uint64_t t = run->t_first, from = 0, i;
	uint64_t first = trace_time(in, t), last = trace_time(in, run->t_last);

	if (run->dt == NULL || run->count == 1 ||
	    strip_bin(strip, first) == strip_bin(strip, last))
		return strip_add(strip, row, first, run->count);
	/* In stretches that share a bin. */
	for (i = 0; i < run->count; i++) {
		uint64_t next = i + 1 < run->count ? t + run->dt[i] : t;

		if (i + 1 == run->count ||
		    strip_bin(strip, trace_time(in, next)) !=
		        strip_bin(strip, trace_time(in, t))) {
			if (strip_add(strip, row, trace_time(in, t),
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

	/* One is in one bin; of too many nobody knows where they are. */
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
			    trace_time(in, t) : 0 };
		last->at = (last->at + 1) % last->cap;
		if (last->n < last->cap)
			last->n++;
	}
}

static uint32_t
epoch_of(const struct bob_profile *p, const struct input *in,
    const struct bob_run *run, uint64_t at)
{

	if (p->split == BOB_SPLIT_SEGMENT)
		return in->epoch;
	if (p->split != BOB_SPLIT_MINUTE)
		return 0;
	if (run->flags & BOB_RUN_TIMED)
		at = trace_time(in, run->t_first);
	at /= MINUTE;
	return at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
}

static void
note_times(struct side *side, const struct input *in, const struct bob_run *run)
{
	uint64_t first = trace_time(in, run->t_first);
	uint64_t last = trace_time(in, run->t_last);

	if (!side->has_time || first < side->t_first)
		side->t_first = first;
	if (!side->has_time || last > side->t_last)
		side->t_last = last;
	side->has_time = 1;
	side->n_timed = count_add(side->n_timed, run->count);
}

static int
add_to_request(struct bob_profile *p, struct input *in,
    const struct place *place, uint64_t clock_us, uint64_t period_us)
{
	const struct bob_run *run = place->run;
	struct request_run x = { .run = run, .number = place->request,
		.t = run->flags & BOB_RUN_TIMED ? trace_time(in, run->t_first)
		                                : 0,
		.time_us = clock_us };
	int r = requests_add(&p->requests[BY_CLOCK], &in->requests[BY_CLOCK],
	    &x);

	x.time_us = period_us;
	return r < 0 ? r : requests_add(&p->requests[BY_PERIOD],
	    &in->requests[BY_PERIOD], &x);
}

static int
add_run(struct bob_profile *p, struct input *in, const struct place *place)
{
	const struct bob_run *run = place->run;
	struct side *side = &p->side[in->side];
	uint64_t clock_us = 0, period_us = count_mul(run->count,
	    period_of(in));
	int is_timed = (run->flags & BOB_RUN_TIMED) != 0;
	struct row *row;
	uint32_t id;

	if (is_timed)
		clock_us = pulse_run(&in->pace, run, place->id, place->first);
	id = rows_find(&p->rows, &place->key, place->hash, place->guess);
	if (id == BOB_NO_ID)
		return BOB_FATAL;
	row = &p->rows.row[id];
	row->samples = count_add(row->samples, run->count);
	row->period_us = count_add(row->period_us, period_us);
	row->clock_us = count_add(row->clock_us, clock_us);
	if ((is_timed ? add_timed(&side->strip, in, id, run) :
	    add_untimed(&side->strip, place->at, id, run->count,
	        period_of(in))) < 0)
		return BOB_FATAL;
	side->n_samples = count_add(side->n_samples, run->count);
	side->period_us = count_add(side->period_us, period_us);
	side->clock_us = count_add(side->clock_us, clock_us);
	if (is_timed)
		note_times(side, in, run);
	if (p->last.cap > 0)
		keep_last(&p->last, in, run);
	if (p->flags & BOB_PROFILE_REQUESTS)
		return add_to_request(p, in, place, clock_us, period_us);
	return BOB_OK;
}

/* What rows have of a set of annotations. */
static bob_annot
rest_of(const struct bob_profile *p, bob_annot annot)
{
	return annot == 0 ? 0 : p->note[annot].rest;
}

/* Makes the key of a place. */
static void
make_key(const struct bob_profile *p, const struct input *in,
    struct place *place)
{
	const struct bob_run *run = place->run;
	uint8_t flags = run->flags & BOB_RUN_STATUS;

	place->key = (struct row_key){ .stack = run->stack,
		.track = run->track, .annot = rest_of(p, run->annot),
		.epoch = epoch_of(p, in, run, place->at), .flags = flags,
		.status = flags != 0 ? run->status : 0,
		.side = (uint8_t)in->side };
	place->hash = rows_hash(&p->rows, &place->key);
}

/* Adds a part of a run that was divided. */
static int
add_part(struct bob_profile *p, struct input *in, struct place *part)
{
	make_key(p, in, part);
	part->guess = rows_guess(&p->rows, part->hash);
	return add_run(p, in, part);
}

/* A run without times that crosses a minute becomes one per minute, unless
 * that would be more than a week's. */
static int
add_untimed_by_minute(struct bob_profile *p, struct input *in,
    const struct place *place)
{
	uint64_t period = period_of(in), left = place->run->count, n;
	struct bob_run run = *place->run;
	struct place part = *place;

	if (count_mul(left, period) > MAX_MINUTES * MINUTE)
		return add_run(p, in, place);
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

/* A run that crosses a minute becomes one per minute. */
static int
add_by_minute(struct bob_profile *p, struct input *in,
    const struct place *place)
{
	const struct bob_run *run = place->run;
	struct bob_run some = *run;
	struct place part = *place;
	uint64_t t = run->t_first, from = 0, i;

	if (!(run->flags & BOB_RUN_TIMED))
		return add_untimed_by_minute(p, in, place);
	if (run->dt == NULL || trace_time(in, t) / MINUTE ==
	    trace_time(in, run->t_last) / MINUTE)
		return add_run(p, in, place);
	part.run = &some;
	for (i = 0; i < run->count; i++) {
		uint64_t next = i + 1 < run->count ? t + run->dt[i] : t;

		if (i + 1 == run->count || trace_time(in, next) / MINUTE !=
		    trace_time(in, t) / MINUTE) {
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

/* Changes a run as the filter and the metadata want it: 1, 0 when it does not
 * pass, or FATAL. place->first becomes the time of what is now its first
 * sample. */
static int
pass_run(struct bob_profile *p, struct input *in, struct bob_run *run,
    struct place *place)
{
	const uint32_t *dt = run->dt;
	size_t one = 1, cut;

	if (in->filter != NULL && filter_runs(in->filter, run, &one) < 0)
		return BOB_FATAL;
	if (one == 0)
		return 0;
	/* A range of time may begin inside a run. */
	cut = dt != NULL ? (size_t)(run->dt - dt) : 0;
	if (cut > 0)
		place->first = pulse_inside(&in->pace, place->id,
		    dt[cut - 1]);
	run->track = track_of(p, in, run->track);
	return run->track == BOB_NO_ID ? BOB_FATAL : 1;
}

/* Takes note of a run that was read, whatever the filter says to it. */
static int
note_run(struct bob_profile *p, struct input *in, const struct bob_run *run,
    struct place *place)
{
	struct side *side = &p->side[in->side];

	place->run = run;
	place->at = side->read_us;
	side->read_us = count_add(side->read_us,
	    count_mul(run->count, period_of(in)));
	side->n_read = count_add(side->n_read, run->count);
	if (run->flags & BOB_RUN_TIMED)
		clock_note(&in->clock, run);
	return take_pulse(p, in, place);
}

/* The first step: what passes the filter, and the slots of its rows. Returns
 * how many do, or FATAL. room[] is for runs that are changed. */
static int
place_runs(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n, struct bob_run *room, struct place *place)
{
	int is_changed = in->filter != NULL || in->has_pid, kept = 0, r;
	size_t i;

	for (i = 0; i < n; i++) {
		struct place *to = &place[kept];

		if (note_run(p, in, &v[i], to) < 0)
			return BOB_FATAL;
		if (is_changed) {
			room[kept] = v[i];
			r = pass_run(p, in, &room[kept], to);
			if (r < 0)
				return r;
			if (r == 0)
				continue;
			to->run = &room[kept];
		}
		make_key(p, in, to);
		__builtin_prefetch(rows_slot(&p->rows, to->hash));
		kept++;
	}
	return kept;
}

static int
add_block(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n_run)
{
	MEM_UNSET struct place place[BLOCK];
	MEM_UNSET struct bob_run room[BLOCK];
	int n = place_runs(p, in, v, n_run, room, place), i;

	if (n < 0)
		return n;
	if (n > 0)
		note_period(&p->side[in->side], in->period_us);
	for (i = 0; i < n; i++) {
		place[i].guess = rows_guess(&p->rows, place[i].hash);
		__builtin_prefetch(rows_guessed(&p->rows, place[i].guess), 1);
	}
	for (i = 0; i < n; i++)
		if ((p->split == BOB_SPLIT_MINUTE ?
		    add_by_minute(p, in, &place[i]) :
		    add_run(p, in, &place[i])) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

static int
add_runs(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n)
{
	size_t i, some;

	for (i = 0; i < n; i += some) {
		some = n - i < BLOCK ? n - i : BLOCK;
		if (add_block(p, in, v + i, some) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

int
gather_event(struct bob_profile *p, struct input *in,
    const struct bob_event *ev)
{
	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		begin_segment(p, in, ev->segment);
		return BOB_OK;
	case BOB_EVENT_MARK:
		return take_mark(p, in, ev->mark);
	default:
		return add_runs(p, in, ev->runs, ev->n_runs);
	}
}

void
gather_input_done(struct input *in)
{
	free(in->pulse);
	free(in->with_pid);
	requests_state_done(&in->requests[BY_CLOCK]);
	requests_state_done(&in->requests[BY_PERIOD]);
}
