/*
 * Tracks as viewers of timelines want them. Each is a process and a thread with
 * numbers of 31 bits, and its times never go back.
 *
 *     viewer_init(&s, ctx, dict);
 *     viewer_segment(&s, segment);
 *     t = viewer_get(&s, run->track);    NULL: out of memory
 *     at = viewer_first(&s, t, run);      of the run's first sample
 *     at = viewer_take(&s, t, at);        for each of its samples
 *     viewer_end_run(&s, t);
 *
 * Viewers take 0 for the idle process, merge threads that have one number, and
 * know no threads outside processes. So a number that is unknown, too large or
 * taken by another track is replaced by one from VIEWER_MADE_UP on, and the
 * name says who it is.
 */
#ifndef FORMAT_COMMON_VIEWER_H
#define FORMAT_COMMON_VIEWER_H

#include "format/common/axis.h"
#include "model/dict.h"
#include "model/intern.h"
#include "model/labels.h"

/* No system numbers its processes that far. */
#define VIEWER_MADE_UP 2000000000u

struct viewer_track {
	uint32_t pid, tid; /* the numbers for viewers; 0: never sampled */
	int is_first;      /* nothing was written about it yet; for the
	                    * caller */
	int is_first_of_process;
	int has_samples;
	int64_t last; /* when its last sample was, ... */
	int64_t next; /* ... and when one more would be */
};

/* Numbers that were given out. */
struct viewer_number {
	uint64_t pid, tid;
	uint32_t id; /* the number that stands for it, where that is another */
	uint32_t zero;
};

struct viewer {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	struct axis axis;
	struct viewer_track *track; /* by bob_tid */
	size_t cap_track, n_track;
	struct viewer_number *number; /* 1 .. n_number - 1 */
	size_t cap_number;
	uint32_t n_number;
	uint32_t next_id; /* the next one to make up */
	struct intern by_number;
	uint64_t n_moved; /* samples that viewer_take moved */
	struct labels labels;
	char *name; /* room */
	size_t cap_name;
};

void viewer_init(struct viewer *s, struct bob_ctx *ctx,
    const struct bob_dict *dict);
void viewer_done(struct viewer *s);

void viewer_segment(struct viewer *s, const struct bob_segment *segment);

/* What a mark says about processes. BOB_OK or FATAL. */
int viewer_mark(struct viewer *s, const struct bob_mark *mark);

struct viewer_track *viewer_get_slow(struct viewer *s, bob_tid track);

/* Returns that of a track, valid until a new one is asked for, or NULL when
 * memory is out. */
static inline struct viewer_track *
viewer_get(struct viewer *s, bob_tid track)
{
	if (track < s->n_track && s->track[track].pid != 0)
		return &s->track[track];
	return viewer_get_slow(s, track);
}

/*
 * Gives the name of a thread or its process, as UTF-8: empty for one that has
 * its real numbers and no name. A process is named by metadata, else by the
 * language that was seen in it. Valid until the next call. BOB_OK or FATAL.
 */
int viewer_thread_name(struct viewer *s, bob_tid track, struct bob_bytes *ret);
int viewer_process_name(struct viewer *s, bob_tid track, enum bob_lang lang,
    struct bob_bytes *ret);

/* Returns 1 and the parent of a track's process, or 0 when it is not known. */
int viewer_parent(const struct viewer *s, bob_tid track, uint64_t *ret);

/* Returns where the first sample of a run is on the axis, perhaps before the
 * last one of its track. */
int64_t viewer_first(struct viewer *s, const struct viewer_track *t,
    const struct bob_run *run);

/* Adds a sample at this time, or at the time of the last one if that is later.
 * Returns the time. */
static inline int64_t
viewer_take(struct viewer *s, struct viewer_track *t, int64_t at)
{
	if (t->has_samples && at < t->last) {
		s->n_moved++;
		return t->last;
	}
	t->has_samples = 1;
	return t->last = at;
}

/* To be called after the last sample of a run. */
static inline void
viewer_end_run(struct viewer *s, struct viewer_track *t)
{
	t->next = axis_later(t->last, s->axis.period);
	if (t->next > s->axis.end)
		s->axis.end = t->next;
}

/* Reports how many samples were moved, if any, in the name of `format`. */
void viewer_tell(const struct viewer *s, const char *format);

#endif
