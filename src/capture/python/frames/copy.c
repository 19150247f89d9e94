/*
 * The gathering read, and which spans it reads. copy_chunks.c lists the chunks,
 * copy_frames.c finds frames in the copy.
 *
 * c->bytes holds first the spans, then the chunks, then the second copy, and
 * behind them frames that were missed. Each has a part of its own, [offset,
 * offset + n_read). n is how much the next copy has, and may be more.
 */
#include "capture/python/frames/copy.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/python/frames/copy_inside.h"
#include "core/mem.h"

/* Spans of a batch that read_all() adds beside those of struct py_copy_span. */
#define N_FIXED 10

static void
extend(size_t *end, uint32_t field, size_t n)
{
	if (field != PY_NONE && field + n > *end)
		*end = field + n;
}

static size_t
thread_size(const struct py_offsets *o)
{
	size_t n = 0;

	extend(&n, o->ts_next, 8);
	extend(&n, o->ts_interp, 8);
	extend(&n, o->ts_thread_id, 8);
	extend(&n, o->ts_native_id, 8);
	extend(&n, o->ts_tracing, 4);
	extend(&n, o->ts_frame, 8);
	extend(&n, o->ts_base_frame, 8);
	extend(&n, o->ts_chunk, 16);
	extend(&n, o->ts_holds_gil, 4);
	extend(&n, o->ts_wants_gil, 4);
	extend(&n, o->ts_raised, 8);
	extend(&n, o->ts_handled, 16);
	extend(&n, o->ts_exc_info, 8);
	return n < PY_MAX_THREAD ? n : PY_MAX_THREAD;
}

/* The part of PyInterpreterState that has the fields a sample needs. */
static void
interp_range(const struct py_offsets *o, size_t *from, size_t *n)
{
	const uint32_t f[] = { o->is_next, o->is_threads, o->is_main_thread,
		o->is_generation, o->is_gc_frame };
	size_t lo = SIZE_MAX, hi = 0, i;

	for (i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
		if (f[i] == PY_NONE)
			continue;
		if (f[i] < lo)
			lo = f[i];
		extend(&hi, f[i], 8);
	}
	*from = lo;
	*n = hi - lo < PY_MAX_INTERP ? hi - lo : PY_MAX_INTERP;
}

void
py_copy_init(struct py_copy *c, struct bob_ctx *ctx, struct mem *mem,
    const struct py_offsets *o, uint64_t thread, uint64_t interp,
    uint64_t gil)
{
	memset(c, 0, sizeof(*c));
	c->ctx = ctx;
	c->mem = mem;
	c->o = o;
	c->thread = thread;
	c->interp = interp;
	c->gil = gil;
	c->n_thread = thread_size(o);
	c->first = c->twice = SIZE_MAX;
	interp_range(o, &c->interp_from, &c->n_interp);
}

void
py_copy_done(struct py_copy *c)
{
	if (c->room != NULL)
		c->room->n_bytes -= c->cap_bytes;
	free(c->span);
	free(c->chunk);
	free(c->bytes);
}

int
py_copy_grow(struct py_copy *c, size_t need)
{
	size_t was = c->cap_bytes;

	if (need <= was)
		return 0;
	if (need > COPY_MAX_BYTES || (c->room != NULL &&
	        2 * need > BOB_MAX_CAPTURE_COPY + was - c->room->n_bytes))
		return -EFAULT;
	if (MEM_GROW(c->ctx, c, bytes, need) < 0)
		return -ENOMEM;
	if (c->room != NULL)
		c->room->n_bytes += c->cap_bytes - was;
	return 0;
}

uint64_t
py_copy_interp_u64(const struct py_copy *c, uint32_t offset)
{
	if (offset == PY_NONE || offset < c->interp_from ||
	    offset - c->interp_from + 8 > c->n_interp)
		return 0;
	return mem_u64(c->state, offset - c->interp_from);
}

uint64_t
py_copy_lock_holder(const struct py_copy *c)
{
	uint32_t holder = c->o->gil_holder, locked = c->o->gil_locked, from;

	if (c->gil == 0)
		return 0;
	if (c->o->rt_current != PY_NONE)
		return mem_u64(c->lock, 0);
	from = holder < locked ? holder : locked;
	return mem_u32(c->lock, locked - from) == 1
	    ? mem_u64(c->lock, holder - from) : 0;
}

/* --- reading ------------------------------------------------------------- */

struct batch {
	struct mem_span v[MEM_MAX_SPANS];
	struct py_copy_span *from[MEM_MAX_SPANS]; /* NULL: a fixed one */
	size_t n;
};

static void
batch_add(struct batch *b, uint64_t at, void *to, size_t n,
    struct py_copy_span *from)
{
	assert(b->n < MEM_MAX_SPANS);
	b->from[b->n] = from;
	b->v[b->n++] = (struct mem_span){ at, to, n };
}

