/*
 * Gathering samples for Firefox Profiler: rows and intervals per track, packed
 * and spilled (lanes.h), since each column of a thread's table stands alone in
 * the file. Only strings, frames and stacks stay in memory.
 */
#include "format/gecko/write.h"

#include <stdlib.h>
#include <string.h>

#include "format/gecko/gecko.h"

/* Packed samples and marks in memory, of all threads. */
#define MAX_MEMORY ((size_t)8 << 20)

/* What a row is in the file, at least: two cells of a digit and a comma. What
 * the commas lack at the ends is less than the names of the columns. */
#define LEAST_ROW 4

#define STATUS_MAIN_THREAD (1 << 5)

/* Named as in enum marks_state. */
static const char *const state_names[MARKS_N_STATES] = {
	"GIL held", "Waiting for GIL", "On CPU", "Exception", "GC",
};

static int
gecko_open(struct sink *sink)
{
	struct gecko_writer *w = sink->state;
	struct bob_segment none = { 0 };
	unsigned i;

	lanes_init(&w->lanes, sink->ctx, MAX_MEMORY);
	w->marks_to.lanes = &w->lanes;
	w->marks_to.fns = &w->fns;
	axis_segment(&w->axis, &none);
	labels_init(&w->labels, sink->ctx, sink->dict->seed);
	if (functions_init(&w->fns, sink->ctx, sink->dict) < 0)
		return BOB_FAILED;
	for (i = 0; i < MARKS_N_STATES; i++) {
		w->state_name[i] = bob_str_put(w->fns.own, state_names[i],
		    strlen(state_names[i]));
		if (w->state_name[i] == BOB_NO_ID)
			return BOB_FAILED;
	}
	return BOB_OK;
}

static int
gecko_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct gecko_writer *w = sink->state;

	axis_segment(&w->axis, segment);
	w->n_segment++;
	return BOB_OK;
}

static int
is_called(struct bob_bytes s, const char *name)
{
	return s.n == strlen(name) && memcmp(s.p, name, s.n) == 0;
}

unsigned
gecko_category(const struct functions *f, uint32_t function)
{
	struct bob_bytes name = functions_name(f, function);

	switch (functions_lang(f, function)) {
	case BOB_LANG_PHP:
		return GECKO_PHP;
	case BOB_LANG_PYTHON:
		/* Frames that CPython's profiler makes up. */
		return is_called(name, "<GC>") ? GECKO_GC :
		    is_called(name, "<native>") ? GECKO_NATIVE : GECKO_PYTHON;
	case BOB_LANG_NATIVE:
		return GECKO_NATIVE;
	default:
		return GECKO_OTHER;
	}
}

static unsigned
what_it_has(const struct functions *f, uint32_t place)
{
	uint32_t function = f->place[place].function;

	if (gecko_category(f, function) == GECKO_GC)
		return GECKO_HAS_PYTHON | GECKO_HAS_GC;
	switch (functions_lang(f, function)) {
	case BOB_LANG_PHP:
		return GECKO_HAS_PHP;
	case BOB_LANG_PYTHON:
		return GECKO_HAS_PYTHON;
	default:
		return 0;
	}
}

/* Takes in what is new in the dictionary. */
static int
gecko_update(struct sink *sink)
{
	struct gecko_writer *w = sink->state;
	struct functions *f = &w->fns;
	size_t n_track = sink->dict->n.n_track, n_stack;

	if (functions_update(f) < 0 || functions_stacks(f, 1) < 0)
		return BOB_FATAL;
	n_stack = f->own->n.n_stack;
	if (MEM_GROW(sink->ctx, w, has, n_stack) < 0 ||
	    MEM_GROW(sink->ctx, w, track, n_track) < 0)
		return BOB_FATAL;
	for (; w->n_has < n_stack; w->n_has++) {
		const struct dict_node *node = &f->own->node[w->n_has];

		w->has[w->n_has] = w->n_has == 0 ? 0 : (uint8_t)(
		    w->has[node->parent] | what_it_has(f, node->frame));
	}
	if (n_track > w->n_track) {
		memset(w->track + w->n_track, 0,
		    (n_track - w->n_track) * sizeof(*w->track));
		w->n_track = n_track;
	}
	return BOB_OK;
}

/* Samples with times of their own, a row for each: `row` has everything but
 * time and weight. */
