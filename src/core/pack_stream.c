/* One gzip member that is written in pieces; see pack.h. */
#include "core/pack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "core/mem.h"

#define LEVEL 6 /* as in pack.c */
#define GZIP_WINDOW (15 + 16) /* zlib: the largest window, gzip's frame */
#define MEM_LEVEL 8 /* zlib's default */

/* Packed bytes that are made before they are committed. */
#define PIECE ((size_t)64 << 10)

struct pack_stream {
	struct bob_ctx *ctx;
	struct out *to;
	uint8_t *held; /* what came so far, while it is short */
	size_t n_held, cap_held;
	z_stream z;
	int is_long; /* z is in use */
};

struct pack_stream *
pack_stream_new(struct bob_ctx *ctx, struct out *to)
{
	struct pack_stream *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	s->ctx = ctx;
	s->to = to;
	return s;
}

void
pack_stream_free(struct pack_stream *s)
{
	if (s == NULL)
		return;
	if (s->is_long)
		(void)deflateEnd(&s->z);
	free(s->held);
	free(s);
}

/* Calls deflate until it wants more input, or has ended the member. */
static int
deflate_run(struct pack_stream *s, int flush)
{
	int r;

	do {
		s->z.next_out = out_reserve(s->to, PIECE);
		s->z.avail_out = PIECE;
		if (s->z.next_out == NULL)
			return BOB_FATAL;
		r = deflate(&s->z, flush);
		if (out_commit(s->to, PIECE - s->z.avail_out) < 0)
			return BOB_FATAL;
	} while (s->z.avail_out == 0 && r != Z_STREAM_END);
	return BOB_OK;
}

static int
deflate_feed(struct pack_stream *s, const uint8_t *p, size_t n)
{
	size_t k;

	if (out_unpacked(s->to, n) < 0)
		return BOB_FATAL;
	for (; n > 0; p += k, n -= k) {
		k = n < UINT_MAX ? n : UINT_MAX;
		s->z.next_in = p;
		s->z.avail_in = (uInt)k;
		if (deflate_run(s, Z_NO_FLUSH) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
become_long(struct pack_stream *s)
{
	int r;

	if (deflateInit2(&s->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEM_LEVEL,
	        Z_DEFAULT_STRATEGY) != Z_OK)
		return err_nomem(s->ctx);
	s->is_long = 1;
	r = deflate_feed(s, s->held, s->n_held);
	free(s->held);
	s->held = NULL;
	s->n_held = s->cap_held = 0;
	return r;
}

int
pack_stream_put(struct pack_stream *s, const void *p, size_t n)
{
	if (n == 0)
		return BOB_OK;
	if (!s->is_long && n <= PACK_HELD - s->n_held) {
		if (MEM_GROW(s->ctx, s, held, s->n_held + n) < 0)
			return BOB_FATAL;
		memcpy(s->held + s->n_held, p, n);
		s->n_held += n;
		return BOB_OK;
	}
	if (!s->is_long && become_long(s) < 0)
		return BOB_FATAL;
	return deflate_feed(s, p, n);
}

int
pack_stream_end(struct pack_stream *s)
{
	struct pack *pack;
	int r;

	if (s->is_long)
		return deflate_run(s, Z_FINISH);
	pack = pack_new(s->ctx);
	if (pack == NULL)
		return BOB_FATAL;
	r = pack_member(pack, s->held, s->n_held, s->to);
	pack_free(pack);
	return r;
}
