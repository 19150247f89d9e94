/*
 * Runs into samples, and the sinks' tables. A sample is a thread, a time, a
 * status and a stack; what the model knows beyond that has no place here.
 *
 * The file has one start and one interval. The start is when the first
 * segment's sampling began, or else the time of the first sample. Samples
 * without times get them: each thread's next one a period later. Times of
 * later segments are written as they are; a clock that goes back is a delta
 * modulo 2^64, which every reader adds up again.
 */
#include <stdlib.h>
#include <string.h>

#include "format/tach/write.h"

/* Samples in a file whose header counts with 64 bits. Formats that count equal
 * samples can claim 2^63 of them in a few bytes, which would be written here
 * one by one for ever; this is a year of a thousand a second in 34 threads. */
#define MAX_SAMPLES ((uint64_t)1 << 40)

static int
add_sample(struct tach_writer *w, struct tach_thread *th,
    const struct bob_run *run, uint8_t status, uint64_t t)
{
	uint64_t delta = t - th->t;

	th->t = t;
	if (run->stack == th->stack)
		return tach_repeat(w, th, delta, status);
	return tach_change(w, th, run->stack, delta, status);
}

static int
over_budget(struct tach_writer *w, uint64_t n)
{
	return err_budget(w->ctx, BOB_LIMIT_OUTPUT, BOB_NO_OFFSET,
	    "tach: more than %llu samples, which take more than %llu bytes "
	    "before packing, the limit (max_output)", (unsigned long long)n,
	    (unsigned long long)w->sink->out->max);
}

/* Adds equal samples. When they are known to be too many, none is added. */
static int
add_equal(struct tach_writer *w, struct tach_thread *th, uint64_t delta,
    uint8_t status, uint64_t n)
{
	uint64_t allowed = w->sink->out->max / (varint_size(delta) + 1);

	return n > allowed ? over_budget(w, allowed)
	                   : tach_repeat_equal(w, th, delta, status, n);
}

/* Times between the first and the last that nobody knows are the last. */
static int
add_timed(struct tach_writer *w, struct tach_thread *th,
    const struct bob_run *run, uint8_t status)
{
	uint64_t t = run->t_first, i;
	int r = add_sample(w, th, run, status, t);

	if (run->dt == NULL && run->count > 1 && r == BOB_OK) {
		r = add_sample(w, th, run, status, run->t_last);
		return r < 0 ? r
		             : add_equal(w, th, 0, status, run->count - 2);
	}
	for (i = 1; i < run->count && r == BOB_OK; i++) {
		t += run->dt[i - 1];
		r = add_sample(w, th, run, status, t);
	}
	return r;
}

static int
add_untimed(struct tach_writer *w, struct tach_thread *th,
    const struct bob_run *run, uint8_t status)
{
	uint64_t period = w->segment.period_us;
	int r = BOB_OK;

	if (run->count > 0)
		r = add_sample(w, th, run, status, th->t + period);
	if (run->count < 2 || r < 0)
		return r;
	th->t += period * (run->count - 1);
	return add_equal(w, th, period, status, run->count - 1);
}

/* Packed samples take hardly any room, but time. They count by their size
 * before packing, at least two bytes each. */
static void
limit_samples(struct tach_writer *w, const struct tach_layout *layout)
{
	uint64_t allowed = w->sink->out->max / 2;

	w->max_samples = layout->samples_size == 4 ? UINT32_MAX : MAX_SAMPLES;
	w->is_over_budget = allowed < w->max_samples;
	if (w->is_over_budget)
		w->max_samples = allowed;
}

static int
too_many_samples(struct tach_writer *w)
{
	if (w->is_over_budget)
		return over_budget(w, w->max_samples);
	if (w->max_samples == MAX_SAMPLES)
		return err_set(w->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "tach: more than %llu samples, of which each takes room "
		    "of its own", (unsigned long long)w->max_samples);
	return err_set(w->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "tach: more than %llu samples, which dialect %s cannot count "
	    "(1b can)", (unsigned long long)w->max_samples,
	    tach_layouts[w->o.dialect].name);
}

