/* Sinks that add up samples and time of stacks; see the header. */
#include "format/common/tallysink.h"

int
tally_sink_open(struct sink *sink)
{
	tally_init(sink->state, sink->ctx, sink->dict->seed, 0);
	return BOB_OK;
}

int
tally_sink_segment(struct sink *sink, const struct bob_segment *segment)
{
	tally_segment(sink->state, segment->period_us);
	return BOB_OK;
}

int
tally_sink_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	return tally_add(sink->state, v, n);
}

int
tally_sink_join(struct sink *sink, struct sink *from,
    const struct join_map *map)
{
	return tally_join(sink->state, from->state, map->stack, NULL, NULL);
}

void
tally_sink_close(struct sink *sink)
{
	tally_done(sink->state);
}
