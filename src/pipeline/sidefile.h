/*
 * The side file that a writer leaves when it dies before its last segment is
 * packed (side_suffix in format.h). The trace is then the first bytes of PATH,
 * as many as the side file says, and behind them the side file.
 */
#ifndef PIPELINE_SIDEFILE_H
#define PIPELINE_SIDEFILE_H

#include <stdint.h>

#include "core/error.h"

/*
 * Looks for a side file of `path`, of any format. Returns BOB_OK and sets
 * *ret_fd, open at its start, and *ret_offset, the bytes of `path` before it;
 * BOB_EOF when there is none, or it is empty, damaged at its start or not a
 * regular file: what is in `path` is read all the same. FAILED: out of memory.
 */
int sidefile_open(struct bob_ctx *ctx, const char *path, int *ret_fd,
    uint64_t *ret_offset);

#endif
