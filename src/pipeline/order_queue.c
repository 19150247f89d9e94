/*
 * Packed queues; see the header. An entry is a run:
 *
 *     tag  [count]  [stack]  [annot]  [status]  [time]  [dt] x (count - 1)
 *
 * The tag says which fields are there; one that is not is as in the entry
 * before. Numbers are varints, the time is a zigzag difference. No number
 * crosses a chunk.
 */
#include "pipeline/order_queue.h"

#include <stdlib.h>
#include <string.h>

#include "core/varint.h"

enum tag {
	TAG_TIMED = BOB_RUN_TIMED,
	TAG_STATUS = BOB_RUN_STATUS,
	TAG_RUN_FLAGS = TAG_TIMED | TAG_STATUS,
	TAG_COUNT = 1 << 2, /* else 1 */
	TAG_STACK = 1 << 3,
	TAG_ANNOT = 1 << 4,
	TAG_NEW_STATUS = 1 << 5,
	TAG_DT = 1 << 6 /* each sample has its own time */
};

/* The longest entry without its differences: tag, status, ids, count and
 * time. Also more than one difference takes. */
#define ENTRY_MAX (2 + 2 * 5 + 2 * VARINT_MAX)

/* A trace may have a million threads with one sample each, so a queue begins
 * small. */
#define CHUNK_MIN 64
#define CHUNK_MAX ((size_t)64 << 10)
_Static_assert(CHUNK_MIN >= 2 * ENTRY_MAX, "an entry fits the least buffer");

struct order_chunk {
	struct order_chunk *next;
	size_t cap, n;
	uint8_t bytes[];
};

void
order_queue_init(struct order_queue *q, bob_tid track)
{
	*q = (struct order_queue){ .track = track, .key = INT64_MIN };
}

static int
add_chunk(struct order_store *s, struct order_queue *q)
{
	size_t cap = q->last == NULL ? CHUNK_MIN :
	    q->last->cap < CHUNK_MAX ? 2 * q->last->cap : CHUNK_MAX;
	struct order_chunk *c = malloc(sizeof(*c) + cap);

	if (c == NULL)
		return err_nomem(s->ctx);
	*c = (struct order_chunk){ .cap = cap };
	if (q->last == NULL)
		q->first = c;
	else
		q->last->next = c;
	q->last = c;
	s->used += sizeof(*c) + cap;
	return BOB_OK;
}

/* Room for an entry or a difference at the end of the last chunk, or NULL. */
static uint8_t *
queue_room(struct order_store *s, struct order_queue *q)
{
	if ((q->last == NULL || q->last->cap - q->last->n < ENTRY_MAX) &&
	    add_chunk(s, q) < 0)
		return NULL;
	return q->last->bytes + q->last->n;
}

static void
queue_commit(struct order_queue *q, const uint8_t *end)
{
	q->last->n = (size_t)(end - q->last->bytes);
}

/* `count` samples of `run` from time t on, without their differences. */
static int
put_entry(struct order_store *s, struct order_queue *q,
    const struct bob_run *run, uint64_t t, uint64_t count, unsigned tag)
{
	struct order_sample *last = &q->now;
	uint8_t *p = queue_room(s, q);

	if (p == NULL)
		return BOB_FATAL;
	tag |= (run->flags & TAG_RUN_FLAGS) |
	    (count != 1 ? TAG_COUNT : 0) |
	    (run->stack != last->stack ? TAG_STACK : 0) |
	    (run->annot != last->annot ? TAG_ANNOT : 0) |
	    (run->status != last->status ? TAG_NEW_STATUS : 0);
	*p++ = (uint8_t)tag;
	if (tag & TAG_COUNT)
		p = varint_put(p, count);
	if (tag & TAG_STACK)
		p = varint_put(p, run->stack);
	if (tag & TAG_ANNOT)
		p = varint_put(p, run->annot);
	if (tag & TAG_NEW_STATUS)
		*p++ = run->status;
	if (tag & TAG_TIMED) {
		p = varint_put(p, zigzag((int64_t)(t - last->t)));
		last->t = t;
	}
	last->stack = run->stack;
	last->annot = run->annot;
	last->status = run->status;
	queue_commit(q, p);
	return BOB_OK;
}

static int
put_times(struct order_store *s, struct order_queue *q,
    const struct bob_run *run)
{
	uint64_t i;
	uint8_t *p;

	for (i = 0; i + 1 < run->count; i++) {
		p = queue_room(s, q);
		if (p == NULL)
			return BOB_FATAL;
		queue_commit(q, varint_put(p, run->dt[i]));
		q->now.t += run->dt[i];
	}
	return BOB_OK;
}

int
order_queue_put(struct order_store *s, struct order_queue *q,
    const struct bob_run *run)
{
	int r;

	if (!(run->flags & BOB_RUN_TIMED) || run->count == 1)
		return put_entry(s, q, run, run->t_first, run->count, 0);
	if (run->dt != NULL) {
		r = put_entry(s, q, run, run->t_first, run->count, TAG_DT);
		return r < 0 ? r : put_times(s, q, run);
	}
	if (run->t_last == run->t_first)
		return put_entry(s, q, run, run->t_first, run->count, 0);
	/* The times in between are not known, and none are made up. */
	r = put_entry(s, q, run, run->t_first, 1, 0);
	return r < 0 ? r : put_entry(s, q, run, run->t_last, run->count - 1,
	    0);
}