/* Drops the span that could not be read: `got` bytes of the batch were. */
static void
drop_span(struct py_copy *c, struct batch *b, size_t got)
{
	size_t i = 0;

	while (i + 1 < b->n && got >= b->v[i].n)
		got -= b->v[i++].n;
	if (b->from[i] != NULL && c->n_span > 0 && b->from[i] >= c->span &&
	    b->from[i] < c->span + c->n_span)
		b->from[i]->idle = COPY_IDLE + 1;
	else if (b->from[i] != NULL)
		c->n_chunk = 0;
}

static int
batch_read(struct py_copy *c, struct batch *b)
{
	size_t total = mem_total(b->v, b->n);
	long k = total == 0 ? 0 : mem_gather(c->mem, b->v, b->n);

	if (k < 0 && k != -EFAULT)
		return (int)k;
	if (k < 0 || (size_t)k != total) {
		drop_span(c, b, k < 0 ? 0 : (size_t)k);
		return -EFAULT;
	}
	b->n = 0;
	return 0;
}

/* Chooses the span that is read between two copies and, if there are no chunks,
 * the one that is read twice. All spans take turns at both. */
static void
choose_spans(struct py_copy *c)
{
	size_t n = c->n_span;

	c->turn++;
	c->twice = py_copy_has_chunks(c) || n == 0 ? SIZE_MAX : c->turn % n;
	c->first = n == 0 ? SIZE_MAX : py_copy_has_chunks(c) ? c->turn % n
	    : c->turn / n % n;
}

/* The chunk or span that is read twice. NULL if there is none. */
static struct py_copy_span *
twice_span(struct py_copy *c)
{
	if (c->n_chunk > 0)
		return &c->chunk[0];
	return c->twice < c->n_span ? &c->span[c->twice] : NULL;
}

/* Gives each span and chunk its part of c->bytes. 0, or -errno if there is no
 * room: then spans age all the same, or those of a deep recursion would stay
 * after it has returned. */
static int
place_spans(struct py_copy *c)
{
	size_t i;
	int r;

	c->n_bytes = 0;
	for (i = 0; i < c->n_span; i++) {
		c->span[i].offset = c->n_bytes;
		c->span[i].n_read = c->span[i].n;
		c->n_bytes += c->span[i].n;
	}
	for (i = 0; i < c->n_chunk; i++) {
		c->chunk[i].offset = c->n_bytes;
		c->chunk[i].n_read = c->chunk[i].n;
		c->n_bytes += c->chunk[i].n;
	}
	choose_spans(c);
	c->again = c->n_bytes;
	c->n_bytes += twice_span(c) != NULL ? twice_span(c)->n : 0;
	r = py_copy_grow(c, c->n_bytes + PY_MAX_FRAME);
	for (i = 0; r == -EFAULT && i < c->n_span; i++)
		c->span[i].idle++;
	return r;
}

/* Adds the other spans and the older chunks, and reads them when the batch is
 * full. The highest addresses come first: C's stack is there, and changes
 * most. */
static int
batch_add_spans(struct py_copy *c, struct batch *b)
{
	size_t i;
	int r = 0;

	for (i = c->n_span; r == 0 && i > 0; i--) {
		struct py_copy_span *s = &c->span[i - 1];

		if (i - 1 == c->first || i - 1 == c->twice)
			continue;
		if (b->n == MEM_MAX_SPANS - N_FIXED)
			r = batch_read(c, b);
		s->idle++;
		batch_add(b, s->at, c->bytes + s->offset, s->n, s);
	}
	for (i = c->n_chunk; r == 0 && i > 1; i--) {
		if (b->n == MEM_MAX_SPANS - N_FIXED)
			r = batch_read(c, b);
		batch_add(b, c->chunk[i - 1].at,
		    c->bytes + c->chunk[i - 1].offset, c->chunk[i - 1].n,
		    &c->chunk[i - 1]);
	}
	return r;
}

/* Adds what is read twice, with a span in between. */
static void
batch_add_twice(struct py_copy *c, struct batch *b)
{
	struct py_copy_span *s = twice_span(c);

	if (s == NULL)
		return;
	s->idle++;
	batch_add(b, s->at, c->bytes + s->offset, s->n, s);
	if (c->first < c->n_span && c->first != c->twice) {
		c->span[c->first].idle++;
		batch_add(b, c->span[c->first].at, c->bytes +
		    c->span[c->first].offset, c->span[c->first].n,
		    &c->span[c->first]);
	}
	batch_add(b, s->at, c->bytes + c->again, s->n, s);
}

static void
batch_add_lock(struct py_copy *c, struct batch *b)
{
	uint32_t holder = c->o->gil_holder, locked = c->o->gil_locked;
	uint32_t from = holder < locked ? holder : locked;

	if (c->gil == 0)
		return;
	if (c->o->rt_current != PY_NONE)
		batch_add(b, c->gil, c->lock, 8, NULL);
	else if (locked < 16 + from && holder < 16 + from)
		batch_add(b, c->gil + from, c->lock, 24, NULL);
}

