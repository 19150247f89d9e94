/* Rows, packed while they are made; see the header. */
#include "ship/rowbinary.h"

#include <stdlib.h>

#include "core/pack.h"
#include "core/zpack.h"

/* Rows repeat themselves: a higher level takes twice the time for a tenth. */
#define LEVEL 1

int
rowbin_init(struct rowbin *w, struct bob_ctx *ctx, enum rowbin_packing packing)
{
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->packing = packing;
	w->raw = malloc(ROWBIN_CHUNK);
	if (w->raw == NULL)
		return err_nomem(ctx);
	if (packing == ROWBIN_ZSTD)
		w->zstd = zpack_new(ctx, LEVEL);
	else
		w->gzip = pack_new_level(ctx, LEVEL);
	if (w->zstd == NULL && w->gzip == NULL)
		return BOB_FATAL;
	return out_open_memory(ctx, &w->out) < 0 ? BOB_FATAL : BOB_OK;
}

void
rowbin_done(struct rowbin *w)
{
	zpack_free(w->zstd);
	pack_free(w->gzip);
	out_discard(w->out);
	free(w->raw);
	memset(w, 0, sizeof(*w));
}

void
rowbin_begin(struct rowbin *w)
{
	size_t n;

	(void)out_memory_take(w->out, &n);
	w->n = 0;
	w->n_rows = w->n_raw = 0;
	w->r = BOB_OK;
}

void
rowbin_spill(struct rowbin *w)
{
	if (w->r == BOB_OK && w->n > 0)
		w->r = w->zstd != NULL
		    ? zpack_write(w->zstd, w->out, w->raw, w->n)
		    : pack_member(w->gzip, w->raw, w->n, w->out);
	w->n_raw += w->n;
	w->n = 0;
}

void
rowbin_bytes(struct rowbin *w, const void *p, size_t n)
{
	const uint8_t *from = p;

	while (n > 0) {
		size_t room = ROWBIN_CHUNK - w->n;
		size_t take = n < room ? n : room;

		memcpy(w->raw + w->n, from, take);
		w->n += take;
		from += take;
		n -= take;
		if (n > 0)
			rowbin_spill(w);
	}
}

const uint8_t *
rowbin_finish(struct rowbin *w, size_t *ret_n)
{
	rowbin_spill(w);
	if (w->r == BOB_OK && w->zstd != NULL)
		w->r = zpack_end(w->zstd, w->out);
	return w->r == BOB_OK ? out_memory_take(w->out, ret_n) : NULL;
}
