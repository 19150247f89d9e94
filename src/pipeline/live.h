/*
 * The side file of a writer that packs its segments: PATH.live holds the raw
 * segment that was not finished when the writer died, and says in its first
 * metadata, `bobbin.offset`, how many bytes of PATH come before it.
 */
#ifndef PIPELINE_LIVE_H
#define PIPELINE_LIVE_H

#include <stdint.h>

#include "core/error.h"

#define LIVE_SUFFIX ".live"
#define LIVE_OFFSET "bobbin.offset"

/*
 * Looks for the side file of `path`. BOB_OK with *ret_fd open at its start
 * and *ret_offset; BOB_EOF when there is none, or none with anything in it,
 * or it is no regular file (then it is none of ours); FAILED.
 */
int live_open(struct bob_ctx *ctx, const char *path, int *ret_fd,
    uint64_t *ret_offset);

#endif