static int
add_run(struct tach_writer *w, const struct bob_run *run)
{
	struct tach_thread *th;
	uint8_t status = run->flags & BOB_RUN_STATUS ? run->status
	                                             : TACH_UNKNOWN;
	int r;

	if (w->threads.of_track[run->track] == 0 &&
	    tach_thread_add(w, run->track) < 0)
		return BOB_FATAL;
	th = &w->threads.v[w->threads.of_track[run->track] - 1];
	if (run->count > w->max_samples - w->n_samples)
		return too_many_samples(w);
	w->n_samples += run->count;
	r = run->flags & BOB_RUN_TIMED ? add_timed(w, th, run, status)
	                               : add_untimed(w, th, run, status);
	if (th->node == TACH_CUT)
		w->n_cut += run->count;
	return r;
}

static int
reserve_maps(struct tach_writer *w)
{
	struct bob_counts n = w->dict->n;

	if (tach_map_grow(w->ctx, &w->names.of_fid, &w->names.cap_of_fid,
	        n.n_frame) < 0 ||
	    tach_map_grow(w->ctx, &w->stacks.of_stack,
	        &w->stacks.cap_of_stack, n.n_stack) < 0 ||
	    tach_map_grow(w->ctx, &w->threads.of_track,
	        &w->threads.cap_of_track, n.n_track) < 0)
		return BOB_FATAL;
	return BOB_OK;
}

/* What the header will say, decided by the first sample or by the end. */
static void
fix_start(struct tach_writer *w, const struct bob_run *first)
{
	if (w->has_start)
		return;
	w->has_start = 1;
	if (w->meta.has_t_begin)
		w->start_us = w->meta.t_begin;
	else if (w->segment.t_begin != 0)
		w->start_us = w->segment.t_begin;
	else if (first != NULL && (first->flags & BOB_RUN_TIMED))
		w->start_us = first->t_first;
}

static int
write_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct tach_writer *w = sink->state;
	size_t i;
	int r;

	if (n == 0)
		return BOB_OK;
	fix_start(w, v);
	r = reserve_maps(w);
	for (i = 0; i < n && r == BOB_OK; i++)
		r = add_run(w, &v[i]);
	return r;
}

/* There is room for one interval only: the first. */
static int
write_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct tach_writer *w = sink->state;

	if (w->n_segments++ == 0)
		w->interval_us = segment->period_us;
	w->segment = *segment;
	if (segment->period_us != w->interval_us && !w->has_told_period) {
		w->has_told_period = 1;
		err_diag(w->ctx, BOB_WARN, BOB_E_NONE, BOB_NO_OFFSET,
		    "tach: a file has one sampling interval: %llu us is "
		    "written, not %llu us as in segment %llu",
		    (unsigned long long)w->interval_us,
		    (unsigned long long)segment->period_us,
		    (unsigned long long)segment->index);
	}
	return BOB_OK;
}

static int
write_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct tach_writer *w = sink->state;

	if (mark->kind != BOB_MARK_META ||
	    !tach_meta_take(&w->meta, bob_str_get(w->dict, mark->key),
	        bob_str_get(w->dict, mark->value), w->n_segments <= 1) ||
	    w->journal == NULL)
		return BOB_OK;
	if (MEM_GROW(w->ctx, w, new_meta, w->n_new_meta + 1) < 0)
		return BOB_FATAL;
	w->new_meta[w->n_new_meta++] = (struct bob_pair){ mark->key,
		mark->value };
	return BOB_OK;
}

static int
write_open(struct sink *sink)
{
	struct tach_writer *w = sink->state;
	const struct tach_layout *layout;
	int r;

	w->ctx = w->names.ctx = sink->ctx;
	w->sink = sink;
	w->dict = w->names.dict = sink->dict;
	layout = &tach_layouts[w->o.dialect < 0 ? TACH_1B : w->o.dialect];
	w->names.n_fields = layout->frame_fields;
	if (layout->frame_fields == 3)
		sink->caps &= ~(uint32_t)(BOB_CAP_OPCODES | BOB_CAP_COLUMNS);
	r = tach_stacks_init(w);
	if (r == BOB_OK)
		r = format_need_output(sink);
	if (r < 0)
		return r;
	limit_samples(w, layout);
	return tach_store_open(w);
}

