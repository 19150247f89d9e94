/*
 * Packing: whole gzip members by libdeflate, which is several times faster
 * than streaming zlib and wants its input in one piece. The same input gives
 * the same bytes on every run (no name, no time in the member's header).
 */
#ifndef CORE_PACK_H
#define CORE_PACK_H

#include <stddef.h>

#include "core/output.h"

struct pack;

/* NULL when memory is out (the context has the error). */
struct pack *pack_new(struct bob_ctx *ctx);
void pack_free(struct pack *p);

/* Commits one member with the n bytes at `from`, as one piece, to `to`. */
int pack_member(struct pack *p, const void *from, size_t n, struct out *to);

#endif
