/*
 * Samples in the order of their times (BOB_READ_BY_TIME): a stage between a
 * source and what follows it, which holds back a segment's samples until all
 * are there.
 *
 * Writers that join the equal samples of a thread write them when its stack
 * changes, so a sleeping thread's samples can stand far behind those of the
 * others. What they never do is to mix up the samples of one thread. So:
 *
 * - The samples of one track keep their order, whatever their times. One
 *   whose clock was set back counts as taken at the latest time before it.
 * - Of samples of different tracks the earlier one goes first. At the same
 *   time, the track goes first whose first sample is earlier; for tracks that
 *   began at the same time, the one that comes first in the file.
 * - A sample without a time stays behind the sample of its track before it.
 *   Those in front of a track's first time go to the front; those in front of
 *   a segment's first time are not held back at all, so that a segment
 *   without times passes as it is.
 * - A run is cut where a sample of another track comes in between, and equal
 *   neighbours of one track are joined.
 * - Marks are not held back: they come before the samples of their segment
 *   that preceded them.
 *
 * It takes about 5 bytes of memory per sample, up to a limit; from there on
 * disk space, in a file without a name.
 */
#ifndef PIPELINE_ORDER_H
#define PIPELINE_ORDER_H

#include "format/format.h"

struct order;

/* limit: bytes of samples in memory. NULL when memory is out (the context has
 * the error). */
struct order *order_new(struct bob_ctx *ctx, size_t limit);

/* The next event of `src`, with its samples in order; returns what the
 * source's own next returns. */
int order_next(struct order *o, struct source *src, struct bob_event *ret);

/* NULL is allowed. */
void order_free(struct order *o);

#endif