static void
drop_first(struct order_queue *q)
{
	struct order_chunk *c = q->first;

	q->first = c->next;
	if (q->first == NULL)
		q->last = NULL;
	free(c);
}

static int
spill_queue(struct order_store *s, struct order_queue *q)
{
	struct order_extent *e;
	int r = BOB_OK;

	if (q->first == NULL)
		return BOB_OK;
	if (MEM_GROW(s->ctx, q, extent, q->n_extent + 1) < 0)
		return BOB_FATAL;
	e = &q->extent[q->n_extent++];
	e->start = s->spill.size;
	while (r == BOB_OK && q->first != NULL) {
		r = temp_write(&s->spill, "ordering by time",
		    q->first->bytes, q->first->n);
		drop_first(q);
	}
	e->end = s->spill.size;
	return r;
}

int
order_store_spill(struct order_store *s, struct order_queue *q, size_t n)
{
	int r = BOB_OK;
	size_t i;

	if (s->spill.fd < 0)
		r = temp_open(&s->spill, s->ctx);
	for (i = 0; r == BOB_OK && i < n; i++)
		r = spill_queue(s, &q[i]);
	s->used = 0;
	return r;
}

int
order_store_rewind(struct order_store *s, struct order_queue *q, size_t n)
{
	size_t i;

	if (s->spill.size > 0) {
		if (order_store_spill(s, q, n) < 0)
			return BOB_FATAL;
		s->buf_size = s->limit / n;
		if (s->buf_size < CHUNK_MIN)
			s->buf_size = CHUNK_MIN;
		if (s->buf_size > CHUNK_MAX)
			s->buf_size = CHUNK_MAX;
	}
	for (i = 0; i < n; i++) {
		q[i].now = (struct order_sample){ 0 };
		if (q[i].first != NULL) {
			q[i].p = q[i].first->bytes;
			q[i].end = q[i].p + q[i].first->n;
		}
	}
	return BOB_OK;
}

/* Fills the queue's buffer behind the bytes that are still unread. */
static int
queue_refill(struct order_store *s, struct order_queue *q)
{
	size_t n = (size_t)(q->end - q->p);

	if (q->buf == NULL) {
		q->buf = malloc(s->buf_size);
		if (q->buf == NULL)
			return err_nomem(s->ctx);
	}
	if (n > 0)
		memmove(q->buf, q->p, n);
	while (n < s->buf_size && q->i_extent < q->n_extent) {
		struct order_extent *e = &q->extent[q->i_extent];
		size_t m = s->buf_size - n;

		if (e->end - e->start < m)
			m = (size_t)(e->end - e->start);
		if (temp_read(&s->spill, "ordering by time", q->buf + n, m,
		    e->start) < 0)
			return BOB_FATAL;
		e->start += m;
		q->i_extent += e->start == e->end;
		n += m;
	}
	q->p = q->buf;
	q->end = q->buf + n;
	return BOB_OK;
}

/* Sees to it that the bytes of the next entry are in the buffer. */
static int
queue_need_entry(struct order_store *s, struct order_queue *q)
{
	if (q->i_extent < q->n_extent)
		return queue_refill(s, q);
	if (q->p < q->end || q->first == NULL)
		return BOB_OK;
	drop_first(q);
	if (q->first != NULL) {
		q->p = q->first->bytes;
		q->end = q->p + q->first->n;
	} else {
		q->p = q->end = NULL;
	}
	return BOB_OK;
}

static uint64_t
next_varint(struct order_queue *q)
{
	uint64_t v = 0;

	/* We wrote these bytes: they are whole. */
	(void)varint_get(&q->p, q->end, &v);
	return v;
}

static void
get_entry(struct order_queue *q)
{
	struct order_sample *now = &q->now;
	/* NOLINT(-Wanalyzer-use-of-uninitialized-value): we wrote it. */
	unsigned tag = *q->p++;

	now->flags = tag & TAG_RUN_FLAGS;
	now->count = tag & TAG_COUNT ? next_varint(q) : 1;
	if (tag & TAG_STACK)
		now->stack = (bob_stack)next_varint(q);
	if (tag & TAG_ANNOT)
		now->annot = (bob_annot)next_varint(q);
	if (tag & TAG_NEW_STATUS)
		now->status = *q->p++;
	if (tag & TAG_TIMED)
		now->t += (uint64_t)unzigzag(next_varint(q));
	if (tag & TAG_DT) {
		q->n_dt = now->count - 1;
		now->count = 1;
	}
}

int
order_queue_get(struct order_store *s, struct order_queue *q)
{
	int64_t key;

	if (q->end - q->p < ENTRY_MAX && queue_need_entry(s, q) < 0)
		return BOB_FATAL;
	if (q->p == q->end)
		return 0;
	if (q->n_dt > 0) {
		q->now.t += next_varint(q);
		q->n_dt--;
	} else {
		get_entry(q);
	}
	key = (int64_t)(q->now.t - s->origin);
	if ((q->now.flags & BOB_RUN_TIMED) && key > q->key)
		q->key = key;
	return 1;
}

void
order_queue_done(struct order_queue *q)
{
	while (q->first != NULL)
		drop_first(q);
	free(q->extent);
	free(q->buf);
}

void
order_store_reset(struct order_store *s)
{
	s->used = 0;
	if (s->spill.size > 0)
		(void)temp_empty(&s->spill);
}

void
order_store_done(struct order_store *s)
{
	temp_close(&s->spill);
}
