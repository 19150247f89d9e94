/*
 * Adding runs to a profile that has only sums; see gather.h.
 *
 * What a run adds depends on its stack and its times; all else (the note of its
 * annotations, the part of the sums that it belongs to) is the same for runs of
 * one track, status and annotations. Such runs share a lane, which is added to
 * the sums at the end of the event, or when others need its place.
 */
#include "analyze/gather.h"
#include "core/mem.h"
#include "core/memo.h"

/* Lanes that are open at a time: threads that take turns keep theirs. */
#define LANES 8u

struct lane {
	const struct bob_run *like; /* its first run; NULL: not open */
	bob_str id;                 /* of a request; 0: none */
	struct sums_part part[2];   /* by whether the sample is idle */
};

struct summing {
	struct bob_profile *p;
	struct input *in;
	struct side *side;
	uint64_t period_us;
	int has_rows;
	struct lane lane[LANES];
};

int
gather_only_sums(const struct bob_profile *p, const struct input *in)
{
	return in->filter == NULL && ((p->flags & BOB_PROFILE_TIMES) != 0 ||
	    (p->has_bare_rows && in->side == 0 && p->last.cap == 0 &&
	        p->split == BOB_SPLIT_NONE &&
	        (p->flags & (BOB_PROFILE_RUNS | BOB_PROFILE_REQUESTS)) == 0));
}

static int
is_kept(const struct bob_profile *p, int is_idle)
{
	return p->idle_mode == BOB_IDLE_KEEP ||
	    is_idle == (p->idle_mode == BOB_IDLE_ONLY);
}

/* --- lanes ---------------------------------------------------------------- */

