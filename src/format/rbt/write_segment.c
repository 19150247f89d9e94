/*
 * Segments: headers, metadata, checkpoints, ends, and when one segment of the
 * source is continued in another one of ours (rotation).
 *
 * A continuation repeats the metadata and defines again what it needs. Its
 * first delta counts from the last sample of the segment before, as the
 * format wants it. A run that arrived in one piece is never cut: a source
 * may say "2^62 times" and must not get that many segments.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <bobbin/limits.h>

#include "core/text.h"
#include "format/common/meta.h"
#include "format/rbt/lang.h"
#include "format/rbt/track.h"
#include "format/rbt/write.h"

/* The segment of a source that has never begun one. */
static const struct bob_segment default_segment = {
	.period_us = RBT_DEFAULT_PERIOD,
};

static uint32_t
segment_period(const struct rbt_writer *w)
{
	if (w->o.has_period)
		return w->o.period;
	return w->source.period_us > UINT32_MAX
	    ? UINT32_MAX
	    : (uint32_t)w->source.period_us;
}

static int
write_header(struct rbt_writer *w)
{
	uint8_t h[RBT_HEADER] = RBT_MAGIC;
	uint32_t us = segment_period(w);
	int i;

	h[4] = RBT_VERSION;
	h[5] = w->is_timed ? RBT_FLAG_TIMES : 0;
	for (i = 0; i < 4; i++)
		h[8 + i] = (uint8_t)(us >> 8 * i);
	return rbt_store_header(w, h);
}

/* All numbers of the segment before are forgotten. */
static void
forget_definitions(struct rbt_writer *w)
{
	struct wire_map *const maps[] = { &w->strings, &w->frames,
		&w->stacks, &w->own };
	size_t i;

	w->generation++;
	for (i = 0; i < 4; i++) {
		/* After 2^32 segments an old stamp could look fresh. */
		if (w->generation == 0 && maps[i]->cap_v > 0)
			memset(maps[i]->v, 0,
			    maps[i]->cap_v * sizeof(*maps[i]->v));
		maps[i]->n = 0;
	}
	if (w->generation == 0 && w->cap_track > 0)
		memset(w->track, 0, w->cap_track * sizeof(*w->track));
	if (w->generation == 0 && w->cap_told > 0)
		memset(w->told, 0, w->cap_told * sizeof(*w->told));
	w->generation += w->generation == 0;
	w->lang = BOB_LANG_PHP;
	w->has_changes = 0;
	idmap_clear(&w->taken);
	w->n_free = 0;
}

/* Begins a segment of ours for w->source. */
static int
segment_begin(struct rbt_writer *w)
{
	struct sink *sink = w->sink;
	int r = BOB_OK;

	if (sink->next_output != NULL &&
	    (sink->out == NULL || w->n_segments > 0)) {
		rbt_store_finish(w);
		r = format_next_output(sink, w->n_segments);
		if (r == BOB_OK)
			r = rbt_store_open(w);
		if (r < 0)
			return r;
	}
	forget_definitions(w);
	w->is_open = 1;
	w->n_segments++;
	w->n_samples = w->n_checked = 0;
	w->has_t_first = 0;
	w->key.stack = BOB_NO_ID;
	w->begin = out_total(w->out);
	return write_header(w);
}

int
rbt_write_metadata(struct rbt_writer *w, struct bob_bytes k,
    struct bob_bytes v)
{
	size_t len = varint_size(k.n) + k.n + varint_size(v.n) + v.n;
	uint8_t *p, *start;

	if (rbt_check_payload(w, "metadata", len) < 0)
		return BOB_FATAL;
	start = p = out_reserve(w->out, RBT_EVENT_HEAD + len);
	if (p == NULL)
		return BOB_FATAL;
	*p++ = RBT_METADATA;
	p = varint_put(p, len);
	p = varint_put(p, k.n);
	memcpy(p, k.p, k.n);
	p = varint_put(p + k.n, v.n);
	memcpy(p, v.p, v.n);
	return out_commit(w->out, (size_t)(p - start) + v.n);
}

/* A segment's beginning has no field of its own. */
static int
write_t_begin(struct rbt_writer *w)
{
	static const struct bob_bytes key = { META_T_BEGIN,
		sizeof(META_T_BEGIN) - 1 };
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu",
	    (unsigned long long)w->source.t_begin);

	return rbt_write_metadata(w, key,
	    (struct bob_bytes){ digits, (size_t)n });
}

int
rbt_begin(struct rbt_writer *w, const struct bob_segment *source)
{
	w->source = source != NULL ? *source : default_segment;
	w->is_timed = w->o.times == RBT_TIMES_DELTA ||
	    (w->o.times == RBT_TIMES_AUTO &&
	        (w->source.flags & BOB_SEGMENT_TIMED));
	w->fakes_times = w->is_timed &&
	    !(w->source.flags & BOB_SEGMENT_TIMED);
	w->t_last = 0;
	while (w->n_meta > 0)
		w->meta_at.v[w->meta[--w->n_meta].key].generation = 0;
	if (segment_begin(w) < 0)
		return BOB_FATAL;
	return w->source.t_begin != 0 ? write_t_begin(w) : BOB_OK;
}

static uint8_t *
put_checkpoint(struct rbt_writer *w, uint8_t *p)
{
	uint8_t *len;

	*p++ = RBT_CHECKPOINT;
	len = p++;
	p = varint_put(p, w->frames.n);
	p = varint_put(p, w->stacks.n);
	p = varint_put(p, w->n_samples);
	*len = (uint8_t)(p - len - 1);
	w->n_checked = w->n_samples;
	return p;
}

