/*
 * Adding the events of an input to the sums of a profile: which runs pass, in
 * blocks; see gather.h.
 */
#include <stdlib.h>

#include "analyze/gather.h"
#include "core/mem.h"
#include "core/memo.h"

/* Changes a run as the filter and the metadata want it: 1, 0 when it does not
 * pass, or FATAL. place->first becomes the time of what is now its first
 * sample. */
static int
pass_run(struct bob_profile *p, struct input *in, struct bob_run *run,
    struct gather_run *place)
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
	run->track = gather_track(p, in, run->track);
	return run->track == BOB_NO_ID ? BOB_FATAL : 1;
}

/*
 * Finds the time of the first sample of a run, and its request. Called for
 * every run, also for those that the filter drops.
 */
static int
take_pulse(struct bob_profile *p, struct input *in, struct gather_run *place)
{
	const struct bob_run *run = place->run;
	const struct note *note;
	struct pulse *pulse;

	if (gather_note(p, run->annot) == NULL)
		return BOB_FATAL;
	if (MEMO_GROW(p->ctx, in, pulse, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	note = &p->note[run->annot];
	pulse = &in->pulse[run->track];
	place->id = note->is_together ? 0 : note->id;
	place->shared = TOGETHER_NONE;
	place->is_waiting = note->is_task && !(bob_track_get(p->dict,
	    run->track)->flags & BOB_TRACK_TID);
	place->first = pulse_take(pulse, &in->pace, run, place->id,
	    note->is_task);
	place->request = pulse->n_request;
	return note->is_together ? gather_together(p, in, place, note->id)
	                         : BOB_OK;
}

/* Notes a run that was read, before the filter. */
static int
note_run(struct bob_profile *p, struct input *in, const struct bob_run *run,
    struct gather_run *place)
{
	struct side *side = &p->side[in->side];
	int idle;

	place->run = run;
	place->at = side->read_us;
	side->read_us = count_add(side->read_us,
	    count_mul(run->count, gather_period(in)));
	side->n_read = count_add(side->n_read, run->count);
	if (run->flags & BOB_RUN_TIMED) {
		clock_note(&in->clock, run);
		gather_note_read(side, in, run);
	}
	idle = in->pace.is_picked ? 0 : idle_of(&p->idle, run->stack,
	    run->status, run->flags);
	if (idle < 0)
		return BOB_FATAL;
	place->is_idle = (uint8_t)idle;
	return take_pulse(p, in, place);
}

/* Adds the times of a run that a row does not tell. Returns 1 if it has a row
 * even so; 0; or FATAL. */
static int
add_aside(struct bob_profile *p, struct input *in,
    const struct gather_run *place, int is_shared)
{
	const struct bob_run *run = place->run;
	struct sums_part part = { .track = run->track,
		.status = run->status, .flags = run->flags,
		.is_idle = place->is_idle,
		.is_waiting = (uint8_t)place->is_waiting,
		.is_shared = (uint8_t)is_shared, .samples = run->count };

	if (!is_shared && p->idle_mode == BOB_IDLE_ONLY)
		return 0;
	gather_times(in, place, part.us);
	return sums_add(p->ctx, &p->side[in->side].aside, &part) < 0
	    ? BOB_FATAL : is_shared && !(p->flags & BOB_PROFILE_TIMES);
}

/* Returns 1 if this sample has a row; 0 if it is left out or set aside, because
 * it is idle or only times are wanted; or FATAL. */
static inline int
has_row(struct bob_profile *p, struct input *in, const struct gather_run *place)
{
	int is_shared = p->idle_mode == BOB_IDLE_KEEP ||
	    place->is_idle == (p->idle_mode == BOB_IDLE_ONLY);

	return is_shared && !p->has_bare_rows &&
	    !(p->flags & BOB_PROFILE_TIMES) ? 1
	    : add_aside(p, in, place, is_shared);
}

/* Returns the annotation set that rows have for this one. */
static bob_annot
rest_of(const struct bob_profile *p, bob_annot annot)
{
	return annot == 0 ? 0 : p->note[annot].rest;
}

static inline void
make_key(const struct bob_profile *p, const struct input *in,
    struct gather_run *place)
{
	const struct bob_run *run = place->run;
	uint8_t flags = run->flags & BOB_RUN_STATUS;

	if (p->has_bare_rows) {
		place->key = (struct row_key){ .stack = run->stack,
			.side = (uint8_t)in->side,
			.is_idle = place->is_idle };
		place->hash = rows_hash(&p->rows, &place->key);
		return;
	}
	place->key = (struct row_key){ .stack = run->stack,
		.track = run->track, .annot = rest_of(p, run->annot),
		.epoch = p->split == BOB_SPLIT_NONE ? 0
		    : gather_epoch(p, in, run, place->at), .flags = flags,
		.status = flags != 0 ? run->status : 0,
		.side = (uint8_t)in->side, .is_idle = place->is_idle };
	place->hash = rows_hash(&p->rows, &place->key);
}

void
gather_key(const struct bob_profile *p, const struct input *in,
    struct gather_run *place)
{
	make_key(p, in, place);
}

/* The first step: what passes the filter, and the slots of its rows. Returns
 * how many do, or FATAL. room[] is for runs that are changed. */
static int
place_runs(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n, struct bob_run *room, struct gather_run *place)
{
	int is_changed = in->filter != NULL || in->has_pid, kept = 0, r;
	int n_passed = 0;
	size_t i;

	for (i = 0; i < n; i++)
		__builtin_prefetch(idle_slot(&p->idle, v[i].stack));
	for (i = 0; i < n; i++) {
		struct gather_run *to = &place[kept];

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
		r = has_row(p, in, to);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		make_key(p, in, to);
		__builtin_prefetch(rows_slot(&p->rows, to->hash));
		kept++;
	}
	if (n_passed > 0)
		gather_note_period(&p->side[in->side], in);
	return kept;
}

int
gather_block(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n_run)
{
	MEM_UNSET struct gather_run place[GATHER_BLOCK];
	MEM_UNSET struct bob_run room[GATHER_BLOCK];
	int n = place_runs(p, in, v, n_run, room, place), i;

	if (n < 0)
		return n;
	for (i = 0; i < n; i++) {
		place[i].guess = rows_guess(&p->rows, place[i].hash);
		__builtin_prefetch(rows_guessed(&p->rows, place[i].guess), 1);
	}
	for (i = 0; i < n; i++)
		if ((p->split == BOB_SPLIT_MINUTE
		        ? gather_add_by_minute(p, in, &place[i])
		        : gather_add(p, in, &place[i])) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

static int
add_runs(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n)
{
	size_t i, some;

	if (gather_only_sums(p, in))
		return gather_sums(p, in, v, n);
	for (i = 0; i < n; i += some) {
		some = n - i < GATHER_BLOCK ? n - i : GATHER_BLOCK;
		if (gather_block(p, in, v + i, some) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
take_event(struct bob_profile *p, struct input *in, const struct bob_event *ev)
{
	return ev->kind == BOB_EVENT_MARK ? gather_mark(p, in, ev->mark) :
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
	gather_pace(in, tempo_period(&in->hold.tempo));
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
	gather_pace(in, tempo_period(&in->hold.tempo));
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
	gather_segment(p, in, ev->segment);
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
