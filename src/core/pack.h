/*
 * Packing with gzip. Whole members are packed by libdeflate, which is several
 * times faster than streaming zlib, but needs its input in one piece. The same
 * input always gives the same bytes: the header has no name and no time.
 */
#ifndef CORE_PACK_H
#define CORE_PACK_H

#include <stddef.h>

#include "core/output.h"

struct pack;

/* NULL when memory is out (the context has the error). */
struct pack *pack_new(struct bob_ctx *ctx);

/* The same with a level of libdeflate's: 1 is the fastest. */
struct pack *pack_new_level(struct bob_ctx *ctx, int level);
void pack_free(struct pack *p);

/* Packs the n bytes at `from` into one member and commits it to `to`, as one
 * commit. Returns BOB_OK or FATAL. */
int pack_member(struct pack *p, const void *from, size_t n, struct out *to);

/*
 * One member that is written in pieces, of any length. Up to PACK_HELD bytes
 * are held and packed as pack_member does. A longer member is packed by zlib
 * piece by piece, some three times slower, in the same memory.
 *
 *     s = pack_stream_new(ctx, to);
 *     pack_stream_put(s, p, n);    as often as needed
 *     pack_stream_end(s);          the member is whole
 *     pack_stream_free(s);
 */
#define PACK_HELD ((size_t)16 << 20)

struct pack_stream;

/* NULL when memory is out (the context has the error). */
struct pack_stream *pack_stream_new(struct bob_ctx *ctx, struct out *to);

/* BOB_OK or FATAL, both. */
int pack_stream_put(struct pack_stream *s, const void *p, size_t n);
int pack_stream_end(struct pack_stream *s);

/* NULL is allowed. */
void pack_stream_free(struct pack_stream *s);

#endif
