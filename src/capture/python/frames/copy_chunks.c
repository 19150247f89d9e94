/* The list of chunks of a thread: which there are, and how much of each is
 * copied. */
#include "capture/python/frames/copy_inside.h"

#include <errno.h>

#include "core/mem.h"

/* The newest chunk is copied for this many bytes behind its top, because calls
 * are made between two samples; and in multiples of GRAIN. */
#define SLACK 1024
#define GRAIN 256

int
py_copy_size_chunk(struct py_copy_span *s, uint64_t top)
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

/* Reads the head of a chunk that is not the newest: its size, how much of it is
 * in use, and the chunk before it. */
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

int
py_copy_list_chunks(struct py_copy *c, uint64_t at, uint64_t top)
{
	struct py_copy_span list[COPY_MAX_CHUNKS];
	size_t n = 0, known = c->n_chunk;
	int r;

	while (at != 0) {
		known = find_chunk(c, at);
		/* The one that was the newest may have grown since. */
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
	return py_copy_size_chunk(&c->chunk[0], top);
}

int
py_copy_is_newest_right(const struct py_copy *c)
{
	uint64_t top = py_copy_thread_u64(c, 0, c->o->ts_chunk + 8);

	if (py_copy_thread_u64(c, 0, c->o->ts_chunk) !=
	    (c->n_chunk > 0 ? c->chunk[0].at : 0))
		return 0;
	return c->n_chunk == 0 ||
	    (top >= c->chunk[0].at && top - c->chunk[0].at <= c->chunk[0].n);
}

int
py_copy_are_older_right(const struct py_copy *c)
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
