/*
 * Runs into sample events. A run becomes one sample event, its annotation and
 * a REPEAT; equal runs that arrive one after the other are joined first. What
 * a sample is depends on what is known of it:
 *
 *     who was sampled     PID_SAMPLE stack number [delta]
 *     a time, but not who SAMPLE stack delta
 *     neither             COMPACT_SAMPLE stack
 *
 * The number is the pid or stands for a track (see write_track.c). A REPEAT
 * copies number, time and annotations too, so it serves all of them.
 */
#include "format/rbt/write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/limits.h>

/* PID_SAMPLE with all its fields, and a REPEAT. */
#define RUN_MAX (2 + 3 * VARINT_MAX + 1 + VARINT_MAX)

static inline int
key_equal(const struct rbt_key *a, const struct rbt_key *b)
{
	return a->stack == b->stack && a->track == b->track &&
	    a->annot == b->annot && a->t == b->t &&
	    a->is_timed == b->is_timed && a->status == b->status;
}

/* True when a sample of this key is a bare COMPACT_SAMPLE. */
static inline int
key_is_plain(const struct rbt_writer *w, const struct rbt_key *k)
{
	return !k->is_timed && k->annot == 0 && k->status == 0 &&
	    rbt_track_number(w, k->track) == NULL;
}

static inline uint8_t *
put_compact(uint8_t *p, uint32_t stack)
{
	*p++ = RBT_COMPACT_SAMPLE;
	return varint_put(p, stack);
}

static uint8_t *
put_sample(struct rbt_writer *w, uint8_t *p, uint32_t stack)
{
	const uint64_t *number = rbt_track_number(w, w->key.track);
	uint8_t *len;

	if (number == NULL && !w->key.is_timed)
		return put_compact(p, stack);
	*p++ = number != NULL ? RBT_PID_SAMPLE : RBT_SAMPLE;
	/* Three varints are under 128 bytes: a length of one. */
	_Static_assert(3 * VARINT_MAX < 128, "length takes one byte");
	len = p++;
	p = varint_put(p, stack);
	if (number != NULL)
		p = varint_put(p, *number);
	if (w->key.is_timed) {
		/* A clock that was set back wraps: a negative delta. */
		p = varint_put(p, w->key.t - w->t_last);
		w->t_last = w->key.t;
	}
	*len = (uint8_t)(p - len - 1);
	return p;
}

int
rbt_flush_run(struct rbt_writer *w)
{
	const struct wire *stack;
	uint64_t n = w->count;
	int is_annotated;
	size_t len = 0;
	uint8_t *p, *start;

	if (n == 0)
		return BOB_OK;
	stack = &w->stacks.v[w->key.stack];
	if (stack->generation != w->generation &&
	    rbt_define_stack(w, w->key.stack) < 0)
		return BOB_FATAL;
	if (w->key.track != 0 && rbt_track_number(w, w->key.track) == NULL &&
	    rbt_define_track(w, w->key.track) < 0)
		return BOB_FATAL;
	is_annotated = !w->continues && rbt_must_annotate(w);
	if (is_annotated && rbt_define_annotation(w, &len) < 0)
		return BOB_FATAL;
	/* Invariant 3 of write.h: what the sample refers to has a number. */
	assert(stack->generation == w->generation);
	assert(w->key.track == 0 || rbt_track_number(w, w->key.track) != NULL);
	start = p = out_reserve(w->out, RUN_MAX + RBT_EVENT_HEAD + len);
	if (p == NULL)
		return BOB_FATAL;
	if (!w->continues) {
		p = put_sample(w, p, stack->id);
		if (is_annotated)
			p = rbt_put_annotation(w, p, len);
		n--;
	}
	if (n == 1 && stack->id < 0x80 && key_is_plain(w, &w->key)) {
		p = put_compact(p, stack->id);
	} else if (n > 0) {
		*p++ = RBT_REPEAT_SAMPLE;
		p = varint_put(p, n);
	}
	w->n_samples = count_add(w->n_samples, w->count);
	w->n_total = count_add(w->n_total, w->count);
	w->out->n_samples = w->n_total;
	w->count = 0;
	if (out_commit(w->out, (size_t)(p - start)) < 0)
		return BOB_FATAL;
	out_note(w->out);
	if (w->n_samples - w->n_checked >= w->o.checkpoint)
		return rbt_checkpoint(w);
	return BOB_OK;
}

/* n samples like k arrive. */
static inline int
feed_samples(struct rbt_writer *w, const struct rbt_key *k, uint64_t n)
{
	int r;

	if (rbt_rotates(w)) {
		r = rbt_rotate_if_due(w, k);
		if (r < 0)
			return r;
	}
	if (key_equal(k, &w->key) && n <= BOB_MAX_COUNT - w->count) {
		w->continues |= w->count == 0;
		w->count += n;
		return BOB_OK;
	}
	if (w->count > 0) {
		r = rbt_flush_run(w);
		if (r < 0)
			return r;
	}
	w->continues = key_equal(k, &w->key);
	w->key = *k;
	w->count = n;
	return BOB_OK;
}

/* A run whose samples have times of their own. */
static int
feed_times(struct rbt_writer *w, struct rbt_key *k, const struct bob_run *run)
{
	uint64_t i;
	int r;

	r = feed_samples(w, k, 1);
	if (run->dt == NULL) {
		/* The times in between are not known, and none are made up. */
		k->t = run->t_last;
		return r < 0 ? r : feed_samples(w, k, run->count - 1);
	}
	for (i = 1; i < run->count && r == BOB_OK; i++) {
		k->t += run->dt[i - 1];
		r = feed_samples(w, k, 1);
	}
	return r;
}

