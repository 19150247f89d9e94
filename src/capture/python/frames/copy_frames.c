/* Finds frames in a copy, and tells when they were there. */
#include "capture/python/frames/copy_inside.h"

#include "core/mem.h"

uint64_t
py_copy_current(const struct py_copy *c, int after)
{
	uint64_t v = py_copy_thread_u64(c, after, c->o->ts_frame);

	if (!py_copy_has_cframe(c))
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
	/* A _PyCFrame on C's stack without a frame: C is about to enter the
	 * interpreter. The one of an idle thread is in PyThreadState. */
	return !py_copy_has_cframe(c) || at == 0 ||
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
	size_t n = py_copy_has_cframe(c) ? 2 : 1;

	if (mem_gather(c->mem, v, n) != (long)(8 * n))
		return 0;
	return py_copy_has_cframe(c) ? now[0] == c->cframe && now[1] == frame
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

/* o->fr_size bytes at an address, of the part of a span that was copied. NULL
 * if that does not have them. */
static const uint8_t *
bytes_in(const struct py_copy *c, const struct py_copy_span *s, uint64_t at)
{
	assert(s->n_read == 0 || s->offset + s->n_read <= c->cap_bytes);
	if (at < s->at || at - s->at > s->n_read ||
	    s->n_read - (at - s->at) < c->o->fr_size)
		return NULL;
	/* NOLINT(clang-analyzer-core.NullPointerArithm): a span that has bytes
	 * has them there. */
	return c->bytes + s->offset + (at - s->at);
}

static struct py_copy_span *
find_span(struct py_copy *c, uint64_t at)
{
	size_t lo = 0, hi = c->n_sorted, mid;

	assert(c->n_sorted <= c->n_span);
	/* The last span that begins at `at` or below. */
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

/* Reads a frame that the copy does not have. NULL if that fails. */
static const uint8_t *
read_missed(struct py_copy *c, uint64_t at)
{
	struct py_copy_span s = { .at = at, .n = c->o->fr_size,
		.n_read = c->o->fr_size, .offset = c->n_bytes };

	if (at % 8 != 0 || c->n_span >= 2 * BOB_MAX_CAPTURE_DEPTH ||
	    py_copy_grow(c, c->n_bytes + s.n) < 0 ||
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
		return read_missed(c, frame);
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
	    bytes_in(c, s, frame) != NULL &&
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