static int
close_lane(struct summing *s, struct lane *l)
{
	const struct bob_profile *p = s->p;
	struct side *side = s->side;
	int i;

	l->like = NULL;
	for (i = 0; i < 2; i++) {
		struct sums_part *part = &l->part[i];
		uint64_t us;

		if (part->samples == 0)
			continue;
		us = count_mul(part->samples, s->period_us);
		part->us[BY_PERIOD] = us;
		side->n_read = count_add(side->n_read, part->samples);
		side->read_us = count_add(side->read_us, us);
		if (part->is_shared && s->has_rows) {
			side->n_samples = count_add(side->n_samples,
			    part->samples);
			side->period_us = count_add(side->period_us, us);
			side->clock_us = count_add(side->clock_us,
			    part->us[BY_CLOCK]);
		}
		if ((part->is_shared || p->idle_mode != BOB_IDLE_ONLY) &&
		    sums_add(p->ctx, &side->aside, part) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Returns 1; 0 if the samples of such runs are not alone in what they add; or
 * FATAL. */
static int
open_lane(struct summing *s, struct lane *l, const struct bob_run *run)
{
	struct bob_profile *p = s->p;
	const struct note *note;
	bob_tid track;
	int i;

	if (l->like != NULL && close_lane(s, l) < 0)
		return BOB_FATAL;
	if ((note = gather_note(p, run->annot)) == NULL ||
	    MEMO_GROW(p->ctx, s->in, pulse, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	if (note->is_task || note->is_together)
		return 0;
	track = gather_track(p, s->in, run->track);
	if (track == BOB_NO_ID)
		return BOB_FATAL;
	/* For samples without times it only notes that no request is there:
	 * once is enough. */
	if (!(run->flags & BOB_RUN_TIMED) && note->id == 0)
		(void)pulse_take(&s->in->pulse[run->track], &s->in->pace, run,
		    0, 0);
	l->like = run;
	l->id = note->id;
	for (i = 0; i < 2; i++)
		l->part[i] = (struct sums_part){ .track = track,
			.status = run->status, .flags = run->flags,
			.is_idle = (uint8_t)i,
			.is_shared = (uint8_t)is_kept(p, i) };
	return 1;
}

static inline int
is_alike(const struct bob_run *a, const struct bob_run *b)
{
	return a->track == b->track && a->annot == b->annot &&
	    a->status == b->status && a->flags == b->flags;
}

static inline struct lane *
lane_of(struct summing *s, const struct bob_run *run)
{
	return &s->lane[(run->track ^ run->annot ^ run->status) % LANES];
}

/* --- runs ----------------------------------------------------------------- */

static uint32_t
find_row(const struct summing *s, bob_stack stack, int is_idle)
{
	struct row_key key = { .stack = stack, .is_idle = (uint8_t)is_idle };
	struct rows *rows = &s->p->rows;

	return rows_of_key(rows, &key, rows_hash(rows, &key));
}

static int
add_to_row(const struct summing *s, const struct bob_run *run, int is_idle,
    uint64_t clock_us)
{
	struct bob_profile *p = s->p;
	struct row *row;
	uint32_t *at;

	if (MEMO_GROW(p->ctx, p, bare, (size_t)run->stack + 1) < 0)
		return BOB_FATAL;
	at = &p->bare[run->stack].row[is_idle];
	if (*at == 0)
		*at = find_row(s, run->stack, is_idle) + 1;
	if (*at == 0)
		return BOB_FATAL;
	row = &p->rows.row[*at - 1];
	row->samples = count_add(row->samples, run->count);
	row->period_us = count_add(row->period_us,
	    count_mul(run->count, s->period_us));
	if (run->flags & BOB_RUN_TIMED) {
		row->clock_us = count_add(row->clock_us, clock_us);
		gather_note_times(s->side, s->in, run);
	}
	return BOB_OK;
}

/* Takes a run with times. Returns its time by the clock. */
static uint64_t
take_times(const struct summing *s, const struct bob_run *run, bob_str id)
{
	struct input *in = s->in;
	uint64_t first = pulse_take(&in->pulse[run->track], &in->pace, run, id,
	    0);

	clock_note(&in->clock, run);
	gather_note_read(s->side, in, run);
	return pulse_run(&in->pace, run, id, first);
}

/* Returns 1; 0 if the run has to be added by gather_block; or FATAL. */
static int
add_run(struct summing *s, const struct bob_run *run)
{
	struct lane *l = lane_of(s, run);
	struct input *in = s->in;
	struct sums_part *part;
	uint64_t us = 0;
	int idle, r;

	if (l->like == NULL || !is_alike(l->like, run)) {
		r = open_lane(s, l, run);
		if (r <= 0)
			return r;
	}
	idle = in->pace.is_picked ? 0 : idle_of(&s->p->idle, run->stack,
	    run->status, run->flags);
	if (idle < 0)
		return BOB_FATAL;
	part = &l->part[idle];
	part->samples = count_add(part->samples, run->count);
	if (run->flags & BOB_RUN_TIMED) {
		us = take_times(s, run, l->id);
		part->us[BY_CLOCK] = count_add(part->us[BY_CLOCK], us);
	} else if (l->id != 0) {
		(void)pulse_take(&in->pulse[run->track], &in->pace, run, l->id,
		    0);
	}
	if (s->has_rows && part->is_shared &&
	    add_to_row(s, run, idle, us) < 0)
		return BOB_FATAL;
	return 1;
}

int
gather_sums(struct bob_profile *p, struct input *in, const struct bob_run *v,
    size_t n)
{
	struct summing s = { .p = p, .in = in, .side = &p->side[in->side],
		.period_us = gather_period(in),
		.has_rows = (p->flags & BOB_PROFILE_TIMES) == 0 };
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		r = add_run(&s, &v[i]);
		if (r == 0)
			r = gather_block(p, in, &v[i], 1);
		if (r < 0)
			return BOB_FATAL;
	}
	for (i = 0; i < LANES; i++)
		if (s.lane[i].like != NULL && close_lane(&s, &s.lane[i]) < 0)
			return BOB_FATAL;
	if (n > 0)
		gather_note_period(s.side, in);
	return BOB_OK;
}
