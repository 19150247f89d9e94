/*
 * Rows in ClickHouse's RowBinary: the values of a row one after the other,
 * numbers in little endian, strings behind their length as a varint. They are
 * packed while they are made, so a block of a million rows takes a few MiB.
 *
 *     rowbin_begin(w);
 *     rowbin_u64(w, ts);                values
 *     rowbin_string(w, p, n);
 *     rowbin_end_row(w);
 *     body = rowbin_finish(w, &n);      valid until rowbin_begin
 *
 * The functions that add values return nothing. The first failure is kept, and
 * rowbin_finish returns NULL then.
 */
#ifndef SHIP_ROWBINARY_H
#define SHIP_ROWBINARY_H

#include <stdint.h>
#include <string.h>

#include "core/output.h"
#include "core/varint.h"

enum rowbin_packing { ROWBIN_GZIP, ROWBIN_ZSTD };

/* Bytes that are packed at once: a gzip member each. */
#define ROWBIN_CHUNK ((size_t)1 << 20)

struct rowbin {
	struct bob_ctx *ctx;
	enum rowbin_packing packing;
	struct zpack *zstd;
	struct pack *gzip;
	struct out *out; /* in memory */
	uint8_t *raw;    /* ROWBIN_CHUNK bytes, n of them used */
	size_t n;
	uint64_t n_rows;
	uint64_t n_raw; /* bytes before packing */
	int r;          /* first failure, or BOB_OK */
};

/* Returns BOB_OK or FATAL. Call rowbin_done in either case. */
int rowbin_init(struct rowbin *w, struct bob_ctx *ctx,
    enum rowbin_packing packing);
void rowbin_done(struct rowbin *w);

/* Drops everything, also a failure. */
void rowbin_begin(struct rowbin *w);

/* Packs what is in raw. */
void rowbin_spill(struct rowbin *w);

const uint8_t *rowbin_finish(struct rowbin *w, size_t *ret_n);

/* Adds n bytes as they are. */
void rowbin_bytes(struct rowbin *w, const void *p, size_t n);

/* Returns room for n bytes, at most ROWBIN_CHUNK. The caller fills them and
 * adds to w->n. */
static inline uint8_t *
rowbin_room(struct rowbin *w, size_t n)
{
	if (w->n + n > ROWBIN_CHUNK)
		rowbin_spill(w);
	return w->raw + w->n;
}

static inline uint8_t *
put_u16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

static inline uint8_t *
put_u32(uint8_t *p, uint32_t v)
{
	return put_u16(put_u16(p, (uint16_t)v), (uint16_t)(v >> 16));
}

static inline uint8_t *
put_u64(uint8_t *p, uint64_t v)
{
	return put_u32(put_u32(p, (uint32_t)v), (uint32_t)(v >> 32));
}

static inline void
rowbin_u64(struct rowbin *w, uint64_t v)
{
	(void)put_u64(rowbin_room(w, 8), v);
	w->n += 8;
}

static inline void
rowbin_varint(struct rowbin *w, uint64_t v)
{
	uint8_t *p = rowbin_room(w, VARINT_MAX);

	w->n += (size_t)(varint_put(p, v) - p);
}

static inline void
rowbin_string(struct rowbin *w, const void *p, size_t n)
{
	rowbin_varint(w, n);
	rowbin_bytes(w, p, n);
}

static inline void
rowbin_end_row(struct rowbin *w)
{
	w->n_rows++;
}

#endif
