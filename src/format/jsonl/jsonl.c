/*
 * JSON lines: everything that the model holds, one object per line, for jq,
 * databases and scripts. What a sample refers to is defined on a line before
 * it, once. The lines and their fields are described in docs/formats/jsonl.md
 * and, for programs, in docs/formats/jsonl.schema.json.
 */
#include "format/jsonl/jsonl.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "format/common/frametext.h"

/* Which ids were defined. */
struct defined {
	uint8_t *v;
	size_t cap_v, n;
};

struct writer {
	struct text text;
	struct frame_name name;
	struct defined frames, stacks, tracks, annots;
	int has_begun;
};

static void
jsonl_close(struct sink *sink)
{
	struct writer *st = sink->state;

	text_done(&st->text);
	frame_name_done(&st->name);
	free(st->frames.v);
	free(st->stacks.v);
	free(st->tracks.v);
	free(st->annots.v);
}

static int
defined_grow(struct sink *sink, struct defined *d, size_t n)
{
	if (MEM_GROW(sink->ctx, d, v, n) < 0)
		return BOB_FATAL;
	if (n > d->n) {
		memset(d->v + d->n, 0, n - d->n);
		d->n = n;
	}
	return BOB_OK;
}

/* 1 when the id was not defined before; it is from now on. */
static int
is_new(struct defined *d, uint32_t id)
{
	if (d->v[id])
		return 0;
	return d->v[id] = 1;
}

static void
put_key(struct text *t, const char *key)
{
	text_str(t, ",\"");
	text_str(t, key);
	text_str(t, "\":");
}

static void
put_string(struct text *t, const char *key, struct bob_bytes s)
{
	put_key(t, key);
	json_string(t, s.p, s.n);
}

static void
put_u64(struct text *t, const char *key, uint64_t v)
{
	put_key(t, key);
	text_u64(t, v);
}

static void
put_i64(struct text *t, const char *key, int64_t v)
{
	put_key(t, key);
	text_i64(t, v);
}

/* {"type":"...", then fields, then end_line. */
static struct text *
begin_line(struct sink *sink, const char *type)
{
	struct writer *st = sink->state;

	text_begin(&st->text, sink->out);
	text_str(&st->text, "{\"type\":\"");
	text_str(&st->text, type);
	text_byte(&st->text, '"');
	return &st->text;
}

static int
end_line(struct text *t)
{
	text_str(t, "}\n");
	return text_commit(t);
}

static int
jsonl_begin(struct sink *sink)
{
	struct writer *st = sink->state;
	struct text *t;

	if (st->has_begun)
		return BOB_OK;
	if (format_need_output(sink) < 0)
		return BOB_FATAL;
	st->has_begun = 1;
	t = begin_line(sink, "trace");
	put_u64(t, "version", 1);
	put_key(t, "made_by");
	text_str(t, "\"bobbin ");
	text_str(t, bob_version());
	text_byte(t, '"');
	return end_line(t);
}

static int
define_frame(struct sink *sink, bob_fid id)
{
	static const char *const langs[] = { "other", "php", "python",
		"native" };
	struct writer *st = sink->state;
	const struct bob_frame *f = &sink->dict->frame[id];
	struct bob_bytes name;
	struct text *t;

	if (frame_name_get(&st->name, sink->dict, id, &name) < 0)
		return BOB_FATAL;
	t = begin_line(sink, "frame");
	put_u64(t, "id", id);
	put_key(t, "language");
	text_byte(t, '"');
	text_str(t, langs[f->lang <= BOB_LANG_NATIVE ? f->lang : 0]);
	text_byte(t, '"');
	put_string(t, "function", name);
	if (f->file != 0)
		put_string(t, "file", bob_str_get(sink->dict, f->file));
	if (!(f->flags & BOB_FRAME_NO_LINE))
		put_i64(t, f->lang == BOB_LANG_NATIVE ? "offset" : "line",
		    f->where);
	if (f->flags & BOB_FRAME_COLUMNS) {
		put_i64(t, "end_line", f->end_line);
		put_i64(t, "column", f->col);
		put_i64(t, "end_column", f->end_col);
	}
	if (f->flags & BOB_FRAME_OPCODE)
		put_u64(t, "opcode", f->opcode);
	if (f->flags & BOB_FRAME_OPNAME)
		put_string(t, "opname", bob_str_get(sink->dict, f->opname));
	return end_line(t);
}

