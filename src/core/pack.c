/* Whole gzip members; see the header. */
#include "core/pack.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>

/* gzip's own default: higher levels win little on .rbt and cost a lot. */
#define PACK_LEVEL 6

struct pack {
	struct libdeflate_compressor *deflate;
};

struct pack *
pack_new(struct bob_ctx *ctx)
{
	return pack_new_level(ctx, PACK_LEVEL);
}

struct pack *
pack_new_level(struct bob_ctx *ctx, int level)
{
	struct pack *p = malloc(sizeof(*p));

	if (p != NULL)
		p->deflate = libdeflate_alloc_compressor(level);
	if (p == NULL || p->deflate == NULL) {
		free(p);
		(void)err_nomem(ctx);
		return NULL;
	}
	return p;
}

void
pack_free(struct pack *p)
{
	if (p == NULL)
		return;
	libdeflate_free_compressor(p->deflate);
	free(p);
}

int
pack_member(struct pack *p, const void *from, size_t n, struct out *to)
{
	size_t room = libdeflate_gzip_compress_bound(p->deflate, n), used;
	uint8_t *buf;

	if (out_unpacked(to, n) < 0)
		return BOB_FATAL;
	buf = out_reserve(to, room);
	if (buf == NULL)
		return BOB_FATAL;
	used = libdeflate_gzip_compress(p->deflate, from, n, buf, room);
	assert(used > 0); /* 0 says "no room", which the bound rules out */
	return out_commit(to, used);
}