int
rbt_checkpoint(struct rbt_writer *w)
{
	uint8_t *start;

	assert(w->count == 0); /* invariant 2 of write.h */
	start = out_reserve(w->out, 2 + 3 * VARINT_MAX);
	if (start == NULL)
		return BOB_FATAL;
	return out_commit(w->out, (size_t)(put_checkpoint(w, start) - start));
}

int
rbt_end(struct rbt_writer *w)
{
	uint8_t *start, *p;
	int r = rbt_flush_run(w);

	if (r < 0)
		return r;
	start = out_reserve(w->out, 2 + 3 * VARINT_MAX + 2);
	if (start == NULL)
		return BOB_FATAL;
	p = put_checkpoint(w, start);
	*p++ = RBT_SEGMENT_END;
	*p++ = 0;
	r = out_commit(w->out, (size_t)(p - start));
	w->is_open = 0;
	return r < 0 ? r : rbt_store_end(w);
}

static int
rotation_is_due(const struct rbt_writer *w, const struct rbt_key *k)
{
	uint64_t n = count_add(w->n_samples, w->count);

	if (n == 0)
		return 0;
	if (w->o.rotate_bytes != 0 &&
	    out_total(w->out) - w->begin >= w->o.rotate_bytes)
		return 1;
	if (w->o.rotate_us == 0)
		return 0;
	if (k->is_timed && !w->fakes_times)
		return w->has_t_first && k->t > w->t_first &&
		    k->t - w->t_first >= w->o.rotate_us;
	return count_mul(n, segment_period(w) == 0 ? RBT_DEFAULT_PERIOD
	                                           : segment_period(w)) >=
	    w->o.rotate_us;
}

/* Keeps the last value of each key for a continuation. */
static int
remember_metadata(struct rbt_writer *w, bob_str key, bob_str value)
{
	struct wire *at;

	if (wire_map_reserve(w->ctx, &w->meta_at, w->dict->n.n_str) < 0 ||
	    MEM_GROW(w->ctx, w, meta, w->n_meta + 1) < 0)
		return BOB_FATAL;
	at = &w->meta_at.v[key];
	if (at->generation == 0)
		*at = (struct wire){ 1, (uint32_t)w->n_meta++ };
	w->meta[at->id] = (struct bob_pair){ key, value };
	return BOB_OK;
}

static int
is_called(struct bob_bytes s, const char *name)
{
	return s.n == strlen(name) && memcmp(s.p, name, s.n) == 0;
}

/* These keys are about the file that the metadata came from, not about the
 * trace: the offset in a side file, numbers of tracks, languages of
 * definitions, and how annotations are written. */
static int
is_about_a_file(struct bob_bytes key, struct bob_bytes value)
{
	struct bob_track track;
	struct bob_bytes name;
	enum bob_lang lang;
	uint64_t number;

	return is_called(key, RBT_META_OFFSET) ||
	    rbt_lang_parse(key, value, &lang) ||
	    rbt_changes_parse(key, value) ||
	    rbt_track_parse(key, value, &number, &track, &name);
}

int
rbt_metadata(struct rbt_writer *w, bob_str key, bob_str value)
{
	struct bob_bytes k = bob_str_get(w->dict, key);
	struct bob_bytes v = bob_str_get(w->dict, value);
	int r;

	if (is_about_a_file(k, v))
		return BOB_OK;
	r = rbt_flush_run(w);
	/* These keys are not repeated: the clock of a continuation begins anew,
	 * and what was lost is not lost once more. */
	if (r == BOB_OK && rbt_rotates(w) && !is_called(k, META_T_BEGIN) &&
	    bob_unkept(k, v) == 0)
		r = remember_metadata(w, key, value);
	return r < 0 ? r : rbt_write_metadata(w, k, v);
}

/* The clock of a continuation counts from the last sample before it, so the
 * date of its 0 is that sample's. */
static int
write_start(struct rbt_writer *w, struct bob_bytes key, struct bob_bytes value)
{
	char digits[24];
	uint64_t start;
	int n;

	if (!w->is_timed || w->fakes_times ||
	    !text_get_u64(value.p, value.n, &start) ||
	    start + w->t_last < start)
		return rbt_write_metadata(w, key, value);
	n = snprintf(digits, sizeof(digits), "%llu",
	    (unsigned long long)(start + w->t_last));
	return rbt_write_metadata(w, key,
	    (struct bob_bytes){ digits, (size_t)n });
}

static int
segment_rotate(struct rbt_writer *w)
{
	struct bob_bytes key, value;
	size_t i;
	int r = rbt_end(w);

	if (r == BOB_OK)
		r = segment_begin(w);
	for (i = 0; i < w->n_meta && r == BOB_OK; i++) {
		key = bob_str_get(w->dict, w->meta[i].key);
		value = bob_str_get(w->dict, w->meta[i].value);
		r = is_called(key, META_START) ? write_start(w, key, value)
		                               : rbt_write_metadata(w, key,
		                                     value);
	}
	return r;
}

int
rbt_rotate_if_due(struct rbt_writer *w, const struct rbt_key *k)
{
	if (rotation_is_due(w, k) && segment_rotate(w) < 0)
		return BOB_FATAL;
	if (k->is_timed && !w->has_t_first) {
		w->has_t_first = 1;
		w->t_first = k->t;
	}
	return BOB_OK;
}