static int
open_tach(struct sink *sink)
{
	struct tach_writer *w = sink->state;

	if (tach_write_options_get(sink, &w->o) < 0)
		return BOB_FAILED;
	return write_open(sink);
}

static int
open_v2(struct sink *sink)
{
	struct tach_writer *w = sink->state;

	if (tach_write_options_get(sink, &w->o) < 0)
		return BOB_FAILED;
	if (w->o.dialect >= 0 && w->o.dialect != TACH_V2)
		return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE,
		    BOB_NO_OFFSET, "tach-v2 is dialect v2; the format tach "
		    "writes %s", tach_layouts[w->o.dialect].name);
	w->o.dialect = TACH_V2;
	return write_open(sink);
}

static int
flush_threads(struct tach_writer *w)
{
	uint32_t i;
	int r = BOB_OK;

	for (i = 0; i < w->threads.n && r == BOB_OK; i++)
		r = tach_flush_repeats(w, &w->threads.v[i]);
	return r;
}

static int
write_flush(struct sink *sink)
{
	struct tach_writer *w = sink->state;
	int r;

	/* Nothing reaches the output before the end. */
	if (w->o.is_small)
		return BOB_OK;
	r = flush_threads(w);
	return r < 0 ? r : tach_store_flush(w);
}

static void
tell_cut(const struct tach_writer *w)
{
	if (w->n_cut > 0)
		err_diag(w->ctx, BOB_WARN, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "tach: %llu samples of %u stacks are deeper than %u "
		    "frames: their outermost frames are left out, because "
		    "CPython refuses more (--deep keeps them)",
		    (unsigned long long)w->n_cut, w->stacks.n_cut,
		    w->stacks.limit);
	if (w->o.is_deep && w->stacks.max_depth > TACH_CPYTHON_DEPTH)
		err_diag(w->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
		    "tach: stacks of up to %u frames are written: CPython "
		    "cannot read this file (its limit is %u)",
		    w->stacks.max_depth, TACH_CPYTHON_DEPTH);
}

static void
tell_sizes(const struct tach_writer *w)
{
	uint64_t n = out_total(w->file);

	if (w->o.is_small)
		err_diag(w->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
		    "tach: %llu bytes, CPython's rules give %llu",
		    (unsigned long long)n,
		    (unsigned long long)(n - w->n_records + w->n_plain));
}

static int
write_finish(struct sink *sink)
{
	struct tach_writer *w = sink->state;
	int r;

	fix_start(w, NULL);
	r = flush_threads(w);
	if (r == BOB_OK)
		r = tach_write_end(w);
	if (r < 0)
		return r;
	tell_cut(w);
	tell_sizes(w);
	return BOB_OK;
}

/* A live writer is given up: writes what it was given. The error that ended it
 * is kept, whether this works or not. */
static void
rescue_samples(struct sink *sink)
{
	struct bob_error why = sink->ctx->error;

	if (write_flush(sink) == BOB_OK)
		(void)out_barrier(sink->side, 0);
	sink->ctx->error = why;
}

static void
write_close(struct sink *sink)
{
	struct tach_writer *w = sink->state;

	if (w->journal != NULL && w->n_samples > 0 && !w->is_ending)
		rescue_samples(sink);
	tach_store_close(w);
	tach_threads_free(&w->threads);
	tach_stacks_free(&w->stacks);
	tach_names_free(&w->names);
	free(w->frames);
}

#define WANT                                                                 \
	(BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |                 \
	    BOB_WANT_STATUS | BOB_WANT_MARKS)

const struct sink_ops tach_sink = {
	.state_size = sizeof(struct tach_writer),
	.want = WANT,
	.head_is_last = 1,
	.open = open_tach,
	.segment = write_segment,
	.runs = write_runs,
	.mark = write_mark,
	.flush = write_flush,
	.finish = write_finish,
	.close = write_close,
};

const struct sink_ops tach_v2_sink = {
	.state_size = sizeof(struct tach_writer),
	.want = WANT,
	.head_is_last = 1,
	.open = open_v2,
	.segment = write_segment,
	.runs = write_runs,
	.mark = write_mark,
	.flush = write_flush,
	.finish = write_finish,
	.close = write_close,
};
