/*
 * Adding the events of an input to the sums of a profile. All work is per run:
 * a run of any length takes the same time, unless it crosses bins of the time
 * strip or contains pauses.
 *
 * The time of a sample never depends on the filter, so every run that is read
 * goes through take_pulse before the filter drops it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile.h"
#include "core/mem.h"
#include "core/text.h"
#include "format/common/meta.h"
#include "model/weights.h"
#include "core/memo.h"

#define MINUTE UINT64_C(60000000)
/* The most minutes that one run without times is divided into. */
#define MAX_MINUTES (7 * 24 * 60)

/* Runs that go through the steps of finding a row together (rows.h): enough for
 * prefetching, few enough for the first-level cache. */
#define BLOCK 64u

/* A run on its way to its row. */
struct place {
	const struct bob_run *run;
	uint64_t first; /* the time of its first sample */
	uint32_t request; /* number of its request on the track */
	bob_str id;     /* of that request; 0: none */
	uint32_t shared; /* place of a request that is served together with
	                  * others (together.h), or TOGETHER_NONE */
	uint64_t shared_us; /* how much longer that request is now */
	int is_waiting; /* of a waiting asyncio task: no thread runs it */
	uint64_t at;    /* without times: the periods of all samples read
	                 * before it, with those that the filter drops */
	uint8_t is_idle;
	struct row_key key;
	uint64_t hash;
	uint32_t guess; /* of rows_guess */
};

static uint64_t
period_of(const struct input *in)
{
	return in->period_us != 0 ? in->period_us : WEIGHTS_DEFAULT_PERIOD;
}

/* Sets an estimated period; 0: there is none. */
static void
set_pace(struct input *in, uint64_t period)
{
	if (period == 0)
		return;
	in->learned_us = in->pace.period_us = period;
	in->pace.slack_us = period / 2;
}

/* The pid of the segment has changed: forgets the tracks with that pid. */
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
	in->pace.slack_us = 0;
	if (in->period_us == 0)
		set_pace(in, in->learned_us);
	in->pace.stamp++;
	in->pace.is_picked = 0;
	in->has_pid = 0;
	forget_tracks(in);
	in->epoch = (uint32_t)side->n_segments++;
	clock_segment(&in->clock, s);
	if (in->filter != NULL)
		filter_segment(in->filter, s);
}

/* Notes the period of a segment that has samples. */
static void
note_period(struct side *side, const struct input *in)
{
	uint64_t period = in->period_us;

	if (period == 0) {
		side->has_unknown_period = 1;
		if (in->learned_us > side->learned_us)
			side->learned_us = in->learned_us;
		return;
	}
	if (side->min_period == 0 || period < side->min_period)
		side->min_period = period;
	if (period > side->max_period)
		side->max_period = period;
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
	if (bytes_are(key, "pid"))
		take_pid(in, value);
	else if (bytes_are(key, META_MODE))
		in->pace.is_picked = meta_is_picked(value);
	else if (bytes_are(key, META_START) &&
	    text_get_u64(value.p, value.n, &start))
		clock_start(&in->clock, start);
	side->n_unkept = count_add(side->n_unkept, bob_unkept(key, value));
	times_mark(side, in->epoch, key, value);
	r = labels_take(&p->labels, key, value);
	return r == 0 ? keep_fact(p, in->side, m->key, value) :
	    r < 0 ? BOB_FATAL : BOB_OK;
}

/* Returns the track of a sample, with the pid of the segment's metadata if it
 * has none; BOB_NO_ID without memory. */
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

/* Sets *ret to the annotation set without the request id, because with it there
 * would be rows for each request. */
