/*
 * Packing with zstd, as a stream into an output: frames with libzstd's default
 * parameters except the level, so that the same bytes and the same calls give
 * the same file as anybody else's stream.
 *
 *     z = zpack_new(ctx, 5);
 *     zpack_write(z, out, p, n);  as often as needed
 *     zpack_flush(z, out);        all of it can be unpacked now
 *     zpack_end(z, out);          the frame is whole
 *     zpack_free(z);
 *
 * What is written between two zpack_end is one frame. All functions return
 * BOB_OK or FATAL. No memory is allocated after zpack_new.
 */
#ifndef CORE_ZPACK_H
#define CORE_ZPACK_H

#include <stddef.h>

#include "core/output.h"

struct zpack;

/* NULL when memory is out (the context has the error). Levels outside of
 * libzstd's range are brought into it. */
struct zpack *zpack_new(struct bob_ctx *ctx, int level);

/* The same, but weighs more ways to say the same bytes than the lower levels
 * do: smaller, and some twenty times slower. */
struct zpack *zpack_new_thorough(struct bob_ctx *ctx, int level);

/* Between two frames of a thorough one: whether it hurries from here on, which
 * is about as fast as the lower levels are, and back. */
int zpack_hurry(struct zpack *z, int does);

int zpack_write(struct zpack *z, struct out *to, const void *p, size_t n);

/* Costs a block of its own: a few bytes, and some of the ratio. */
int zpack_flush(struct zpack *z, struct out *to);

/* Without a write before it, gives an empty frame. */
int zpack_end(struct zpack *z, struct out *to);

/* Bytes written since the last frame ended. */
uint64_t zpack_pending(const struct zpack *z);

/* NULL is allowed. */
void zpack_free(struct zpack *z);

#endif
