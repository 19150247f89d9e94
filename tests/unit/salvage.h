/* Loading what a live writer has left on disk, however it ended. */
#ifndef UNIT_SALVAGE_H
#define UNIT_SALVAGE_H

#include "support.h"

/* Appends a file to *ret; a missing file counts as empty. */
void load_file(const char *path, struct buf *ret);

/*
 * Appends the trace of a live file, packed or not: when there is something in
 * PATH.live, the first part of PATH, as long as PATH.live says, and PATH.live;
 * else PATH.
 */
void salvage(const char *path, struct buf *ret);

#endif
