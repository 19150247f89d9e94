/*
 * Tasks: tracks as viewers of timelines want them. Each is a process and a
 * thread with numbers of 31 bits, and its times never go back.
 *
 *     tasks_init(&s, ctx, dict);
 *     tasks_segment(&s, segment);
 *     t = tasks_get(&s, run->track);      NULL: out of memory
 *     at = tasks_first(&s, t, run);       of the run's first sample
 *     at = tasks_take(&s, t, at);         for each of its samples
 *     tasks_end_run(&s, t);
 *
 * Viewers take 0 for the idle process, merge threads that have one number, and
 * know no threads outside processes. So a number that is unknown, too large or
 * taken by another track is replaced by one from TASK_MADE_UP on, and the name
 * says who it is.
 */
#ifndef FORMAT_COMMON_TASKS_H
#define FORMAT_COMMON_TASKS_H

#include "format/common/axis.h"
#include "model/dict.h"
#include "model/intern.h"
#include "model/labels.h"

/* No system numbers its processes that far. */
#define TASK_MADE_UP 2000000000u

struct task {
	uint32_t pid, tid; /* the numbers for viewers; 0: never sampled */
	int is_first;      /* nothing was written about it yet; for the
	                    * caller */
	int is_first_of_process;
	int has_samples;
	int64_t last; /* when its last sample was, ... */
	int64_t next; /* ... and when one more would be */
};

/* Numbers that were given out. */
struct task_number {
	uint64_t pid, tid;
	uint32_t id; /* the number that stands for it, where that is another */
	uint32_t zero;
};

struct tasks {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	struct axis axis;
	struct task *task; /* by track */
	size_t cap_task, n_task;
	struct task_number *number; /* 1 .. n_number - 1 */
	size_t cap_number;
	uint32_t n_number;
	uint32_t next_id; /* the next one to make up */
	struct intern by_number;
	uint64_t n_moved; /* samples that tasks_take moved */
	struct labels labels;
	char *name; /* room */
	size_t cap_name;
};

void tasks_init(struct tasks *s, struct bob_ctx *ctx,
    const struct bob_dict *dict);
void tasks_done(struct tasks *s);

void tasks_segment(struct tasks *s, const struct bob_segment *segment);

/* What a mark says about processes. BOB_OK or FATAL. */
int tasks_mark(struct tasks *s, const struct bob_mark *mark);

struct task *tasks_get_slow(struct tasks *s, bob_tid track);

/* Returns the task of a track, valid until a new one is asked for, or NULL when
 * memory is out. */
static inline struct task *
tasks_get(struct tasks *s, bob_tid track)
{
	if (track < s->n_task && s->task[track].pid != 0)
		return &s->task[track];
	return tasks_get_slow(s, track);
}

/*
 * Gives the name of a thread or its process, as UTF-8: empty for one that has
 * its real numbers and no name. A process is named by metadata, else by the
 * language that was seen in it. Valid until the next call. BOB_OK or FATAL.
 */
int tasks_thread_name(struct tasks *s, bob_tid track, struct bob_bytes *ret);
int tasks_process_name(struct tasks *s, bob_tid track, enum bob_lang lang,
    struct bob_bytes *ret);

/* Returns 1 and the parent of a track's process, or 0 when it is not known. */
int tasks_parent(const struct tasks *s, bob_tid track, uint64_t *ret);

/* Returns where the first sample of a run is on the axis, perhaps before the
 * last one of the task. */
int64_t tasks_first(struct tasks *s, const struct task *t,
    const struct bob_run *run);

/* Adds a sample at this time, or at the time of the last one if that is later.
 * Returns the time. */
static inline int64_t
tasks_take(struct tasks *s, struct task *t, int64_t at)
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
tasks_end_run(struct tasks *s, struct task *t)
{
	t->next = axis_later(t->last, s->axis.period);
	if (t->next > s->axis.end)
		s->axis.end = t->next;
}

/* Reports how many samples were moved, if any, in the name of `format`. */
void tasks_tell(const struct tasks *s, const char *format);

#endif
