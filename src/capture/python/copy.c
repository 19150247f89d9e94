/* One gathering read, and what to do when the prediction was wrong. */
#include "capture/python/copy.h"

#include <errno.h>
#include <stdlib.h>

#include "core/mem.h"

/* Room for calls that are made between two samples. */
#define SLACK 1024
#define GRAIN 256

/* Spans of the last gather that are not elsewhere. */
#define N_FIXED 10

static void
reach(size_t *end, uint32_t field, size_t n)
{
	if (field != PY_NONE && field + n > *end)
		*end = field + n;
}

static size_t
thread_size(const struct py_offsets *o)
{
	size_t n = 0;

	reach(&n, o->ts_next, 8);
	reach(&n, o->ts_interp, 8);
	reach(&n, o->ts_thread_id, 8);
	reach(&n, o->ts_native_id, 8);
	reach(&n, o->ts_tracing, 4);
	reach(&n, o->ts_frame, 8);
	reach(&n, o->ts_base_frame, 8);
	reach(&n, o->ts_chunk, 16);
	reach(&n, o->ts_holds_gil, 4);
	reach(&n, o->ts_wants_gil, 4);
	reach(&n, o->ts_raised, 8);
	reach(&n, o->ts_handled, 16);
	reach(&n, o->ts_exc_info, 8);
	return n < PY_MAX_THREAD ? n : PY_MAX_THREAD;
}

/* Fields of the interpreter that a sample looks at lie close together. */
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
		reach(&hi, f[i], 8);
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

