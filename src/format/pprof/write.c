/*
 * Writing pprof: sums by stack, track and labels are gathered, and written at
 * the end as one gzip member (several would be legal, but some viewers unpack
 * only the first). A sample lists all of its frames, so that the profile can
 * be far larger than what was gathered: it is packed as it is made.
 */
#include "format/pprof/write.h"

#include <stdlib.h>
#include <string.h>

#include "format/common/meta.h"

/* Labels without being asked for: one per kind of request. */
#define DEFAULT_LABELS "route"

const struct bob_option_info pprof_write_options[] = {
	{ "labels", "KEYS", "annotations that become labels, with commas "
	                    "between; route by default, none with ''" },
	{ NULL, NULL, NULL },
};

static int
pprof_open(struct sink *sink)
{
	struct pprof_writer *w = sink->state;
	const char *labels = format_sink_option(sink, "labels");

	tally_init(&w->tally, sink->ctx, sink->dict->seed,
	    TALLY_TRACKS | TALLY_ANNOTATIONS);
	labels_init(&w->processes, sink->ctx, sink->dict->seed);
	return pprof_labels_init(&w->labels, sink->ctx,
	    labels != NULL ? labels : DEFAULT_LABELS);
}

/* The clock of the segment stops, a period after the last sample. */
static void
end_clock(struct pprof_writer *w)
{
	if (w->has_times)
		w->clock_us = count_add(w->clock_us,
		    count_add(w->t_last - w->t_first, w->tally.period));
	w->has_times = 0;
}

static int
pprof_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct pprof_writer *w = sink->state;

	end_clock(w);
	tally_segment(&w->tally, segment->period_us);
	if (w->start_us == 0)
		w->start_us = segment->start_us;
	if (w->period_us == 0)
		w->period_us = segment->period_us;
	return BOB_OK;
}

static void
note_untimed(struct pprof_writer *w, const struct bob_run *run)
{
	uint64_t *sum = &w->untimed_us[run->track];

	*sum = count_add(*sum, count_mul(run->count, w->tally.period));
	if (*sum > w->longest_untimed_us)
		w->longest_untimed_us = *sum;
}

static void
note_times(struct pprof_writer *w, const struct bob_run *run)
{
	if (!(run->flags & BOB_RUN_TIMED)) {
		note_untimed(w, run);
		return;
	}
	if (!w->has_times || run->t_first < w->t_first)
		w->t_first = run->t_first;
	if (!w->has_times || run->t_last > w->t_last)
		w->t_last = run->t_last;
	w->has_times = 1;
}

static int
reserve_tracks(struct sink *sink)
{
	struct pprof_writer *w = sink->state;
	size_t n = sink->dict->n.n_track;

	if (MEM_GROW(sink->ctx, w, untimed_us, n) < 0)
		return BOB_FATAL;
	for (; w->n_untimed_us < n; w->n_untimed_us++)
		w->untimed_us[w->n_untimed_us] = 0;
	return BOB_OK;
}

static int
pprof_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct pprof_writer *w = sink->state;
	size_t i;

	if (MEM_GROW(sink->ctx, w, run, n) < 0 || reserve_tracks(sink) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++) {
		w->run[i] = v[i];
		w->run[i].annot = pprof_labels_of(&w->labels, sink->dict,
		    v[i].annot);
		if (w->run[i].annot == BOB_NO_ID)
			return BOB_FATAL;
		note_times(w, &v[i]);
	}
	return tally_add(&w->tally, w->run, n);
}

static int
pprof_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct pprof_writer *w = sink->state;
	size_t i;
	int r = labels_mark(&w->processes, sink->dict, mark);

	if (r != 0 || mark->kind != BOB_MARK_META)
		return r < 0 ? BOB_FATAL : BOB_OK;
	if (meta_is(sink->dict, mark->key, META_MODE))
		w->is_cpu = meta_is(sink->dict, mark->value, "cpu");
	for (i = 0; i < w->n_comment; i++)
		if (w->comment[i].key == mark->key)
			break;
	if (i == PPROF_MAX_COMMENTS)
		return BOB_OK;
	w->comment[i] = (struct bob_pair){ mark->key, mark->value };
	w->n_comment = i < w->n_comment ? w->n_comment : i + 1;
	return BOB_OK;
}

static int
pprof_finish(struct sink *sink)
{
	struct pack_stream *to = NULL;
	int r = format_need_output(sink);

	end_clock(sink->state);
	if (r == BOB_OK) {
		to = pack_stream_new(sink->ctx, sink->out);
		r = to == NULL ? BOB_FATAL : pprof_write_profile(sink, to);
	}
	if (r == BOB_OK)
		r = pack_stream_end(to);
	pack_stream_free(to);
	return r < 0 ? BOB_FATAL : BOB_OK;
}

static void
pprof_close(struct sink *sink)
{
	struct pprof_writer *w = sink->state;

	tally_done(&w->tally);
	pprof_labels_done(&w->labels);
	labels_done(&w->processes);
	free(w->run);
	free(w->untimed_us);
}

const struct sink_ops pprof_sink = {
	.state_size = sizeof(struct pprof_writer),
	.want = BOB_WANT_TIMES | BOB_WANT_TRACKS | BOB_WANT_ANNOTATIONS |
	    BOB_WANT_MARKS,
	.open = pprof_open,
	.segment = pprof_segment,
	.runs = pprof_runs,
	.mark = pprof_mark,
	.finish = pprof_finish,
	.close = pprof_close,
};
