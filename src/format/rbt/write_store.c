/*
 * Where a segment's bytes go. Plain: straight to the output. To be packed:
 *
 * - into memory until the segment is whole, then as a gzip member to the
 *   output; or, when the output is a file that is written in place,
 * - raw into a side file PATH.live. When the segment is whole its member is
 *   appended to PATH and synced, and only then is the side file emptied.
 *
 * So at each moment a killed writer leaves every finished segment packed in
 * PATH and the unfinished one raw in PATH.live. The side file's first event
 * is metadata, `bobbin.offset`: where in PATH its member will begin. Whenever
 * a side file is not empty, the trace is the first `offset` bytes of PATH and
 * then the side file, wherever the writer died.
 *
 * A segment of more than PACK_PART bytes becomes several members (to the
 * format, member borders mean nothing), so memory stays bounded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/rbt/write.h"

#define PACK_PART ((size_t)4 << 20)

int
rbt_store_open(struct rbt_writer *w)
{
	struct sink *sink = w->sink;
	int r;

	w->out = sink->out;
	if (!w->o.compress) {
		w->out->stored = sink->stored;
		return BOB_OK;
	}
	if (w->pack == NULL)
		w->pack = pack_new(w->ctx);
	if (w->pack == NULL)
		return BOB_FATAL;
	if (out_is_live(sink->out)) {
		if (w->part == NULL)
			w->part = malloc(PACK_PART);
		if (w->part == NULL)
			return err_nomem(w->ctx);
		r = out_open_side(sink->out, RBT_SIDE_SUFFIX, &w->raw);
		if (r == BOB_OK) {
			sink->side = w->raw;
			w->raw->stored = sink->stored;
		}
	} else {
		r = out_open_memory(w->ctx, &w->raw);
	}
	w->out = w->raw;
	return r;
}

int
rbt_store_header(struct rbt_writer *w, const uint8_t *header)
{
	uint8_t event[RBT_HEADER + 64];
	char digits[24];
	size_t n_key = strlen(RBT_META_OFFSET), n;
	uint8_t *p = event + RBT_HEADER;

	if (w->sink->side == NULL)
		return out_bytes(w->out, header, RBT_HEADER);
	n = (size_t)snprintf(digits, sizeof(digits), "%llu",
	    (unsigned long long)out_total(w->sink->out));
	memcpy(event, header, RBT_HEADER);
	*p++ = RBT_METADATA;
	*p++ = (uint8_t)(2 + n_key + n);
	*p++ = (uint8_t)n_key;
	memcpy(p, RBT_META_OFFSET, n_key);
	p += n_key;
	*p++ = (uint8_t)n;
	memcpy(p, digits, n);
	p += n;
	w->n_skip = (size_t)(p - event) - RBT_HEADER;
	return out_bytes(w->out, event, (size_t)(p - event));
}

static int
pack_memory(struct rbt_writer *w)
{
	size_t n;
	const uint8_t *p = out_memory_take(w->raw, &n);

	return n == 0 ? BOB_OK : pack_member(w->pack, p, n, w->sink->out);
}

int
rbt_store_spill(struct rbt_writer *w)
{
	if (w->raw == NULL || w->sink->side != NULL ||
	    w->raw->len < PACK_PART)
		return BOB_OK;
	return pack_memory(w);
}

/* Packs the side file, without the metadata about the side file itself. */
static int
pack_side(struct rbt_writer *w)
{
	uint64_t at = 0, end = out_total(w->raw);
	int r = BOB_OK;

	while (at < end && r == BOB_OK) {
		size_t n = 0, m;

		if (at == 0) {
			r = out_read_back(w->raw, 0, w->part, RBT_HEADER);
			n = RBT_HEADER;
			at = RBT_HEADER + w->n_skip;
		}
		m = end - at < PACK_PART - n ? (size_t)(end - at)
		                             : PACK_PART - n;
		if (r == BOB_OK)
			r = out_read_back(w->raw, at, w->part + n, m);
		if (r == BOB_OK)
			r = pack_member(w->pack, w->part, n + m,
			    w->sink->out);
		at += m;
	}
	return r;
}

int
rbt_store_end(struct rbt_writer *w)
{
	int r;

	if (w->raw == NULL)
		return BOB_OK;
	if (w->sink->side == NULL)
		return pack_memory(w);
	r = out_barrier(w->raw, 0);
	if (r == BOB_OK)
		r = pack_side(w);
	if (r == BOB_OK)
		r = out_order(w->sink->out);
	return r < 0 ? r : out_restart(w->raw);
}

/* All segments of this output are packed, so the side file is not needed any
 * more. */
void
rbt_store_finish(struct rbt_writer *w)
{
	if (w->sink->side != NULL)
		out_remove(w->raw);
	else
		out_discard(w->raw);
	w->raw = w->sink->side = NULL;
}

void
rbt_store_close(struct rbt_writer *w)
{
	/* The side file has the only copy of its segment, so it stays unless it
	 * is empty. */
	if (w->sink != NULL && w->sink->side != NULL &&
	    out_total(w->raw) == 0)
		out_remove(w->raw);
	else
		out_discard(w->raw);
	pack_free(w->pack);
	free(w->part);
}