static int
define_stack(struct sink *sink, bob_stack id)
{
	struct writer *st = sink->state;
	const struct dict_node *node = sink->dict->node;
	struct text *t;
	bob_stack s;

	for (s = id; s != 0; s = node[s].parent)
		if (is_new(&st->frames, node[s].frame) &&
		    define_frame(sink, node[s].frame) < 0)
			return BOB_FATAL;
	t = begin_line(sink, "stack");
	put_u64(t, "id", id);
	put_key(t, "frames");
	text_byte(t, '[');
	for (s = id; s != 0; s = node[s].parent) {
		if (s != id)
			text_byte(t, ',');
		text_u64(t, node[s].frame);
	}
	text_byte(t, ']');
	return end_line(t);
}

static int
define_track(struct sink *sink, bob_tid id)
{
	const struct bob_track *track = &sink->dict->track[id];
	struct text *t = begin_line(sink, "track");

	put_u64(t, "id", id);
	if (track->flags & BOB_TRACK_PID)
		put_u64(t, "pid", track->pid);
	if (track->flags & BOB_TRACK_TID)
		put_u64(t, "tid", track->tid);
	if (track->flags & BOB_TRACK_INTERP)
		put_u64(t, "interpreter", track->interp);
	if (track->name != 0)
		put_string(t, "name", bob_str_get(sink->dict, track->name));
	return end_line(t);
}

static int
define_annotations(struct sink *sink, bob_annot id)
{
	size_t n, i;
	const struct bob_pair *v = bob_annot_get(sink->dict, id, &n);
	struct text *t = begin_line(sink, "annotations");

	put_u64(t, "id", id);
	put_key(t, "pairs");
	text_byte(t, '[');
	for (i = 0; i < n; i++) {
		struct bob_bytes key = bob_str_get(sink->dict, v[i].key);
		struct bob_bytes value = bob_str_get(sink->dict, v[i].value);

		text_str(t, i > 0 ? ",[" : "[");
		json_string(t, key.p, key.n);
		text_byte(t, ',');
		json_string(t, value.p, value.n);
		text_byte(t, ']');
	}
	text_byte(t, ']');
	return end_line(t);
}

static int
jsonl_define(struct sink *sink, const struct bob_run *run)
{
	struct writer *st = sink->state;

	if (is_new(&st->stacks, run->stack) &&
	    define_stack(sink, run->stack) < 0)
		return BOB_FATAL;
	if (run->track != 0 && is_new(&st->tracks, run->track) &&
	    define_track(sink, run->track) < 0)
		return BOB_FATAL;
	if (run->annot != 0 && is_new(&st->annots, run->annot) &&
	    define_annotations(sink, run->annot) < 0)
		return BOB_FATAL;
	return BOB_OK;
}

/* Times: the first, and the differences that follow when they are told. */
static void
put_times(struct text *t, const struct bob_run *run)
{
	uint64_t i;

	if (!(run->flags & BOB_RUN_TIMED))
		return;
	put_u64(t, "t", run->t_first);
	if (run->count == 1)
		return;
	if (run->dt == NULL) {
		if (run->t_last != run->t_first)
			put_u64(t, "t_last", run->t_last);
		return;
	}
	put_key(t, "dt");
	text_byte(t, '[');
	for (i = 0; i + 1 < run->count; i++) {
		if (i > 0)
			text_byte(t, ',');
		text_u64(t, run->dt[i]);
	}
	text_byte(t, ']');
}

