/*
 * Sinks at work: a format's table, its state and its output, as one handle.
 * bob_writer is this plus a dictionary and checks of what the caller gives;
 * conversions use it directly, because their ids come from a reader.
 *
 *     struct sink_spec spec = { .target = c->output, .dict = dict, ... };
 *
 *     r = sink_create(ctx, format_named("rbt"), &spec, &sink);
 *     while (...)
 *             r = sink_event(sink, &event);
 *     r = r < 0 ? (sink_discard(sink), r) : sink_finish(sink);
 *
 * A call that returns less than BOB_OK leaves the sink dead: discard it.
 */
#ifndef PIPELINE_SINK_H
#define PIPELINE_SINK_H

#include <bobbin/write.h>

#include "format/format.h"

/* Everything is borrowed during sink_create only, but for the dictionary,
 * which must outlive the sink, and next_user. */
struct sink_spec {
	/* NULL: the first output comes from next_output too; or, without
	 * one, the sink has no output and is only good to be joined. */
	const struct bob_target *target;
	const struct bob_option *options;
	size_t n_options;
	struct bob_dict *dict;
	bob_next_output_fn *next_output; /* NULL: one output */
	void *next_user;
	const struct bob_sources *sources; /* as in struct bob_write_opts */
	const struct format_diff *diff; /* as in struct sink */
	/* Which samples a digest has; NULL: all. Sinks with runs get what they
	 * are to write. */
	const struct bob_filter *filter;
	/* Is kept at the number of samples that are certainly in the output; it
	 * outlives the sink. NULL: nobody asks. */
	uint64_t *stored;
};

/*
 * Checks the options against the format's table, opens the output and the
 * sink. BOB_OK and *ret, or FAILED: BOB_E_USAGE for an option, BOB_E_FORMAT
 * for a format that cannot be written. An existing file is then untouched,
 * unless it was to be written in place.
 */
int sink_create(struct bob_ctx *ctx, const struct format *format,
    const struct sink_spec *spec, struct sink **ret);

/* Hands an event to the sink. BOB_OK, also when the sink has no slot for it, or
 * FATAL. */
int sink_event(struct sink *sink, const struct bob_event *event);
int sink_segment(struct sink *sink, const struct bob_segment *segment);
int sink_runs(struct sink *sink, const struct bob_run *v, size_t n);
int sink_mark(struct sink *sink, const struct bob_mark *mark);

/* What came so far is what the events that follow are compared with: the sink
 * gets no digest. BOB_OK or FATAL. */
int sink_side(struct sink *sink);

/* The events that follow are of another input. BOB_OK or FATAL. */
int sink_next_input(struct sink *sink);

/* Ends the events: sets sink->digest if the sink takes one. sink_finish does
 * it, too, unless it was done. BOB_OK or FATAL. */
int sink_sum_up(struct sink *sink);

/* Hands everything so far to the system; durable: to the disk. */
int sink_barrier(struct sink *sink, int durable);

/* Bytes given to outputs so far, after packing. */
uint64_t sink_bytes(const struct sink *sink);

/*
 * Ends the trace, finishes the output (a file gets its name) and frees the
 * sink, in every case. BOB_OK or FATAL; on failure a file that had no name
 * yet is removed. *bytes, unless NULL, becomes what sink_bytes would give.
 */
int sink_finish(struct sink *sink, uint64_t *bytes);

/* Frees the sink without ending the trace; a file that has no name yet is
 * removed. NULL is allowed. Also for a sink that was joined into another. */
void sink_discard(struct sink *sink);

/* The same, and removes files that are written in place. */
void sink_remove(struct sink *sink);

#endif