static int
read_all(struct py_copy *c)
{
	struct batch b = { .n = 0 };
	int r;

	if (!py_copy_has_chunks(c))
		batch_add(&b, c->thread, c->before, c->n_thread, NULL);
	batch_add_twice(c, &b);
	r = batch_add_spans(c, &b);
	if (r < 0)
		return r;
	if (py_copy_has_chunks(c))
		batch_add(&b, c->thread, c->before, c->n_thread, NULL);
	batch_add(&b, c->interp + c->interp_from, c->state, c->n_interp, NULL);
	batch_add_lock(c, &b);
	if (py_copy_has_cframe(c) && c->cframe != 0)
		batch_add(&b, c->cframe, c->cframe_after, c->o->cf_frame + 8,
		    c->chunk);
	batch_add(&b, c->thread, c->after, c->n_thread, NULL);
	return batch_read(c, &b);
}

/* Predicts the chunks of the next copy from the thread's state. */
static int
predict_chunks(struct py_copy *c, int after)
{
	int r = 0;

	if (py_copy_has_chunks(c))
		r = py_copy_list_chunks(c,
		    py_copy_thread_u64(c, after, c->o->ts_chunk),
		    py_copy_thread_u64(c, after, c->o->ts_chunk + 8));
	c->is_primed = r == 0;
	if (r < 0)
		c->n_chunk = 0;
	return r;
}

/* 3.11 and 3.12: a _PyCFrame on C's stack, in one of the spans, points to the
 * current frame. */
static int
find_cframe(struct py_copy *c)
{
	uint64_t at = py_copy_thread_u64(c, 0, c->o->ts_frame);
	const uint8_t *p = at != 0 ? py_copy_frame(c, at) : NULL;

	c->cframe = py_copy_thread_u64(c, 1, c->o->ts_frame);
	c->current = p != NULL ? mem_u64(p, c->o->cf_frame) : 0;
	if (!c->has_missed)
		return 0;
	return py_copy_learn(c) < 0 ? -ENOMEM : -EAGAIN;
}

int
py_copy_take(struct py_copy *c)
{
	int r;

	c->has_missed = 0;
	if (!c->is_primed) {
		r = mem_read(c->mem, c->thread, c->before, c->n_thread);
		if (r == 0)
			r = predict_chunks(c, 0);
		if (r < 0)
			return r;
	}
	r = place_spans(c);
	if (r == 0)
		r = read_all(c);
	if (r == -EFAULT) {
		/* A part of it was unmapped. */
		c->is_primed = 0;
		return py_copy_learn(c) < 0 ? -ENOMEM : -EAGAIN;
	}
	if (r < 0)
		return r;
	if (py_copy_has_chunks(c) && (!py_copy_is_newest_right(c) ||
	        !py_copy_are_older_right(c))) {
		/* Chunks that were freed come back in another order: what is
		 * known of them is void. */
		if (!py_copy_are_older_right(c))
			c->n_chunk = 0;
		r = predict_chunks(c, 1);
		return r == 0 || r == -EFAULT ? -EAGAIN : r;
	}
	if (py_copy_has_cframe(c)) {
		r = find_cframe(c);
		if (r < 0)
			return r;
	}
	if (c->n_chunk > 0)
		(void)py_copy_size_chunk(&c->chunk[0],
		    py_copy_thread_u64(c, 0, c->o->ts_chunk + 8));
	return 0;
}

/* --- predicting ---------------------------------------------------------- */

static int
compare_spans(const void *a, const void *b)
{
	const struct py_copy_span *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Joins b to a, which begins before it, if they are near. Returns 1 if so. */
static int
span_join(struct py_copy_span *a, const struct py_copy_span *b)
{
	uint64_t end = a->at + a->n, b_end = b->at + b->n;

	if (b->at > end + COPY_GAP || (b_end > a->at + COPY_MAX_SPAN))
		return 0;
	if (b_end > end)
		a->n = (size_t)(b_end - a->at);
	if (b->idle < a->idle)
		a->idle = b->idle;
	return 1;
}

int
py_copy_learn(struct py_copy *c)
{
	size_t i, n = 0;
	int is_stale = c->n_span > c->n_sorted;

	for (i = 0; !is_stale && i < c->n_span; i++)
		is_stale = c->span[i].idle > COPY_IDLE;
	if (!is_stale)
		return 0;
	if (c->n_span > 1)
		qsort(c->span, c->n_span, sizeof(*c->span), compare_spans);
	for (i = 0; i < c->n_span; i++) {
		if (c->span[i].idle > COPY_IDLE)
			continue;
		if (n == 0 || !span_join(&c->span[n - 1], &c->span[i]))
			c->span[n++] = c->span[i];
	}
	c->n_span = c->n_sorted = n < COPY_MAX_SPANS ? n : COPY_MAX_SPANS;
	return 0;
}