static int
put_run(struct sink *sink, const struct bob_run *run)
{
	struct text *t;

	if (jsonl_define(sink, run) < 0)
		return BOB_FATAL;
	t = begin_line(sink, "samples");
	put_u64(t, "count", run->count);
	put_u64(t, "stack", run->stack);
	if (run->track != 0)
		put_u64(t, "track", run->track);
	if (run->annot != 0)
		put_u64(t, "annotations", run->annot);
	if (run->flags & BOB_RUN_STATUS)
		put_u64(t, "status", run->status);
	put_times(t, run);
	return end_line(t);
}

static int
jsonl_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct writer *st = sink->state;
	struct bob_counts c = sink->dict->n;
	size_t i;
	int r = jsonl_begin(sink);

	if (r < 0 || defined_grow(sink, &st->frames, c.n_frame) < 0 ||
	    defined_grow(sink, &st->stacks, c.n_stack) < 0 ||
	    defined_grow(sink, &st->tracks, c.n_track) < 0 ||
	    defined_grow(sink, &st->annots, c.n_annot) < 0)
		return BOB_FATAL;
	for (i = 0; r == BOB_OK && i < n; i++)
		r = put_run(sink, &v[i]);
	return r;
}

static int
jsonl_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct text *t;

	if (jsonl_begin(sink) < 0)
		return BOB_FATAL;
	t = begin_line(sink, "segment");
	put_u64(t, "index", segment->index);
	if (segment->period_us != 0)
		put_u64(t, "period_us", segment->period_us);
	if (segment->start_us != 0)
		put_u64(t, "start_us", segment->start_us);
	if (segment->t_begin != 0)
		put_u64(t, "t_begin", segment->t_begin);
	return end_line(t);
}

static int
put_gap(struct sink *sink, const struct bob_gap *gap)
{
	struct text *t = begin_line(sink, "gap");

	put_u64(t, "offset", gap->offset);
	put_u64(t, "length", gap->length);
	put_u64(t, "lost", gap->lost);
	put_key(t, "lost_is_exact");
	text_str(t, gap->lost_is_exact ? "true" : "false");
	put_u64(t, "rootless", gap->rootless);
	put_string(t, "why", (struct bob_bytes){ gap->why,
		strlen(gap->why) });
	return end_line(t);
}

static int
jsonl_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct text *t;

	if (jsonl_begin(sink) < 0)
		return BOB_FATAL;
	if (mark->kind == BOB_MARK_GAP)
		return put_gap(sink, mark->gap);
	if (mark->kind != BOB_MARK_META)
		return BOB_OK;
	t = begin_line(sink, "metadata");
	put_string(t, "key", bob_str_get(sink->dict, mark->key));
	put_string(t, "value", bob_str_get(sink->dict, mark->value));
	return end_line(t);
}

static int
jsonl_finish(struct sink *sink)
{
	return jsonl_begin(sink) < 0 ? BOB_FATAL
	                             : end_line(begin_line(sink, "end"));
}

const struct sink_ops jsonl_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_ANNOTATIONS | BOB_WANT_STATUS | BOB_WANT_MARKS,
	.segment = jsonl_segment,
	.runs = jsonl_runs,
	.mark = jsonl_mark,
	.streams = 1,
	.finish = jsonl_finish,
	.close = jsonl_close,
};

const struct format jsonl_format = {
	.info = {
		.name = "jsonl",
		.suffixes = ".jsonl .ndjson",
		.summary = "everything, as one JSON object per line",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_STATUS | BOB_CAP_ANNOTATIONS |
		    BOB_CAP_META | BOB_CAP_SEGMENTS | BOB_CAP_PERIOD |
		    BOB_CAP_OPCODES | BOB_CAP_NATIVE | BOB_CAP_COLUMNS,
		.can_write = 1,
		.is_text = 1,
	},
	.sink = &jsonl_sink,
};