/* 0; -EFAULT when the process has no room left; -ENOMEM, recorded. */
static int
grow_bytes(struct py_copy *c, size_t need)
{
	size_t was = c->cap_bytes;

	if (need <= was)
		return 0;
	if (need > COPY_MAX_BYTES || (c->room != NULL &&
	        2 * need > BOB_MAX_LIVE_COPY + was - c->room->n_bytes))
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

/* --- chunks -------------------------------------------------------------- */

static int
has_chunks(const struct py_copy *c)
{
	return c->o->ts_chunk != PY_NONE;
}

static int
has_cframe(const struct py_copy *c)
{
	return c->o->cf_frame != PY_NONE;
}

/* How much of the newest chunk to copy: 0, or -EFAULT. */
static int
size_chunk(struct py_copy_span *s, uint64_t top)
{
	size_t need;

	if (top < s->at || top - s->at > s->limit)
		return -EFAULT;
	need = (size_t)(top - s->at) + SLACK + GRAIN - 1;
	need -= need % GRAIN;
	/* A stack that has just shrunk will grow again. */
	if (need < s->n)
		need = s->n - (s->n - need) / 16;
	s->n = need < s->limit ? need : s->limit;
	return 0;
}

/* The head of a chunk that is not the newest: how much of it is in use. */
static int
read_chunk(struct py_copy *c, uint64_t at, struct py_copy_span *ret,
    uint64_t *previous)
{
	uint8_t head[PY_CHUNK_DATA];
	uint64_t size, top;
	int r;

	if (at % 8 != 0)
		return -EFAULT;
	r = mem_read(c->mem, at, head, sizeof(head));
	if (r < 0)
		return r;
	size = mem_u64(head, PY_CHUNK_SIZE);
	top = mem_u64(head, PY_CHUNK_TOP);
	if (size < PY_CHUNK_DATA || size > COPY_MAX_CHUNK)
		return -EFAULT;
	ret->at = at;
	ret->n = ret->limit = (size_t)size;
	if (top <= (size - PY_CHUNK_DATA) / 8)
		ret->n = PY_CHUNK_DATA + 8 * (size_t)top;
	*previous = mem_u64(head, PY_CHUNK_PREVIOUS);
	return 0;
}

static size_t
find_chunk(const struct py_copy *c, uint64_t at)
{
	size_t i;

	for (i = 0; i < c->n_chunk; i++)
		if (c->chunk[i].at == at)
			break;
	return i;
}

/* The list of chunks from `at` on, with what is known of it. */
static int
list_chunks(struct py_copy *c, uint64_t at, uint64_t top)
{
	struct py_copy_span list[COPY_MAX_CHUNKS];
	size_t n = 0, known = c->n_chunk;
	int r;

	while (at != 0) {
		known = find_chunk(c, at);
		/* That which was the newest has grown since. */
		if (known < c->n_chunk && (known > 0 || n == 0))
			break;
		if (n == COPY_MAX_CHUNKS)
			return -EFAULT;
		memset(&list[n], 0, sizeof(list[n]));
		r = read_chunk(c, at, &list[n], &at);
		if (r < 0)
			return r;
		n++;
	}
	while (known < c->n_chunk && n < COPY_MAX_CHUNKS)
		list[n++] = c->chunk[known++];
	if (MEM_GROW(c->ctx, c, chunk, n) < 0)
		return -ENOMEM;
	c->n_chunk = n;
	if (n == 0)
		return 0;
	memcpy(c->chunk, list, n * sizeof(*list));
	c->chunk[0].n = 0;
	return size_chunk(&c->chunk[0], top);
}

/* What the state of the thread says about the next copy. */
static int
prime(struct py_copy *c, int after)
{
	int r = 0;

	if (has_chunks(c))
		r = list_chunks(c, py_copy_thread_u64(c, after, c->o->ts_chunk),
		    py_copy_thread_u64(c, after, c->o->ts_chunk + 8));
	c->is_primed = r == 0;
	if (r < 0)
		c->n_chunk = 0;
	return r;
}

/* --- reading ------------------------------------------------------------- */

struct batch {
	struct mem_span v[MEM_MAX_SPANS];
	struct py_copy_span *from[MEM_MAX_SPANS]; /* NULL: a fixed one */
	size_t n;
};

static void
add(struct batch *b, uint64_t at, void *to, size_t n, struct py_copy_span *from)
{
	b->from[b->n] = from;
	b->v[b->n++] = (struct mem_span){ at, to, n };
}

/* The span that could not be read is not asked for again. */
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
flush(struct py_copy *c, struct batch *b)
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

/* What is copied twice, and what is copied in between. Without chunks all
 * spans take turns at both. */
static void
choose(struct py_copy *c)
{
	size_t n = c->n_span;

	c->turn++;
	c->twice = has_chunks(c) || n == 0 ? SIZE_MAX : c->turn % n;
	c->first = n == 0 ? SIZE_MAX : has_chunks(c) ? c->turn % n
	    : c->turn / n % n;
}

static struct py_copy_span *
twice(struct py_copy *c)
{
	if (c->n_chunk > 0)
		return &c->chunk[0];
	return c->twice < c->n_span ? &c->span[c->twice] : NULL;
}

static int
place(struct py_copy *c)
{
	size_t i;

	c->n_bytes = 0;
	for (i = 0; i < c->n_span; i++) {
		c->span[i].offset = c->n_bytes;
		c->n_bytes += c->span[i].n;
	}
	for (i = 0; i < c->n_chunk; i++) {
		c->chunk[i].offset = c->n_bytes;
		c->n_bytes += c->chunk[i].n;
	}
	choose(c);
	c->again = c->n_bytes;
	c->n_bytes += twice(c) != NULL ? twice(c)->n : 0;
	return grow_bytes(c, c->n_bytes + PY_MAX_FRAME);
}

/* In as many reads as it takes; the rest stays in the batch. C's stack, which
 * changes most, is where addresses are high. */
static int
py_copy_elsewhere(struct py_copy *c, struct batch *b)
{
	size_t i;
	int r = 0;

	for (i = c->n_span; r == 0 && i > 0; i--) {
		struct py_copy_span *s = &c->span[i - 1];

		if (i - 1 == c->first || i - 1 == c->twice)
			continue;
		if (b->n == MEM_MAX_SPANS - N_FIXED)
			r = flush(c, b);
		s->idle++;
		add(b, s->at, c->bytes + s->offset, s->n, s);
	}
	for (i = c->n_chunk; r == 0 && i > 1; i--) {
		if (b->n == MEM_MAX_SPANS - N_FIXED)
			r = flush(c, b);
		add(b, c->chunk[i - 1].at, c->bytes + c->chunk[i - 1].offset,
		    c->chunk[i - 1].n, &c->chunk[i - 1]);
	}
	return r;
}

/* What is copied twice, with a span elsewhere between. */
static void
add_twice(struct py_copy *c, struct batch *b)
{
	struct py_copy_span *s = twice(c);

	if (s == NULL)
		return;
	s->idle++;
	add(b, s->at, c->bytes + s->offset, s->n, s);
	if (c->first < c->n_span && c->first != c->twice) {
		c->span[c->first].idle++;
		add(b, c->span[c->first].at, c->bytes +
		    c->span[c->first].offset, c->span[c->first].n,
		    &c->span[c->first]);
	}
	add(b, s->at, c->bytes + c->again, s->n, s);
}

static void
add_lock(struct py_copy *c, struct batch *b)
{
	uint32_t holder = c->o->gil_holder, locked = c->o->gil_locked;
	uint32_t from = holder < locked ? holder : locked;

	if (c->gil == 0)
		return;
	if (c->o->rt_current != PY_NONE)
		add(b, c->gil, c->lock, 8, NULL);
	else if (locked < 16 + from && holder < 16 + from)
		add(b, c->gil + from, c->lock, 24, NULL);
}

static int
read_all(struct py_copy *c)
{
	struct batch b = { .n = 0 };
	int r;

	if (!has_chunks(c))
		add(&b, c->thread, c->before, c->n_thread, NULL);
	add_twice(c, &b);
	r = py_copy_elsewhere(c, &b);
	if (r < 0)
		return r;
	if (has_chunks(c))
		add(&b, c->thread, c->before, c->n_thread, NULL);
	add(&b, c->interp + c->interp_from, c->state, c->n_interp, NULL);
	add_lock(c, &b);
	if (has_cframe(c) && c->cframe != 0)
		add(&b, c->cframe, c->cframe_after, c->o->cf_frame + 8,
		    c->chunk);
	add(&b, c->thread, c->after, c->n_thread, NULL);
	return flush(c, &b);
}

/* Whether the newest chunk is the one that was copied, up to its top. */
static int
is_newest_right(const struct py_copy *c)
{
	uint64_t top = py_copy_thread_u64(c, 0, c->o->ts_chunk + 8);

	if (py_copy_thread_u64(c, 0, c->o->ts_chunk) !=
	    (c->n_chunk > 0 ? c->chunk[0].at : 0))
		return 0;
	return c->n_chunk == 0 ||
	    (top >= c->chunk[0].at && top - c->chunk[0].at <= c->chunk[0].n);
}

/* Whether each chunk leads to the next one, and the older ones were copied as
 * far as they are used. */
static int
are_older_right(const struct py_copy *c)
{
	size_t i;

	for (i = 0; i < c->n_chunk; i++) {
		const struct py_copy_span *s = &c->chunk[i];
		const uint8_t *head = c->bytes + s->offset;
		uint64_t top = mem_u64(head, PY_CHUNK_TOP);

		if (mem_u64(head, PY_CHUNK_PREVIOUS) !=
		    (i + 1 < c->n_chunk ? s[1].at : 0))
			return 0;
		if (i > 0 && top <= (s->limit - PY_CHUNK_DATA) / 8 &&
		    PY_CHUNK_DATA + 8 * top > s->n)
			return 0;
	}
	return 1;
}

uint64_t
py_copy_current(const struct py_copy *c, int after)
{
	uint64_t v = py_copy_thread_u64(c, after, c->o->ts_frame);

	if (!has_cframe(c))
		return v;
	if (after && v != c->cframe)
		return 0;
	return after ? mem_u64(c->cframe_after, c->o->cf_frame) : c->current;
}

int
py_copy_is_idle(const struct py_copy *c)
{
	uint64_t at = py_copy_thread_u64(c, 0, c->o->ts_frame);

	if (py_copy_current(c, 0) != 0 || py_copy_current(c, 1) != 0)
		return 0;
	/* Where C is about to enter the interpreter nothing is told yet; what
	 * tells that nothing runs is in the state of the thread itself. */
	return !has_cframe(c) || at == 0 ||
	    (at > c->thread && at - c->thread < PY_MAX_THREAD);
}

int
py_copy_was_there(const struct py_copy *c, uint64_t frame)
{
	if (py_copy_chunk_of(c, frame) != 0)
		return 1;
	return py_copy_thread_u64(c, 1, c->o->ts_chunk) == c->chunk[0].at &&
	    frame < py_copy_thread_u64(c, 0, c->o->ts_chunk + 8);
}

int
py_copy_is_there(const struct py_copy *c, uint64_t frame)
{
	if (py_copy_chunk_of(c, frame) != 0)
		return 1;
	return py_copy_thread_u64(c, 1, c->o->ts_chunk) == c->chunk[0].at &&
	    frame < py_copy_thread_u64(c, 1, c->o->ts_chunk + 8);
}

int
py_copy_is_still(struct py_copy *c, uint64_t frame)
{
	uint64_t now[2] = { 0, 0 };
	struct mem_span v[2] = {
		{ c->thread + c->o->ts_frame, &now[0], 8 },
		{ c->cframe + c->o->cf_frame, &now[1], 8 },
	};
	size_t n = has_cframe(c) ? 2 : 1;

	if (mem_gather(c->mem, v, n) != (long)(8 * n))
		return 0;
	return has_cframe(c) ? now[0] == c->cframe && now[1] == frame
	                     : now[0] == frame;
}

/* --- frames -------------------------------------------------------------- */

int
py_copy_chunk_of(const struct py_copy *c, uint64_t frame)
{
	size_t i;

	for (i = 0; i < c->n_chunk; i++)
		if (frame >= c->chunk[i].at + PY_CHUNK_DATA &&
		    frame - c->chunk[i].at < c->chunk[i].n)
			return (int)i;
	return -1;
}

static const uint8_t *
bytes_in(const struct py_copy *c, const struct py_copy_span *s, uint64_t at)
{
	if (at < s->at || at - s->at > s->n ||
	    s->n - (at - s->at) < c->o->fr_size)
		return NULL;
	return c->bytes + s->offset + (at - s->at);
}

static struct py_copy_span *
find_span(struct py_copy *c, uint64_t at)
{
	size_t lo = 0, hi = c->n_sorted, mid;

	/* The last that begins at it or below. */
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (c->span[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0 && bytes_in(c, &c->span[lo - 1], at) != NULL)
		return &c->span[lo - 1];
	for (lo = c->n_sorted; lo < c->n_span; lo++)
		if (bytes_in(c, &c->span[lo], at) != NULL)
			return &c->span[lo];
	return NULL;
}

static const uint8_t *
miss(struct py_copy *c, uint64_t at)
{
	struct py_copy_span s = { at, c->o->fr_size, c->n_bytes, 0, 0 };

	if (at % 8 != 0 || c->n_span >= 2 * BOB_MAX_LIVE_DEPTH ||
	    grow_bytes(c, c->n_bytes + s.n) < 0 ||
	    MEM_GROW(c->ctx, c, span, c->n_span + 1) < 0)
		return NULL;
	if (mem_read(c->mem, at, c->bytes + s.offset, s.n) < 0)
		return NULL;
	c->n_bytes += s.n;
	c->span[c->n_span++] = s;
	c->has_missed = 1;
	return c->bytes + s.offset;
}

const uint8_t *
py_copy_frame(struct py_copy *c, uint64_t frame)
{
	int i = py_copy_chunk_of(c, frame);
	struct py_copy_span *s;

	if (i >= 0)
		return bytes_in(c, &c->chunk[i], frame);
	s = find_span(c, frame);
	if (s == NULL)
		return miss(c, frame);
	s->idle = 0;
	return bytes_in(c, s, frame);
}

int
py_copy_is_first(const struct py_copy *c, uint64_t frame)
{
	return (c->first < c->n_span &&
	        bytes_in(c, &c->span[c->first], frame) != NULL) ||
	    (c->twice < c->n_span &&
	        bytes_in(c, &c->span[c->twice], frame) != NULL);
}

const uint8_t *
py_copy_again(const struct py_copy *c, uint64_t frame)
{
	const struct py_copy_span *s = c->n_chunk > 0 ? &c->chunk[0]
	    : c->twice < c->n_span ? &c->span[c->twice] : NULL;
	const uint8_t *p = s != NULL ? bytes_in(c, s, frame) : NULL;

	return p != NULL ? p - s->offset + c->again : NULL;
}

int
py_copy_is_one_call(const struct py_copy *c, uint64_t frame)
{
	const struct py_copy_span *s = &c->chunk[0];

	return c->n_chunk > 0 && py_copy_chunk_of(c, frame) == 0 &&
	    memcmp(c->bytes + s->offset + PY_CHUNK_DATA,
	        c->bytes + c->again + PY_CHUNK_DATA,
	        (size_t)(frame - s->at) - PY_CHUNK_DATA) == 0;
}

void
py_copy_dismiss(struct py_copy *c, uint64_t frame)
{
	if (c->n_span > c->n_sorted && c->span[c->n_span - 1].at == frame)
		c->n_span--;
}

/* 3.11 and 3.12: the current frame is told by something on the stack of C,
 * elsewhere in the copy. */
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
			r = prime(c, 0);
		if (r < 0)
			return r;
	}
	r = place(c);
	if (r == 0)
		r = read_all(c);
	if (r == -EFAULT) {
		/* Something of it was given back to the system. */
		c->is_primed = 0;
		return py_copy_learn(c) < 0 ? -ENOMEM : -EAGAIN;
	}
	if (r < 0)
		return r;
	if (has_chunks(c) && (!is_newest_right(c) || !are_older_right(c))) {
		/* Memory that was given back comes again in another order, and
		 * then what is known of it says nothing. */
		if (!are_older_right(c))
			c->n_chunk = 0;
		r = prime(c, 1);
		return r == 0 || r == -EFAULT ? -EAGAIN : r;
	}
	if (has_cframe(c)) {
		r = find_cframe(c);
		if (r < 0)
			return r;
	}
	if (c->n_chunk > 0)
		(void)size_chunk(&c->chunk[0],
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

/* Puts b into a, which begins before it, when they are near. */
static int
join(struct py_copy_span *a, const struct py_copy_span *b)
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
		if (n == 0 || !join(&c->span[n - 1], &c->span[i]))
			c->span[n++] = c->span[i];
	}
	c->n_span = c->n_sorted = n < COPY_MAX_SPANS ? n : COPY_MAX_SPANS;
	return 0;
}
