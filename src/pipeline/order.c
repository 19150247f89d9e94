/*
 * Orders samples by time; the rules are in the header. Samples of a segment are
 * gathered in a queue per track, then merged with a heap of the first sample of
 * each queue.
 */
#include "pipeline/order.h"

#include <stdlib.h>

#include "core/memo.h"
#include "pipeline/order_queue.h"

/* Runs and time differences that are handed on at once. */
#define BATCH 512
#define BATCH_DT 4096

/* The first sample of a queue, in the heap. */
struct head {
	int64_t key;
	uint32_t rank; /* decides between equal keys */
	uint32_t queue;
};

struct order {
	struct bob_ctx *ctx;
	struct order_store store;
	struct order_queue *queue; /* one for each track of the segment */
	size_t cap_queue, n_queue;
	uint32_t *by_track; /* its queue + 1, or 0; by id */
	size_t cap_by_track;
	int has_origin; /* the segment has had a time */

	/* Merging: the status and event that the source gave behind the last
	 * sample of the segment; they are given when all samples are. */
	int is_merging;
	int status;
	struct bob_event held;

	struct head *heap;
	size_t cap_heap, n_heap;
	struct bob_run run[BATCH];
	uint32_t dt[BATCH_DT];
	size_t n_run, n_dt;
};

struct order *
order_new(struct bob_ctx *ctx, size_t limit)
{
	struct order *o = calloc(1, sizeof(*o));

	if (o == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	o->ctx = ctx;
	o->store = (struct order_store){ .ctx = ctx, .limit = limit,
		.spill.fd = -1 };
	return o;
}

/* The samples of the segment were all given, or never will be. */
static void
order_forget_segment(struct order *o)
{
	while (o->n_queue > 0) {
		struct order_queue *q = &o->queue[--o->n_queue];

		o->by_track[q->track] = 0;
		order_queue_done(q);
	}
	order_store_reset(&o->store);
	o->n_heap = 0;
	o->has_origin = 0;
	o->is_merging = 0;
}

void
order_free(struct order *o)
{
	if (o == NULL)
		return;
	order_forget_segment(o);
	order_store_done(&o->store);
	free(o->queue);
	free(o->by_track);
	free(o->heap);
	free(o);
}

/* The queue of a track, or NULL when memory is out. */
static struct order_queue *
queue_of(struct order *o, bob_tid track)
{
	size_t n = o->n_queue;

	if (track < o->cap_by_track && o->by_track[track] != 0)
		return &o->queue[o->by_track[track] - 1];
	if (MEMO_GROW(o->ctx, o, by_track, (size_t)track + 1) < 0 ||
	    MEM_GROW(o->ctx, o, queue, n + 1) < 0)
		return NULL;
	order_queue_init(&o->queue[n], track);
	o->by_track[track] = (uint32_t)++o->n_queue;
	return &o->queue[n];
}

/* Takes the runs of an event into queues, and leaves those in it that are not
 * held back. */
static int
order_gather(struct order *o, struct bob_event *ev)
{
	const struct bob_run *v = ev->runs;
	size_t n = ev->n_runs, i = 0;

	if (!o->has_origin) {
		while (i < n && !(v[i].flags & BOB_RUN_TIMED))
			i++;
		ev->n_runs = i;
		if (i == n)
			return BOB_OK;
		o->has_origin = 1;
		o->store.origin = v[i].t_first;
	} else {
		ev->n_runs = 0;
	}
	for (; i < n; i++) {
		struct order_queue *q = queue_of(o, v[i].track);

		if (q == NULL || order_queue_put(&o->store, q, &v[i]) < 0)
			return BOB_FATAL;
	}
	if (o->store.used > o->store.limit)
		return order_store_spill(&o->store, o->queue, o->n_queue);
	return BOB_OK;
}

static int
by_first_sample(const void *a, const void *b)
{
	const struct head *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->queue < y->queue ? -1 : 1;
}

/* All samples of the segment are gathered. The heads, sorted, are a heap. */
static int
begin_merge(struct order *o)
{
	size_t i;

	o->is_merging = 1;
	if (o->n_queue == 0)
		return BOB_OK;
	if (order_store_rewind(&o->store, o->queue, o->n_queue) < 0 ||
	    MEM_GROW(o->ctx, o, heap, o->n_queue) < 0)
		return BOB_FATAL;
	for (i = 0; i < o->n_queue; i++) {
		if (order_queue_get(&o->store, &o->queue[i]) < 0)
			return BOB_FATAL;
		o->heap[i] = (struct head){ .key = o->queue[i].key,
			.queue = (uint32_t)i };
	}
	qsort(o->heap, o->n_queue, sizeof(*o->heap), by_first_sample);
	for (i = 0; i < o->n_queue; i++)
		o->heap[i].rank = (uint32_t)i;
	o->n_heap = o->n_queue;
	return BOB_OK;
}

static int
is_before(const struct head *a, const struct head *b)
{
	return a->key != b->key ? a->key < b->key : a->rank < b->rank;
}

/* Puts x into the heap, from the top down. */
static void
heap_sift_down(struct order *o, struct head x)
{
	struct head *heap = o->heap;
	size_t n = o->n_heap, at = 0, child;

	for (;;) {
		child = 2 * at + 1;
		if (child >= n)
			break;
		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &x))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = x;
}

