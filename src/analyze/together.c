/* Requests that are served together: a hash table by process and id, and a list
 * by age; see the header. */
#include "analyze/together.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define BUCKETS (2 * TOGETHER_MOST)

int
together_is(struct bob_bytes id)
{
	return id.n > 1;
}

void
together_done(struct together *t)
{
	free(t->v);
	free(t->bucket);
	memset(t, 0, sizeof(*t));
}

static uint32_t *
bucket_of(struct together *t, uint64_t pid, bob_str id)
{
	uint64_t hash = (pid << 32 ^ id) * UINT64_C(0x9e3779b97f4a7c15);

	return &t->bucket[hash >> 32 & (BUCKETS - 1)];
}

static int
together_begin(struct bob_ctx *ctx, struct together *t)
{
	if (t->bucket != NULL)
		return BOB_OK;
	t->bucket = malloc(BUCKETS * sizeof(*t->bucket));
	if (t->bucket == NULL)
		return err_nomem(ctx);
	memset(t->bucket, 0xff, BUCKETS * sizeof(*t->bucket));
	t->newest = t->oldest = t->free = TOGETHER_NONE;
	return BOB_OK;
}

/* --- by age -------------------------------------------------------------- */

static void
unlink_one(struct together *t, uint32_t i)
{
	struct together_one *one = &t->v[i];

	if (one->newer != TOGETHER_NONE)
		t->v[one->newer].older = one->older;
	else
		t->newest = one->older;
	if (one->older != TOGETHER_NONE)
		t->v[one->older].newer = one->newer;
	else
		t->oldest = one->newer;
}

static void
link_newest(struct together *t, uint32_t i)
{
	t->v[i].newer = TOGETHER_NONE;
	t->v[i].older = t->newest;
	if (t->newest != TOGETHER_NONE)
		t->v[t->newest].newer = i;
	else
		t->oldest = i;
	t->newest = i;
}

/* --- by id --------------------------------------------------------------- */

static uint32_t
together_find(struct together *t, uint64_t pid, bob_str id)
{
	uint32_t i = *bucket_of(t, pid, id);

	while (i != TOGETHER_NONE &&
	    (t->v[i].id != id || t->v[i].pid != pid))
		i = t->v[i].next;
	return i;
}

/* Returns a place for a new request; TOGETHER_NONE without memory. */
static uint32_t
together_add(struct bob_ctx *ctx, struct together *t, uint64_t pid, bob_str id)
{
	uint32_t *bucket = bucket_of(t, pid, id), i = t->free;

	if (i != TOGETHER_NONE) {
		t->free = t->v[i].next;
	} else {
		assert(t->n < TOGETHER_MOST); /* see together_old */
		if (MEM_GROW(ctx, t, v, t->n + 1) < 0)
			return TOGETHER_NONE;
		i = (uint32_t)t->n++;
	}
	memset(&t->v[i], 0, sizeof(t->v[i]));
	t->v[i].pid = pid;
	t->v[i].id = id;
	t->v[i].next = *bucket;
	*bucket = i;
	link_newest(t, i);
	return i;
}

static void
together_drop(struct together *t, uint32_t i)
{
	struct together_one *one = &t->v[i];
	uint32_t *at = bucket_of(t, one->pid, one->id);

	while (*at != i)
		at = &t->v[*at].next;
	*at = one->next;
	unlink_one(t, i);
	one->number = 0;
	one->next = t->free;
	t->free = i;
}

uint32_t
together_old(struct together *t, const struct bob_run *run, uint64_t pid,
    bob_str id)
{
	uint32_t i = t->oldest;
	int is_full;

	if (t->bucket == NULL || i == TOGETHER_NONE)
		return TOGETHER_NONE;
	is_full = t->free == TOGETHER_NONE && t->n >= TOGETHER_MOST &&
	    together_find(t, pid, id) == TOGETHER_NONE;
	if (!is_full && (!(run->flags & BOB_RUN_TIMED) ||
	        run->t_first <= t->v[i].last ||
	        run->t_first - t->v[i].last <= TOGETHER_SILENT_US))
		return TOGETHER_NONE;
	together_drop(t, i);
	return i;
}

/* --- times --------------------------------------------------------------- */

/* Returns how much longer a request is with this run. Runs of several tracks
 * need not be in the order of their times. */
static uint64_t
request_grow(struct together_one *one, const struct pace *pace,
    const struct bob_run *run)
{
	uint64_t more = 0;

	if (pace->is_picked)
		return count_mul(run->count, pace->period_us);
	if (run->t_first < one->first) {
		more = one->first - run->t_first;
		one->first = run->t_first;
	}
	if (run->t_last > one->last) {
		more = count_add(more, run->t_last - one->last);
		one->last = run->t_last;
	}
	return more;
}

static uint64_t
request_start(struct together *t, struct together_one *one,
    const struct pace *pace, const struct bob_run *run)
{
	one->number = ++t->n_request;
	one->n_holes = pace->n_holes;
	one->first = one->last = run->t_first;
	return pace->is_picked ? 0 : pace->period_us;
}

int
together_take(struct bob_ctx *ctx, struct together *t,
    const struct pace *pace, const struct bob_run *run, uint64_t pid,
    bob_str id, uint32_t *place, uint64_t *time_us)
{
	struct together_one *one;
	uint64_t time = 0;
	uint32_t i;

	if (together_begin(ctx, t) < 0)
		return BOB_FATAL;
	i = together_find(t, pid, id);
	if (i == TOGETHER_NONE)
		i = together_add(ctx, t, pid, id);
	if (i == TOGETHER_NONE)
		return BOB_FATAL;
	one = &t->v[i];
	unlink_one(t, i);
	link_newest(t, i);
	if (one->number == 0 || one->n_holes != pace->n_holes)
		time = request_start(t, one, pace, run);
	time = count_add(time, request_grow(one, pace, run));
	*place = i;
	*time_us = run->flags & BOB_RUN_TIMED ? time : 0;
	return BOB_OK;
}
