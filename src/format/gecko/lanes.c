/* Byte streams that share a file; see the header. */
#include "format/gecko/lanes.h"

#include <stdlib.h>
#include <string.h>

/* A trace may have a million threads with one sample each, so a lane begins
 * small. */
#define CHUNK_MIN ((size_t)64)
#define CHUNK_MAX ((size_t)64 << 10)
#define READ_SIZE ((size_t)64 << 10)
_Static_assert(CHUNK_MIN >= LANE_ROOM, "an entry fits the least chunk");

void
lanes_init(struct lanes *s, struct bob_ctx *ctx, size_t limit)
{
	*s = (struct lanes){ .ctx = ctx, .limit = limit };
}

void
lanes_done(struct lanes *s)
{
	out_discard(s->file);
	s->file = NULL;
}

static void
drop_first(struct lane *l)
{
	struct lane_chunk *c = l->first;

	l->first = c->next;
	if (l->first == NULL)
		l->last = NULL;
	free(c);
}

void
lane_done(struct lane *l)
{
	while (l->first != NULL)
		drop_first(l);
	free(l->extent);
}

int
lane_grow(struct lanes *s, struct lane *l)
{
	size_t cap = l->last == NULL ? CHUNK_MIN :
	    l->last->cap < CHUNK_MAX ? 2 * l->last->cap : CHUNK_MAX;
	struct lane_chunk *c = malloc(sizeof(*c) + cap);

	if (c == NULL)
		return err_nomem(s->ctx);
	*c = (struct lane_chunk){ .cap = cap };
	if (l->last == NULL)
		l->first = c;
	else
		l->last->next = c;
	l->last = c;
	s->used += sizeof(*c) + cap;
	return BOB_OK;
}

int
lane_spill(struct lanes *s, struct lane *l)
{
	struct lane_extent *e;
	int r = BOB_OK;

	if (l->first == NULL)
		return BOB_OK;
	if (s->file == NULL && out_open_temp(s->ctx, &s->file) < 0)
		return BOB_FATAL;
	if (MEM_GROW(s->ctx, l, extent, l->n_extent + 1) < 0)
		return BOB_FATAL;
	e = &l->extent[l->n_extent++];
	e->start = out_total(s->file);
	while (r == BOB_OK && l->first != NULL) {
		r = out_bytes(s->file, l->first->bytes, l->first->n);
		drop_first(l);
	}
	e->end = out_total(s->file);
	return r;
}

int
lanes_rewind(struct lanes *s)
{
	return s->file == NULL ? BOB_OK : out_barrier(s->file, 0);
}

int
lane_reader_begin(struct lane_reader *in, struct lanes *s,
    const struct lane *l)
{
	if (in->buf == NULL) {
		in->buf = malloc(READ_SIZE);
		if (in->buf == NULL)
			return err_nomem(s->ctx);
	}
	in->lanes = s;
	in->lane = l;
	in->p = in->end = in->buf;
	in->i_extent = 0;
	in->at = l->n_extent > 0 ? l->extent[0].start : 0;
	in->chunk = l->first;
	in->i_chunk = 0;
	return BOB_OK;
}

void
lane_reader_done(struct lane_reader *in)
{
	free(in->buf);
}

/* Up to n bytes from the file to `to`. */
static int
take_extent(struct lane_reader *in, uint8_t *to, size_t *n)
{
	const struct lane_extent *e = &in->lane->extent[in->i_extent];

	if (e->end - in->at < *n)
		*n = (size_t)(e->end - in->at);
	if (out_read_back(in->lanes->file, in->at, to, *n) < 0)
		return BOB_FATAL;
	in->at += *n;
	if (in->at == e->end && ++in->i_extent < in->lane->n_extent)
		in->at = in->lane->extent[in->i_extent].start;
	return BOB_OK;
}

static void
take_chunk(struct lane_reader *in, uint8_t *to, size_t *n)
{
	if (in->chunk->n - in->i_chunk < *n)
		*n = in->chunk->n - in->i_chunk;
	memcpy(to, in->chunk->bytes + in->i_chunk, *n);
	in->i_chunk += *n;
	if (in->i_chunk == in->chunk->n) {
		in->chunk = in->chunk->next;
		in->i_chunk = 0;
	}
}

int
lane_refill(struct lane_reader *in)
{
	size_t have = (size_t)(in->end - in->p), n;

	memmove(in->buf, in->p, have);
	while (have < READ_SIZE) {
		n = READ_SIZE - have;
		if (in->i_extent < in->lane->n_extent) {
			if (take_extent(in, in->buf + have, &n) < 0)
				return BOB_FATAL;
		} else if (in->chunk != NULL) {
			take_chunk(in, in->buf + have, &n);
		} else {
			break;
		}
		have += n;
	}
	in->p = in->buf;
	in->end = in->buf + have;
	return have > 0;
}