static int
put_timed(struct gecko_writer *w, struct gecko_track *track,
    const struct bob_run *run, struct row *row, int64_t at)
{
	int64_t last = track->rows.n > 0 ? track->rows.last.at : at;
	uint64_t i;

	w->n_moved += at < last;
	last = row->at = at < last ? last : at;
	row->weight = 1;
	if (rows_put(&w->lanes, &track->rows, row) < 0)
		return BOB_FATAL;
	for (i = 1; i < run->count; i++) {
		at = axis_later(at, run->dt[i - 1]);
		w->n_moved += at < last;
		last = at < last ? last : at;
		if (rows_repeat(&w->lanes, &track->rows, last) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/*
 * Equal samples from `first` to `last`, of which the times in between are not
 * known: a row for the last one and a row for all before it, so that viewers
 * see how long they took.
 */
static int
put_weighted(struct gecko_writer *w, struct gecko_track *track,
    uint64_t count, struct row *row, int64_t first, int64_t last)
{
	row->at = first;
	row->weight = first < last && count > 1 ? count - 1 : count;
	if (rows_put(&w->lanes, &track->rows, row) < 0)
		return BOB_FATAL;
	if (row->weight == count)
		return BOB_OK;
	row->at = last;
	row->weight = 1;
	return rows_put(&w->lanes, &track->rows, row);
}

/* Returns where the first sample of the run is; it may be before the last one
 * of the track, if the clock went back. */
static int64_t
first_time(struct gecko_writer *w, const struct gecko_track *track,
    const struct bob_run *run)
{
	int64_t at;

	if (run->flags & BOB_RUN_TIMED)
		return axis_at(&w->axis, run->t_first);
	at = axis_begin(&w->axis);
	return track->rows.n > 0 && at < track->next ? track->next : at;
}

static int
put_rows(struct gecko_writer *w, struct gecko_track *track,
    const struct bob_run *run, int64_t at)
{
	int is_timed = (run->flags & BOB_RUN_TIMED) != 0;
	struct row row = { .period = w->axis.period,
		.stack = w->fns.of_stack[run->stack] };
	int64_t first = at, last = at;

	if (is_timed && (run->count == 1 || run->dt != NULL))
		return put_timed(w, track, run, &row, at);
	if (is_timed)
		last = axis_at(&w->axis, run->t_last);
	else
		last = axis_later(at, count_mul(run->count - 1,
		    w->axis.period));
	if (track->rows.n > 0 && first < track->rows.last.at) {
		w->n_moved = count_add(w->n_moved, run->count);
		first = track->rows.last.at;
	}
	return put_weighted(w, track, run->count, &row, first,
	    last < first ? first : last);
}

/* A new segment ends all intervals of a track. */
static int
enter_segment(struct gecko_writer *w, struct gecko_track *track, int64_t at)
{
	int r = BOB_OK;

	if (track->rows.n > 0)
		r = marks_change(&w->marks_to, &track->marks, 0, 0,
		    at < track->next ? at : track->next);
	track->n_segment = w->n_segment;
	if (w->period == 0)
		w->period = w->axis.period;
	else if (w->period != w->axis.period)
		w->periods_differ = 1;
	return r;
}

static int
put_run(struct gecko_writer *w, const struct bob_run *run)
{
	struct gecko_track *track = &w->track[run->track];
	unsigned has = w->has[w->fns.of_stack[run->stack]];
	unsigned status = run->flags & BOB_RUN_STATUS ? run->status : 0;
	int64_t at = first_time(w, track, run), mark_at = at;

	if (track->rows.n > 0 && at < track->rows.last.at)
		mark_at = track->rows.last.at;
	if (track->n_segment != w->n_segment &&
	    enter_segment(w, track, mark_at) < 0)
		return BOB_FATAL;
	track->has |= has;
	track->is_main |= (status & STATUS_MAIN_THREAD) != 0;
	if (marks_change(&w->marks_to, &track->marks,
	        marks_state(status, (has & GECKO_HAS_GC) != 0), run->annot,
	        mark_at) < 0 ||
	    put_rows(w, track, run, at) < 0)
		return BOB_FATAL;
	track->next = axis_later(track->rows.last.at, w->axis.period);
	if (track->next > w->axis.end)
		w->axis.end = track->next;
	return BOB_OK;
}

static int
spill_lanes(struct sink *sink)
{
	struct gecko_writer *w = sink->state;
	uint64_t n_rows = 0;
	size_t i;

	for (i = 0; i < w->n_track; i++)
		n_rows += w->track[i].rows.n;
	/* Written at the end: what is too much is not kept until then. */
	if (sink->out != NULL &&
	    out_expect(sink->out, count_mul(n_rows, LEAST_ROW)) < 0)
		return BOB_FATAL;
	for (i = 0; i < w->n_track; i++)
		if (lane_spill(&w->lanes, &w->track[i].rows.lane) < 0 ||
		    lane_spill(&w->lanes, &w->track[i].marks.lane) < 0)
			return BOB_FATAL;
	lanes_spilled(&w->lanes);
	return BOB_OK;
}

static int
gecko_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct gecko_writer *w = sink->state;
	size_t i;

	if (gecko_update(sink) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++) {
		if (put_run(w, &v[i]) < 0)
			return BOB_FATAL;
		if (lanes_are_full(&w->lanes) && spill_lanes(sink) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Metadata is kept as annotation sets of our own dictionary, where each is
 * kept once. */
static int
gecko_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct gecko_writer *w = sink->state;
	struct bob_pair pair;
	int r = labels_mark(&w->labels, sink->dict, mark);

	if (r != 0 || mark->kind != BOB_MARK_META)
		return r < 0 ? BOB_FATAL : BOB_OK;
	pair.key = marks_string(&w->marks_to, mark->key);
	pair.value = marks_string(&w->marks_to, mark->value);
	if (pair.key == BOB_NO_ID || pair.value == BOB_NO_ID ||
	    bob_annot_put(w->fns.own, &pair, 1) == BOB_NO_ID)
		return BOB_FATAL;
	return BOB_OK;
}

/* The viewer refuses files without a sample: an empty trace gets one that
 * weighs nothing. */
static int
put_nothing(struct sink *sink)
{
	struct gecko_writer *w = sink->state;
	struct row row = { .period = w->axis.period };
	size_t i;

	if (gecko_update(sink) < 0)
		return BOB_FATAL;
	for (i = 0; i < w->n_track; i++)
		if (w->track[i].rows.n > 0)
			return BOB_OK;
	return rows_put(&w->lanes, &w->track[0].rows, &row);
}

static int
end_marks(struct gecko_writer *w)
{
	size_t i;

	for (i = 0; i < w->n_track; i++)
		if (marks_change(&w->marks_to, &w->track[i].marks, 0, 0,
		        w->track[i].next) < 0)
			return BOB_FATAL;
	return lanes_rewind(&w->lanes);
}

static int
gecko_finish(struct sink *sink)
{
	struct gecko_writer *w = sink->state;
	struct gecko_page page = { .sink = sink, .w = w };
	int r = format_need_output(sink);

	if (r == BOB_OK)
		r = put_nothing(sink);
	if (r == BOB_OK)
		r = end_marks(w);
	if (r == BOB_OK)
		r = gecko_put_file(&page);
	if (r == BOB_OK && w->n_moved > 0)
		err_diag(sink->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
		    "gecko: %llu samples are shown later than they say, since "
		    "time went back in their threads",
		    (unsigned long long)w->n_moved);
	text_done(&page.text);
	lane_reader_done(&page.rows.in);
	lane_reader_done(&page.marks.in);
	free(page.source_of);
	free(page.source);
	return r;
}

static void
gecko_close(struct sink *sink)
{
	struct gecko_writer *w = sink->state;
	size_t i;

	for (i = 0; i < w->n_track; i++) {
		lane_done(&w->track[i].rows.lane);
		marks_done(&w->track[i].marks);
	}
	free(w->track);
	free(w->has);
	free(w->marks_to.utf8);
	lanes_done(&w->lanes);
	labels_done(&w->labels);
	functions_done(&w->fns);
}

const struct sink_ops gecko_sink = {
	.state_size = sizeof(struct gecko_writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_ANNOTATIONS | BOB_WANT_STATUS | BOB_WANT_MARKS,
	.open = gecko_open,
	.segment = gecko_segment,
	.runs = gecko_runs,
	.mark = gecko_mark,
	.finish = gecko_finish,
	.close = gecko_close,
};

const struct format gecko_format = {
	.info = {
		.name = "gecko",
		.suffixes = ".gecko.json",
		.summary = "Firefox Profiler: timelines with markers",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_STATUS | BOB_CAP_ANNOTATIONS |
		    BOB_CAP_META | BOB_CAP_PERIOD,
		.can_write = 1,
		.is_text = 1,
	},
	.sink = &gecko_sink,
};
