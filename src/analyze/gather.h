/*
 * The inside of adding events to a profile. All work is per run: a run of any
 * length takes the same time, unless it crosses bins of the time strip or
 * contains pauses.
 *
 *     gather.c       events and blocks of runs: what passes
 *     gather_mark.c  segments, marks, and the facts in metadata
 *     gather_note.c  what annotations say of a run
 *     gather_add.c   adding a run to rows, strip, history and requests
 *     gather_sums.c  adding runs to a profile that has only sums
 *
 * The time of a sample never depends on the filter, so every run that is read
 * goes through take_pulse before the filter drops it.
 */
#ifndef ANALYZE_GATHER_H
#define ANALYZE_GATHER_H

#include "analyze/profile.h"
#include "model/weights.h"

/* Runs that go through the steps of finding a row together (rows.h): enough for
 * prefetching, few enough for the first-level cache. */
#define GATHER_BLOCK 64u

/* A run on its way to its row. */
struct gather_run {
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

static inline uint64_t
gather_period(const struct input *in)
{
	return in->period_us != 0 ? in->period_us : WEIGHTS_DEFAULT_PERIOD;
}

/* Converts a time to the trace's clock, which does not go below 0. */
static inline uint64_t
gather_at(const struct input *in, uint64_t t)
{
	int64_t at = (int64_t)(t + in->clock.shift);

	return at < 0 ? 0 : (uint64_t)at;
}

/* Notes the times of a run that was read. */
static inline void
gather_note_read(struct side *side, const struct input *in,
    const struct bob_run *run)
{
	uint64_t first = gather_at(in, run->t_first);
	uint64_t last = gather_at(in, run->t_last);

	if (!side->has_read_time || first < side->read_first)
		side->read_first = first;
	if (!side->has_read_time || last > side->read_last)
		side->read_last = last;
	side->has_read_time = 1;
}

/* Notes the times of a run that has rows. */
static inline void
gather_note_times(struct side *side, const struct input *in,
    const struct bob_run *run)
{
	uint64_t first = gather_at(in, run->t_first);
	uint64_t last = gather_at(in, run->t_last);

	if (!side->has_time || first < side->t_first)
		side->t_first = first;
	if (!side->has_time || last > side->t_last)
		side->t_last = last;
	side->has_time = 1;
	side->n_timed = count_add(side->n_timed, run->count);
}

/* gather_mark.c. Those that return int: BOB_OK or FATAL. */
void gather_segment(struct bob_profile *p, struct input *in,
    const struct bob_segment *s);
int gather_mark(struct bob_profile *p, struct input *in,
    const struct bob_mark *m);

/* Sets an estimated period; 0: there is none. */
void gather_pace(struct input *in, uint64_t period);

/* Notes the period of a segment that has samples. */
void gather_note_period(struct side *side, const struct input *in);

/* Puts a track with the pid of the segment's metadata, if it has none. Returns
 * it, or BOB_NO_ID without memory. */
bob_tid gather_new_track(struct bob_profile *p, struct input *in, bob_tid id);

/* Returns the track of a sample, with that pid; BOB_NO_ID without memory. */
static inline bob_tid
gather_track(struct bob_profile *p, struct input *in, bob_tid id)
{
	if (!in->has_pid)
		return id;
	return id < in->cap_with_pid && in->with_pid[id] != 0
	    ? in->with_pid[id] : gather_new_track(p, in, id);
}

/* gather_note.c: finds what a set of annotations says, and keeps it in p->note.
 * BOB_OK or FATAL. */
int gather_learn_note(struct bob_profile *p, bob_annot annot);

/* Returns what a set of annotations says; NULL without memory. Valid until the
 * next call. */
static inline const struct note *
gather_note(struct bob_profile *p, bob_annot annot)
{
	if ((annot >= p->cap_note || !p->note[annot].is_known) &&
	    gather_learn_note(p, annot) < 0)
		return NULL;
	return &p->note[annot];
}

/* Takes a run of a request that is served together with others. BOB_OK or
 * FATAL. */
int gather_together(struct bob_profile *p, struct input *in,
    struct gather_run *place, bob_str id);

/* Sets us[BY_CLOCK] and us[BY_PERIOD] to the time of a whole run. */
static inline void
gather_times(const struct input *in, const struct gather_run *place,
    uint64_t *us)
{
	const struct bob_run *run = place->run;

	us[BY_CLOCK] = run->flags & BOB_RUN_TIMED
	    ? pulse_run(&in->pace, run, place->id, place->first) : 0;
	us[BY_PERIOD] = count_mul(run->count, gather_period(in));
}

/* gather.c: adds a block of runs, of at most GATHER_BLOCK. BOB_OK or FATAL. */
int gather_block(struct bob_profile *p, struct input *in,
    const struct bob_run *v, size_t n);

/* gather_sums.c: true for a profile that has only sums, or rows by stack alone,
 * of an input without a filter. Then this adds runs in a third of the time. */
int gather_only_sums(const struct bob_profile *p, const struct input *in);

/* BOB_OK or FATAL. */
int gather_sums(struct bob_profile *p, struct input *in,
    const struct bob_run *v, size_t n);

/* gather.c: makes the key of a run. */
void gather_key(const struct bob_profile *p, const struct input *in,
    struct gather_run *place);

/* gather_add.c: returns the epoch of a run in its key. */
uint32_t gather_epoch(const struct bob_profile *p, const struct input *in,
    const struct bob_run *run, uint64_t at);

/* Adds a run that has its key. BOB_OK or FATAL. */
int gather_add(struct bob_profile *p, struct input *in,
    const struct gather_run *place);

/* The same; a run that crosses a minute becomes one per minute. */
int gather_add_by_minute(struct bob_profile *p, struct input *in,
    const struct gather_run *place);

#endif