static int
find_rest(struct bob_profile *p, bob_annot annot, bob_annot *ret)
{
	size_t n, i, n_rest = 0;
	const struct bob_pair *v = bob_annot_get(p->dict, annot, &n);

	if (MEM_GROW(p->ctx, p, rest, n) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (!bytes_are(bob_str_get(p->dict, v[i].key), REQUESTS_ID))
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
	note->is_together = note->id != 0 &&
	    requests_are_together(p->dict, annot);
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

static uint64_t
pid_of(const struct bob_profile *p, const struct input *in, bob_tid track)
{
	const struct bob_track *t = bob_track_get(p->dict, track);

	return t->flags & BOB_TRACK_PID ? t->pid : in->has_pid ? in->pid : 0;
}

/* Takes a run of a request that is served together with others. */
static int
take_together(struct bob_profile *p, struct input *in, struct place *place,
    bob_str id)
{
	const struct bob_run *run = place->run;
	uint64_t pid = pid_of(p, in, run->track);
	uint32_t old;

	while ((old = together_old(&in->together, run, pid, id)) !=
	    TOGETHER_NONE)
		if (requests_drop(&p->requests[BY_CLOCK],
		        &in->requests[BY_CLOCK], old) < 0 ||
		    requests_drop(&p->requests[BY_PERIOD],
		        &in->requests[BY_PERIOD], old) < 0)
			return BOB_FATAL;
	if (together_take(p->ctx, &in->together, &in->pace, run, pid, id,
	        &place->shared, &place->shared_us) < 0)
		return BOB_FATAL;
	place->request = in->together.v[place->shared].number;
	return BOB_OK;
}

/*
 * Finds the time of the first sample of a run, and its request. Called for
 * every run, also for those that the filter drops.
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
	place->id = note->is_together ? 0 : note->id;
	place->shared = TOGETHER_NONE;
	place->is_waiting = note->is_task && !(bob_track_get(p->dict,
	    run->track)->flags & BOB_TRACK_TID);
	place->first = pulse_take(pulse, &in->pace, run, place->id,
	    note->is_task);
	place->request = pulse->n_request;
	return note->is_together ? take_together(p, in, place, note->id)
	                         : BOB_OK;
}

/* Converts a time to the trace's clock, which does not go below 0. */
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
    const struct place *place, struct history_new x)
{
	const struct bob_run *run = place->run;
	uint64_t t = run->t_first, i = 0, left = run->count - 1;

	x.length = place->first;
	x.tail = in->pace.period_us;
	for (;; left--, i++) {
		x.first = trace_time(in, t);
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
    const struct place *place, uint32_t row)
{
	const struct bob_run *run = place->run;
	struct history_new x = { .row = row, .request = place->request,
		.first = place->at, .count = run->count,
		.gap = period_of(in), .length = period_of(in),
		.tail = period_of(in) };

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
		.shared = place->shared,
		.t = run->flags & BOB_RUN_TIMED ? trace_time(in, run->t_first)
		                                : 0,
		.t_last = run->flags & BOB_RUN_TIMED ? trace_time(in,
		    run->t_last) : 0,
		.time_us = place->shared == TOGETHER_NONE ? clock_us
		                                          : place->shared_us };
	int r = requests_add(&p->requests[BY_CLOCK], &in->requests[BY_CLOCK],
	    &x);

	x.time_us = period_us;
	return r < 0 ? r : requests_add(&p->requests[BY_PERIOD],
	    &in->requests[BY_PERIOD], &x);
}

static void
add_waiting(struct side *side, uint64_t clock_us, uint64_t period_us)
{
	uint64_t *to = side->waited_us;

	to[BY_CLOCK] = count_add(to[BY_CLOCK], clock_us);
	to[BY_PERIOD] = count_add(to[BY_PERIOD], period_us);
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
	if (place->is_waiting)
		add_waiting(side, clock_us, period_us);
	if (is_timed)
		note_times(side, in, run);
	if (p->last.cap > 0)
		keep_last(&p->last, in, run);
	if (p->flags & BOB_PROFILE_RUNS)
		keep_history(side, in, place, id);
	if (p->flags & BOB_PROFILE_REQUESTS)
		return add_to_request(p, in, place, clock_us, period_us);
	return BOB_OK;
}

/* Returns the annotation set that rows have for this one. */
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
		.side = (uint8_t)in->side, .is_idle = place->is_idle };
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

/* Notes the times of a run that was read. */
static void
note_read_times(struct side *side, const struct input *in,
    const struct bob_run *run)
{
	uint64_t first = trace_time(in, run->t_first);
	uint64_t last = trace_time(in, run->t_last);

	if (!side->has_read_time || first < side->read_first)
		side->read_first = first;
	if (!side->has_read_time || last > side->read_last)
		side->read_last = last;
	side->has_read_time = 1;
}