static inline int
feed_run(struct rbt_writer *w, const struct bob_run *run)
{
	struct rbt_key k = { .stack = run->stack,
		.track = run->track,
		.annot = run->annot };

	if (w->o.status && (run->flags & BOB_RUN_STATUS))
		k.status = (uint16_t)(1 + run->status);
	if (w->is_timed && (run->flags & BOB_RUN_TIMED)) {
		k.is_timed = 1;
		k.t = run->t_first;
		if (run->count > 1 &&
		    (run->dt != NULL || run->t_last != run->t_first))
			return feed_times(w, &k, run);
	} else if (w->fakes_times) {
		k.is_timed = 1;
		k.t = w->t_last;
	}
	return feed_samples(w, &k, run->count);
}

static int
reserve_maps(struct rbt_writer *w)
{
	struct bob_counts n = w->dict->n;

	if (wire_map_reserve(w->ctx, &w->strings, n.n_str) < 0 ||
	    wire_map_reserve(w->ctx, &w->frames, n.n_frame) < 0 ||
	    wire_map_reserve(w->ctx, &w->stacks, n.n_stack) < 0)
		return BOB_FATAL;
	return rbt_reserve_tracks(w);
}

static int
write_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct rbt_writer *w = sink->state;
	size_t i;
	int r = BOB_OK;

	if (!w->is_open)
		r = rbt_begin(w, NULL);
	if (r == BOB_OK)
		r = reserve_maps(w);
	for (i = 0; i < n && r == BOB_OK; i++)
		r = feed_run(w, &v[i]);
	return r < 0 ? r : rbt_store_spill(w);
}

static int
write_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct rbt_writer *w = sink->state;
	int r = w->is_open ? rbt_end(w) : BOB_OK;

	return r < 0 ? r : rbt_begin(w, segment);
}

/* An event of a newer version is written as it came. A number that .rbt uses
 * for something else comes from another format and means nothing here. */
static int
write_unknown(struct rbt_writer *w, const struct bob_mark *mark)
{
	if (mark->raw_type > 0xff || mark->raw_type == RBT_RESERVED ||
	    (mark->raw_type >= RBT_FRAME_DEF &&
	        mark->raw_type <= RBT_SAMPLE_ANNOTATION))
		return BOB_OK;
	if (rbt_check_payload(w, "an event", mark->length) < 0 ||
	    rbt_flush_run(w) < 0)
		return BOB_FATAL;
	return rbt_write_event(w, (int)mark->raw_type, mark->bytes,
	    (size_t)mark->length);
}

static int
write_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct rbt_writer *w = sink->state;
	int r = BOB_OK;

	if (mark->kind != BOB_MARK_META && mark->kind != BOB_MARK_UNKNOWN)
		return BOB_OK;
	if (!w->is_open)
		r = rbt_begin(w, NULL);
	if (r == BOB_OK && mark->kind == BOB_MARK_META)
		r = rbt_metadata(w, mark->key, mark->value);
	else if (r == BOB_OK)
		r = write_unknown(w, mark);
	return r < 0 ? r : rbt_store_spill(w);
}

static int
write_open(struct sink *sink)
{
	struct rbt_writer *w = sink->state;
	int r;

	w->ctx = sink->ctx;
	w->sink = sink;
	w->dict = sink->dict;
	w->key.stack = BOB_NO_ID;
	w->taken.seed = w->dict->seed;
	w->frame_by_hash.seed = w->stack_by_hash.seed = w->dict->seed;
	r = rbt_write_options_get(sink, &w->o);
	if (w->o.status)
		sink->caps |= BOB_CAP_STATUS;
	if (r < 0 || sink->out == NULL)
		return r;
	return rbt_store_open(w);
}

static int
write_flush(struct sink *sink)
{
	return rbt_flush_run(sink->state);
}

/* A trace without samples is still a trace: a header and an end. */
static int
write_finish(struct sink *sink)
{
	struct rbt_writer *w = sink->state;
	int r = BOB_OK;

	if (w->n_segments == 0 && sink->out != NULL)
		r = rbt_begin(w, NULL);
	if (r == BOB_OK && w->is_open)
		r = rbt_end(w);
	if (r == BOB_OK)
		rbt_store_finish(w);
	return r;
}

static void
write_close(struct sink *sink)
{
	struct rbt_writer *w = sink->state;

	rbt_store_close(w);
	free(w->strings.v);
	free(w->frames.v);
	free(w->stacks.v);
	free(w->own.v);
	free(w->track);
	free(w->told);
	free(w->text);
	idmap_free(&w->taken);
	rbt_fold_done(w);
	free(w->meta_at.v);
	free(w->meta);
}

#define WANT                                                                 \
	(BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |                 \
	    BOB_WANT_ANNOTATIONS | BOB_WANT_MARKS)
#define SLOTS                                                                \
	.state_size = sizeof(struct rbt_writer), .variant = write_variant,   \
	.open = write_open, .segment = write_segment, .runs = write_runs,    \
	.mark = write_mark, .flush = write_flush, .finish = write_finish,    \
	.close = write_close

static const struct sink_ops *write_variant(const struct bob_option *v,
    size_t n);

/* Status cuts runs where nothing else changes, so it is wanted only on
 * request. */
static const struct sink_ops sink_with_status = {
	SLOTS,
	.want = WANT | BOB_WANT_STATUS,
};

const struct sink_ops rbt_sink = {
	SLOTS,
	.want = WANT,
};

static const struct sink_ops *
write_variant(const struct bob_option *v, size_t n)
{
	for (; n > 0; n--)
		if (strcmp(v[n - 1].key, RBT_OPTION_STATUS) == 0)
			return &sink_with_status;
	return &rbt_sink;
}
