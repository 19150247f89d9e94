/* Writing Trace Event JSON: slices as they end, names when a thread is first
 * seen, and totals at the end. */
#include "format/chrome/chrome.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "format/chrome/slices.h"
#include "format/common/viewer.h"

struct writer {
	struct functions fns;
	struct viewer viewer;
	struct slices slices;
	struct text text;
	struct slices_lane *lane; /* by track */
	size_t cap_lane, n_lane;
	uint64_t samples, time_us;
	int has_begun;
	int needs_comma;
};

static int
chrome_open(struct sink *sink)
{
	struct writer *w = sink->state;

	viewer_init(&w->viewer, sink->ctx, sink->dict);
	w->slices.ctx = sink->ctx;
	w->slices.fns = &w->fns;
	return functions_init(&w->fns, sink->ctx, sink->dict);
}

static void
chrome_close(struct sink *sink)
{
	struct writer *w = sink->state;
	size_t i;

	for (i = 0; i < w->n_lane; i++)
		free(w->lane[i].start);
	free(w->lane);
	slices_done(&w->slices);
	text_done(&w->text);
	functions_done(&w->fns);
	viewer_done(&w->viewer);
}

static int
chrome_begin(struct sink *sink)
{
	struct writer *w = sink->state;

	if (w->has_begun)
		return BOB_OK;
	if (format_need_output(sink) < 0)
		return BOB_FATAL;
	w->has_begun = 1;
	w->slices.out = sink->out;
	/* Not displayTimeUnit, which some versions of Perfetto take for the
	 * unit of the times. */
	return out_str(sink->out, "{\"traceEvents\":[");
}

static int
chrome_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *w = sink->state;

	viewer_segment(&w->viewer, segment);
	return chrome_begin(sink);
}

/* Takes in what is new in the dictionary. */
static int
chrome_update(struct sink *sink)
{
	struct writer *w = sink->state;
	size_t n = sink->dict->n.n_track;

	if (functions_update(&w->fns) < 0 ||
	    functions_stacks(&w->fns, 0) < 0 ||
	    MEM_GROW(sink->ctx, w, lane, n) < 0)
		return BOB_FATAL;
	if (n > w->n_lane) {
		memset(w->lane + w->n_lane, 0,
		    (n - w->n_lane) * sizeof(*w->lane));
		w->n_lane = n;
	}
	return BOB_OK;
}

static int
put_name(struct writer *w, const char *kind, const struct viewer_track *t,
    struct bob_bytes name)
{
	text_begin(&w->text, w->slices.out);
	text_str(&w->text, w->needs_comma ? ",\n" : "\n");
	w->needs_comma = 1;
	text_str(&w->text, "{\"ph\":\"M\",\"pid\":");
	text_u64(&w->text, t->pid);
	text_str(&w->text, ",\"tid\":");
	text_u64(&w->text, t->tid);
	text_str(&w->text, ",\"name\":\"");
	text_str(&w->text, kind);
	text_str(&w->text, "\",\"args\":{\"name\":");
	json_string(&w->text, name.p, name.n);
	text_str(&w->text, "}}");
	return text_commit(&w->text);
}

static int
put_names(struct writer *w, bob_tid track, bob_stack stack)
{
	struct viewer_track *t = &w->viewer.track[track];
	struct bob_bytes name;

	t->is_first = 0;
	if (t->is_first_of_process) {
		if (viewer_process_name(&w->viewer, track,
		        functions_stack_lang(&w->fns, stack, 0), &name) < 0 ||
		    put_name(w, "process_name", t, name) < 0)
			return BOB_FATAL;
	}
	if (viewer_thread_name(&w->viewer, track, &name) < 0 ||
	    (name.n > 0 && put_name(w, "thread_name", t, name) < 0))
		return BOB_FATAL;
	slices_name(&w->lane[track], t->pid, t->tid);
	return BOB_OK;
}

/* Equal samples: only silence between two of them can end a slice. */
static int
put_run(struct writer *w, const struct bob_run *run)
{
	struct viewer_track *t = viewer_get(&w->viewer, run->track);
	struct slices_lane *lane = &w->lane[run->track];
	bob_stack stack = w->fns.of_stack[run->stack];
	uint64_t period = w->viewer.axis.period, i;
	int64_t at;
	int is_timed = (run->flags & BOB_RUN_TIMED) != 0, r;

	if (t == NULL || (t->is_first && put_names(w, run->track, stack) < 0))
		return BOB_FATAL;
	at = viewer_first(&w->viewer, t, run);
	if (is_timed && run->dt == NULL && t->has_samples && at < t->last)
		w->viewer.n_moved = count_add(w->viewer.n_moved,
		    run->count - 1);
	r = slices_sample(&w->slices, lane, stack,
	    viewer_take(&w->viewer, t, at), period);
	for (i = 1; is_timed && run->dt != NULL && r == BOB_OK &&
	    i < run->count; i++) {
		at = axis_later(at, run->dt[i - 1]);
		r = slices_sample(&w->slices, lane, stack,
		    viewer_take(&w->viewer, t, at), period);
	}
	if (!is_timed)
		lane->last = viewer_take(&w->viewer, t, axis_later(at,
		    count_mul(run->count - 1, period)));
	viewer_end_run(&w->viewer, t);
	w->samples = count_add(w->samples, run->count);
	w->time_us = count_add(w->time_us, count_mul(run->count, period));
	return r;
}

static int
chrome_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct writer *w = sink->state;
	size_t i;

	if (chrome_begin(sink) < 0 || chrome_update(sink) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (put_run(w, &v[i]) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

static int
chrome_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct writer *w = sink->state;

	return viewer_mark(&w->viewer, mark);
}

static int
put_totals(struct sink *sink)
{
	struct writer *w = sink->state;
	struct text *t = &w->text;

	text_begin(t, sink->out);
	text_str(t, "\n],\"otherData\":{\"exporter\":\"bobbin ");
	text_str(t, bob_version());
	text_str(t, "\",\"samples\":\"");
	text_u64(t, w->samples);
	text_str(t, "\",\"time_us\":\"");
	text_u64(t, w->time_us);
	if (w->viewer.axis.has_epoch) {
		text_str(t, "\",\"unix_us_of_0\":\"");
		text_u64(t, w->viewer.axis.epoch);
	}
	text_str(t, "\"}}\n");
	return text_commit(t);
}

static int
chrome_finish(struct sink *sink)
{
	struct writer *w = sink->state;
	size_t i;

	if (chrome_begin(sink) < 0)
		return BOB_FATAL;
	for (i = 0; i < w->n_lane; i++)
		if (w->lane[i].stack != 0 && slices_close(&w->slices,
		        &w->lane[i], w->viewer.track[i].next) < 0)
			return BOB_FATAL;
	viewer_tell(&w->viewer, "chrome");
	return put_totals(sink);
}

const struct sink_ops chrome_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_MARKS,
	.open = chrome_open,
	.segment = chrome_segment,
	.runs = chrome_runs,
	.mark = chrome_mark,
	.finish = chrome_finish,
	.close = chrome_close,
};

const struct format chrome_format = {
	.info = {
		.name = "chrome",
		.suffixes = ".trace.json",
		.summary = "Trace Event JSON: calls as slices of time",
		.caps = BOB_CAP_ORDER | BOB_CAP_PIDS | BOB_CAP_THREADS,
		.can_write = 1,
		.is_text = 1,
	},
	.sink = &chrome_sink,
};
