/* Sinks that write a weight for each stack; see the header. */
#include "format/common/weightsink.h"

#include <string.h>

int
weight_sink_open(struct sink *sink, const char *format)
{
	struct weight_sink *w = sink->state;
	const char *unit = format_sink_option(sink, "unit");

	weights_init(&w->weights, sink->ctx);
	w->format = format;
	w->is_plain = unit != NULL && strcmp(unit, "samples") == 0;
	if (unit != NULL && !w->is_plain && strcmp(unit, "time") != 0)
		return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE,
		    BOB_NO_OFFSET, "%s: unit '%s' is neither samples nor "
		    "time", format, unit);
	return BOB_OK;
}

int
weight_sink_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct weight_sink *w = sink->state;

	weights_segment(&w->weights, segment->period_us);
	return BOB_OK;
}

int
weight_sink_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct weight_sink *w = sink->state;

	return weights_add(&w->weights, v, n);
}

int
weight_sink_join(struct sink *sink, struct sink *from,
    const struct join_map *map)
{
	struct weight_sink *w = sink->state, *other = from->state;

	return weights_join(&w->weights, &other->weights, map->stack);
}

void
weight_sink_close(struct sink *sink)
{
	struct weight_sink *w = sink->state;

	weights_done(&w->weights);
}

void
weight_sink_tell_unit(const struct weight_sink *w)
{
	const struct weights *v = &w->weights;

	if (w->is_plain || weights_unit_us(v) == 0)
		return;
	err_diag(v->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
	    "%s: segments have periods from %llu to %llu us: counts are in "
	    "units of %llu us", w->format, (unsigned long long)v->min_period,
	    (unsigned long long)v->max_period,
	    (unsigned long long)weights_unit_us(v));
}
