/*
 * What sinks have in common that need the samples and the time of each stack:
 * slots of struct sink_ops. A sink's state begins with a struct tally, so that
 * the slots need not know the rest of it. Sinks that write one number for each
 * stack use weightsink.h instead.
 *
 *     struct writer {
 *             struct tally tally;   first
 *             ...
 *     };
 *     ... .open = tally_sink_open, .segment = tally_sink_segment,
 *         .runs = tally_sink_runs, .join = tally_sink_join,
 *         .close = tally_sink_close ...
 */
#ifndef FORMAT_COMMON_TALLYSINK_H
#define FORMAT_COMMON_TALLYSINK_H

#include "format/format.h"
#include "model/tally.h"

int tally_sink_open(struct sink *sink);
int tally_sink_segment(struct sink *sink, const struct bob_segment *segment);
int tally_sink_runs(struct sink *sink, const struct bob_run *v, size_t n);
int tally_sink_join(struct sink *sink, struct sink *from,
    const struct join_map *map);
void tally_sink_close(struct sink *sink);

#endif
