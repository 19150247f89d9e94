/*
 * Packing with zstd, as a stream into an output. Frames have libzstd's default
 * parameters except the level. So the same bytes and calls give the same file
 * as another program's stream.
 *
 *     z = zpack_new(ctx, 5);
 *     zpack_write(z, out, p, n);  as often as needed
 *     zpack_flush(z, out);        everything so far can be unpacked
 *     zpack_end(z, out);          the frame is complete
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

/* The same with an optimal parser at a low level: the result is smaller, and
 * packing is some twenty times slower. */
struct zpack *zpack_new_thorough(struct bob_ctx *ctx, int level);

/* For a packer of zpack_new_thorough, between two frames: `does` makes it about
 * as fast as the plain level from now on; 0 makes it thorough again. */
int zpack_hurry(struct zpack *z, int does);

int zpack_write(struct zpack *z, struct out *to, const void *p, size_t n);

/* Ends a block, which costs a few bytes and a little of the ratio. */
int zpack_flush(struct zpack *z, struct out *to);

/* Ends the frame. Without a write before it, the frame is empty. */
int zpack_end(struct zpack *z, struct out *to);

/* Bytes written since the last frame ended. */
uint64_t zpack_pending(const struct zpack *z);

/* NULL is allowed. */
void zpack_free(struct zpack *z);

#endif
