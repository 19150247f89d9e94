/*
 * What sinks have in common that write one number for each stack: slots of
 * struct sink_ops, and the option that says what the number is. A sink's state
 * begins with a struct weight_sink, so that the slots need not know the rest of
 * it. Sinks that write both samples and time use tallysink.h instead.
 *
 *     static int xx_open(struct sink *sink)
 *     {
 *             return weight_sink_open(sink, "xx");
 *     }
 *     ... .open = xx_open, .segment = weight_sink_segment,
 *         .runs = weight_sink_runs, .join = weight_sink_join,
 *         .close = weight_sink_close ...
 */
#ifndef FORMAT_COMMON_WEIGHTSINK_H
#define FORMAT_COMMON_WEIGHTSINK_H

#include "format/format.h"
#include "model/weights.h"

/* For the format's table of options. */
#define WEIGHT_SINK_OPTION                                                   \
	{ "unit", "samples|time",                                            \
	    "what counts are when periods differ (time)" }

struct weight_sink {
	struct weights weights;
	const char *format; /* what messages begin with */
	int is_plain; /* unit=samples: each sample counts 1 */
};

/* BOB_OK, or FAILED when the option `unit` has another value. */
int weight_sink_open(struct sink *sink, const char *format);
int weight_sink_segment(struct sink *sink, const struct bob_segment *segment);
int weight_sink_runs(struct sink *sink, const struct bob_run *v, size_t n);
int weight_sink_join(struct sink *sink, struct sink *from,
    const struct join_map *map);
void weight_sink_close(struct sink *sink);

/* The weight of a stack; 0: it has none. */
static inline uint64_t
weight_sink_of(const struct weight_sink *w, bob_stack s)
{
	return s >= w->weights.n ? 0 : w->is_plain ? w->weights.samples[s]
	                                           : weights_of(&w->weights, s);
}

/* Tells the user the unit of the weights, when they are not samples. */
void weight_sink_tell_unit(const struct weight_sink *w);

#endif