/* Notes a run that was read, before the filter. */
static int
note_run(struct bob_profile *p, struct input *in, const struct bob_run *run,
    struct place *place)
{
	struct side *side = &p->side[in->side];
	int idle;

	place->run = run;
	place->at = side->read_us;
	side->read_us = count_add(side->read_us,
	    count_mul(run->count, period_of(in)));
	side->n_read = count_add(side->n_read, run->count);
	if (run->flags & BOB_RUN_TIMED) {
		clock_note(&in->clock, run);
		note_read_times(side, in, run);
	}
	idle = in->pace.is_picked ? 0 : idle_of(&p->idle, run->stack,
	    run->status, run->flags);
	if (idle < 0)
		return BOB_FATAL;
	place->is_idle = (uint8_t)idle;
	return take_pulse(p, in, place);
}

/* Returns 1 if the profile has this sample, 0 if it is set aside or left out
 * because it is idle or not, or FATAL. */
static int
pass_idle(struct bob_profile *p, struct input *in, const struct place *place)
{
	const struct bob_run *run = place->run;

	if (p->idle_mode == BOB_IDLE_KEEP ||
	    place->is_idle == (p->idle_mode == BOB_IDLE_ONLY))
		return 1;
	if (p->idle_mode == BOB_IDLE_ONLY)
		return 0;
	return times_set_aside(p, &p->side[in->side], run,
	    run->flags & BOB_RUN_TIMED ? pulse_run(&in->pace, run, place->id,
	        place->first) : 0, count_mul(run->count, period_of(in)));
}

/* The first step: what passes the filter, and the slots of its rows. Returns
 * how many do, or FATAL. room[] is for runs that are changed. */
static int
place_runs(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n, struct bob_run *room, struct place *place)
{
	int is_changed = in->filter != NULL || in->has_pid, kept = 0, r;
	int n_passed = 0;
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
		n_passed++;
		r = pass_idle(p, in, to);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		make_key(p, in, to);
		__builtin_prefetch(rows_slot(&p->rows, to->hash));
		kept++;
	}
	if (n_passed > 0)
		note_period(&p->side[in->side], in);
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

static int
take_event(struct bob_profile *p, struct input *in, const struct bob_event *ev)
{
	return ev->kind == BOB_EVENT_MARK ? take_mark(p, in, ev->mark) :
	    add_runs(p, in, ev->runs, ev->n_runs);
}

int
gather_held(struct bob_profile *p, struct input *in)
{
	struct bob_event ev;
	size_t at = 0;
	int r = BOB_OK;

	if (!in->hold.is_on)
		return BOB_OK;
	in->hold.is_on = 0;
	set_pace(in, tempo_period(&in->hold.tempo));
	while (r == BOB_OK && hold_next(&in->hold, &at, &ev))
		r = take_event(p, in, &ev);
	return r;
}

/* An event of a segment whose period is not known yet. */
static int
hold_event(struct bob_profile *p, struct input *in, const struct bob_event *ev)
{
	struct hold *h = &in->hold;

	if (hold_learn(p->ctx, h, ev) < 0)
		return BOB_FATAL;
	if (h->is_on && hold_has_room(h, ev))
		return hold_keep(p->ctx, h, ev);
	if (gather_held(p, in) < 0)
		return BOB_FATAL;
	set_pace(in, tempo_period(&in->hold.tempo));
	return take_event(p, in, ev);
}

int
gather_event(struct bob_profile *p, struct input *in,
    const struct bob_event *ev)
{
	if (ev->kind != BOB_EVENT_SEGMENT)
		return in->hold.is_learning ? hold_event(p, in, ev) :
		    take_event(p, in, ev);
	if (gather_held(p, in) < 0)
		return BOB_FATAL;
	begin_segment(p, in, ev->segment);
	in->hold.is_learning = 0;
	if (in->period_us == 0 && (ev->segment->flags & BOB_SEGMENT_TIMED))
		hold_begin(&in->hold);
	return BOB_OK;
}

void
gather_input_done(struct input *in)
{
	free(in->pulse);
	free(in->with_pid);
	together_done(&in->together);
	hold_done(&in->hold);
	requests_state_done(&in->requests[BY_CLOCK]);
	requests_state_done(&in->requests[BY_PERIOD]);
}
