/* Packing with zstd; see the header. */
#include "core/zpack.h"

#include <assert.h>
#include <stdlib.h>

#include <zstd.h>

/* What an output has room for without growing. */
#define ROOM (OUT_CHUNK - 1)

struct zpack {
	struct bob_ctx *ctx;
	ZSTD_CCtx *zstd;
	int is_thorough;  /* its parameters are not those of the level */
	uint64_t n_frame; /* bytes written to the current frame */
};

static int
zstd_error(struct zpack *z, size_t zr)
{
	return err_set(z->ctx, BOB_FATAL, BOB_E_NOMEM, BOB_NO_OFFSET,
	    "zstd cannot pack: %s", ZSTD_getErrorName(zr));
}

/* libzstd allocates when it sees the first byte of a frame of unknown size,
 * and keeps that for later frames. */
static int
warm_up(struct zpack *z, int level)
{
	uint8_t scratch[64];
	ZSTD_outBuffer to = { .dst = scratch, .size = sizeof(scratch) };
	ZSTD_inBuffer from = { .src = "", .size = 1 };

	return !ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd,
	           ZSTD_c_compressionLevel, level)) &&
	    !ZSTD_isError(ZSTD_compressStream2(z->zstd, &to, &from,
	        ZSTD_e_continue)) &&
	    !ZSTD_isError(ZSTD_CCtx_reset(z->zstd, ZSTD_reset_session_only));
}

/*
 * Levels from 16 on search for the cheapest encoding (btopt); lower levels take
 * the first good match. Short records with numbers gain much by the former. The
 * other parameters keep it cheap: a small window, few candidates.
 */
static int
be_thorough(struct zpack *z, int level)
{
	static const struct {
		ZSTD_cParameter key;
		int value;
	} v[] = {
		{ ZSTD_c_strategy, ZSTD_btopt },
		{ ZSTD_c_windowLog, 18 },
		{ ZSTD_c_searchLog, 5 },
		{ ZSTD_c_chainLog, 17 },
		{ ZSTD_c_minMatch, 5 },
		{ ZSTD_c_targetLength, 48 },
	};
	size_t i;

	if (level >= 16)
		return 1;
	z->is_thorough = 1;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd, v[i].key,
		        v[i].value)))
			return 0;
	return 1;
}

/* Changes the strategy alone, which needs no more memory. */
int
zpack_hurry(struct zpack *z, int does)
{
	size_t zr = 0;

	assert(z->n_frame == 0);
	if (z->is_thorough)
		zr = ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_strategy,
		    does ? ZSTD_greedy : ZSTD_btopt);
	return ZSTD_isError(zr) ? zstd_error(z, zr) : BOB_OK;
}

static struct zpack *
zpack_make(struct bob_ctx *ctx, int level, int thorough)
{
	struct zpack *z = calloc(1, sizeof(*z));

	if (z != NULL)
		z->zstd = ZSTD_createCCtx();
	if (z == NULL || z->zstd == NULL ||
	    (thorough && !be_thorough(z, level)) || !warm_up(z, level)) {
		zpack_free(z);
		(void)err_nomem(ctx);
		return NULL;
	}
	z->ctx = ctx;
	return z;
}

struct zpack *
zpack_new(struct bob_ctx *ctx, int level)
{
	return zpack_make(ctx, level, 0);
}

struct zpack *
zpack_new_thorough(struct bob_ctx *ctx, int level)
{
	return zpack_make(ctx, level, 1);
}

/* Packs until libzstd has taken all input and, unless more will follow, has
 * written all output. */
static int
zpack_pump(struct zpack *z, struct out *to, ZSTD_inBuffer *from,
    ZSTD_EndDirective how)
{
	size_t left;
	int r = BOB_OK;

	do {
		ZSTD_outBuffer room = { .dst = out_reserve(to, ROOM),
			.size = ROOM };

		if (room.dst == NULL)
			return BOB_FATAL;
		left = ZSTD_compressStream2(z->zstd, &room, from, how);
		if (ZSTD_isError(left))
			return zstd_error(z, left);
		if (room.pos > 0)
			r = out_commit(to, room.pos);
		if (how == ZSTD_e_continue)
			left = from->size - from->pos;
	} while (r == BOB_OK && left > 0);
	return r;
}

int
zpack_write(struct zpack *z, struct out *to, const void *p, size_t n)
{
	ZSTD_inBuffer from = { .src = p, .size = n };

	if (n == 0)
		return BOB_OK;
	if (out_unpacked(to, n) < 0)
		return BOB_FATAL;
	z->n_frame += n;
	return zpack_pump(z, to, &from, ZSTD_e_continue);
}

int
zpack_flush(struct zpack *z, struct out *to)
{
	ZSTD_inBuffer nothing = { .src = "" };

	return z->n_frame == 0 ? BOB_OK :
	    zpack_pump(z, to, &nothing, ZSTD_e_flush);
}

int
zpack_end(struct zpack *z, struct out *to)
{
	ZSTD_inBuffer nothing = { .src = "" };

	z->n_frame = 0;
	return zpack_pump(z, to, &nothing, ZSTD_e_end);
}

uint64_t
zpack_pending(const struct zpack *z)
{
	return z->n_frame;
}

void
zpack_free(struct zpack *z)
{
	if (z == NULL)
		return;
	(void)ZSTD_freeCCtx(z->zstd);
	free(z);
}
