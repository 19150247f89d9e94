/*
 * What sinks have in common that only need to know how much each stack got:
 * slots of struct sink_ops. Their state begins with a struct tally, so that
 * the slots need not know the rest of it.
 *
 *     struct writer {
 *             struct tally tally;   first
 *             ...
 *     };
 *     ... .open = sums_open, .segment = sums_segment, .runs = sums_runs,
 *         .join = sums_join, .close = sums_close ...
 */
#ifndef FORMAT_SUMS_H
#define FORMAT_SUMS_H

#include "format/format.h"
#include "model/tally.h"

int sums_open(struct sink *sink);
int sums_segment(struct sink *sink, const struct bob_segment *segment);
int sums_runs(struct sink *sink, const struct bob_run *v, size_t n);
int sums_join(struct sink *sink, struct sink *from,
    const struct join_map *map);
void sums_close(struct sink *sink);

#endif