/* Joins the samples to the newest run of the batch if they continue it. Returns
 * 1, or 0. There is room for a run and a difference. */
static int
order_join_run(struct order *o, const struct order_queue *q)
{
	const struct order_sample *s = &q->now;
	struct bob_run *last;
	uint64_t dt;

	if (o->n_run == 0)
		return 0;
	last = &o->run[o->n_run - 1];
	dt = s->t - last->t_last;
	if (last->stack != s->stack || last->track != q->track ||
	    last->annot != s->annot || last->status != s->status ||
	    last->flags != s->flags)
		return 0;
	if (s->count == 1 && (last->count == 1 || last->dt != NULL) &&
	    (s->flags & BOB_RUN_TIMED)) {
		if (dt > UINT32_MAX)
			return 0;
		if (last->dt == NULL)
			last->dt = &o->dt[o->n_dt];
		o->dt[o->n_dt++] = (uint32_t)dt;
		last->t_last = s->t;
		last->count++;
		return 1;
	}
	/* Without times of their own. */
	if (last->dt != NULL || s->count > BOB_MAX_COUNT - last->count ||
	    ((s->flags & BOB_RUN_TIMED) && dt != 0))
		return 0;
	last->count += s->count;
	return 1;
}

static void
append_run(struct order *o, const struct order_queue *q)
{
	const struct order_sample *s = &q->now;
	uint64_t t = s->flags & BOB_RUN_TIMED ? s->t : 0;

	if (order_join_run(o, q))
		return;
	o->run[o->n_run++] = (struct bob_run){ .count = s->count,
		.t_first = t, .t_last = t, .stack = s->stack,
		.track = q->track, .annot = s->annot, .status = s->status,
		.flags = s->flags };
}

/* Gives as many samples as fit into a batch, in order. */
static int
order_give(struct order *o, struct bob_event *ret)
{
	o->n_run = o->n_dt = 0;
	while (o->n_heap > 0 && o->n_run < BATCH && o->n_dt < BATCH_DT) {
		struct head top = o->heap[0];
		struct order_queue *q = &o->queue[top.queue];
		int r;

		append_run(o, q);
		r = order_queue_get(&o->store, q);
		if (r < 0)
			return r;
		if (r == 0)
			top = o->heap[--o->n_heap];
		else
			top.key = q->key;
		if (o->n_heap > 0)
			heap_sift_down(o, top);
	}
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = o->run,
		.n_runs = o->n_run };
	return BOB_OK;
}

/* Reads until something is to be handed on: BOB_OK. Otherwise the segment is
 * complete, or the input has no more yet. */
static int
gather_segment(struct order *o, struct source *src, struct bob_event *ret)
{
	int r;

	for (;;) {
		r = src->ops->next(src, ret);
		if (r != BOB_OK || ret->kind == BOB_EVENT_SEGMENT)
			break;
		if (ret->kind == BOB_EVENT_MARK)
			return BOB_OK;
		r = order_gather(o, ret);
		if (r < 0 || ret->n_runs > 0)
			return r;
	}
	if (r == BOB_AGAIN)
		return r;
	/* What `ret` points to stays until the source is called again. */
	o->status = r;
	o->held = *ret;
	return begin_merge(o);
}

int
order_next(struct order *o, struct source *src, struct bob_event *ret)
{
	int r;

	if (!o->is_merging) {
		r = gather_segment(o, src, ret);
		if (r != BOB_OK || !o->is_merging)
			return r;
	}
	if (o->n_heap > 0)
		return order_give(o, ret);
	order_forget_segment(o);
	*ret = o->held;
	return o->status;
}
