/*
 * Writing the listing. A line is held back until the next sample differs from
 * it, so that runs of equal lines become one with their sum. The frames of a
 * stack are formatted once and remembered.
 */
#include "format/dump/dump.h"

#include "core/text.h"
#include "core/textmemo.h"
#include "format/common/frametext.h"

struct writer {
	struct text text;
	struct textmemo memo; /* frames and line end, by stack */
	struct frame_name name;
	uint64_t segment;
	/* The line held back: a run with one time; count 0: none. */
	struct bob_run held;
};

static void
dump_close(struct sink *sink)
{
	struct writer *st = sink->state;

	text_done(&st->text);
	textmemo_done(&st->memo);
	frame_name_done(&st->name);
}

static void
put_str(struct text *t, struct bob_bytes s)
{
	text_escaped(t, s.p, s.n, TEXT_LISTING);
}

static void
put_i64_if(struct text *t, int is_known, int64_t v)
{
	text_byte(t, ';');
	if (is_known)
		text_i64(t, v);
	else
		text_byte(t, '-');
}

static int
put_frame(struct sink *sink, bob_fid id)
{
	struct writer *st = sink->state;
	struct text *t = &st->text;
	const struct bob_frame *f = bob_frame_get(sink->dict, id);
	int has_line = !(f->flags & BOB_FRAME_NO_LINE);
	int has_columns = has_line && (f->flags & BOB_FRAME_COLUMNS);
	struct bob_bytes name;

	if (frame_name_get(&st->name, sink->dict, id, &name) < 0)
		return BOB_FATAL;
	text_str(t, f->lang == BOB_LANG_NATIVE ? "\tN;"
	    : f->lang == BOB_LANG_PYTHON ? "\tY;" : "\tP;");
	put_str(t, name);
	text_byte(t, ';');
	put_str(t, bob_str_get(sink->dict, f->file));
	put_i64_if(t, has_line, f->where);
	if (f->lang == BOB_LANG_PYTHON) {
		put_i64_if(t, has_columns, f->end_line);
		put_i64_if(t, has_columns, f->col);
		put_i64_if(t, has_columns, f->end_col);
		put_i64_if(t, f->flags & BOB_FRAME_OPCODE, f->opcode);
	} else if (f->lang != BOB_LANG_NATIVE) {
		text_byte(t, ';');
		if (f->flags & BOB_FRAME_OPNAME)
			put_str(t, bob_str_get(sink->dict, f->opname));
		else
			text_byte(t, '-');
	}
	return t->r;
}

static void
put_u64_if(struct text *t, unsigned is_known, uint64_t v)
{
	text_byte(t, '\t');
	if (is_known)
		text_u64(t, v);
	else
		text_byte(t, '-');
}

static void
put_annotations(struct text *t, const struct bob_dict *d, bob_annot id)
{
	size_t n, i;
	const struct bob_pair *pair = bob_annot_get(d, id, &n);

	text_byte(t, '\t');
	if (n == 0)
		text_str(t, id == 0 ? "-" : "{}");
	for (i = 0; i < n; i++) {
		if (i > 0)
			text_byte(t, ',');
		put_str(t, bob_str_get(d, pair[i].key));
		text_byte(t, '=');
		put_str(t, bob_str_get(d, pair[i].value));
	}
}

/* Everything before the frames. */
static void
put_facts(struct sink *sink, const struct bob_run *run)
{
	struct writer *st = sink->state;
	struct text *t = &st->text;
	const struct bob_track *track = bob_track_get(sink->dict, run->track);

	text_u64(t, run->count);
	put_u64_if(t, 1, st->segment);
	put_u64_if(t, track->flags & BOB_TRACK_PID, track->pid);
	put_u64_if(t, track->flags & BOB_TRACK_TID, track->tid);
	put_u64_if(t, track->flags & BOB_TRACK_INTERP, track->interp);
	put_u64_if(t, run->flags & BOB_RUN_STATUS, run->status);
	put_u64_if(t, run->flags & BOB_RUN_TIMED, run->t_first);
	put_annotations(t, sink->dict, run->annot);
}

/* Frames and line end; remembers them when they fit into memory. */
static int
put_frames(struct sink *sink, bob_stack stack)
{
	struct writer *st = sink->state;
	const struct dict_node *node = sink->dict->node;
	size_t start = st->text.n;
	bob_stack s;

	for (s = stack; s != 0; s = node[s].parent)
		if (put_frame(sink, node[s].frame) < 0)
			return BOB_FATAL;
	text_byte(&st->text, '\n');
	if (st->text.r < 0 || st->text.is_spilled)
		return st->text.r;
	return textmemo_put(&st->memo, sink->ctx, stack,
	    st->text.p + start, st->text.n - start);
}

/* Writes the line held back. */
static int
dump_flush(struct sink *sink)
{
	struct writer *st = sink->state;
	const char *known;
	size_t n = 0;

	if (st->held.count == 0)
		return BOB_OK;
	if (format_need_output(sink) < 0)
		return BOB_FATAL;
	text_begin(&st->text, sink->out);
	put_facts(sink, &st->held);
	known = textmemo_get(&st->memo, st->held.stack, &n);
	if (known == NULL && put_frames(sink, st->held.stack) < 0)
		return BOB_FATAL;
	st->held.count = 0;
	return text_commit_with(&st->text, known, n);
}

static int
tracks_equal(const struct bob_dict *d, bob_tid ia, bob_tid ib)
{
	const struct bob_track *a = bob_track_get(d, ia);
	const struct bob_track *b = bob_track_get(d, ib);

	return ia == ib || (a->flags == b->flags && a->pid == b->pid &&
	    a->tid == b->tid && a->interp == b->interp);
}

/* `count` samples at time t. */
static int
hold_samples(struct sink *sink, const struct bob_run *run, uint64_t t,
    uint64_t count)
{
	struct writer *st = sink->state;
	struct bob_run *held = &st->held;
	int r;

	if (held->count > 0 && held->flags == run->flags &&
	    held->t_first == t && held->status == run->status &&
	    held->annot == run->annot &&
	    tracks_equal(sink->dict, held->track, run->track) &&
	    dump_stacks_equal(sink->dict, held->stack, run->stack)) {
		held->count = count_add(held->count, count);
		return BOB_OK;
	}
	r = dump_flush(sink);
	*held = *run;
	held->count = count;
	held->t_first = t;
	held->dt = NULL;
	return r;
}

static int
add_run(struct sink *sink, const struct bob_run *run)
{
	uint64_t t = run->flags & BOB_RUN_TIMED ? run->t_first : 0, i;
	int r;

	if (!(run->flags & BOB_RUN_TIMED) || run->dt == NULL)
		return hold_samples(sink, run, t, run->count);
	r = hold_samples(sink, run, t, 1);
	for (i = 1; r == BOB_OK && i < run->count; i++) {
		t += run->dt[i - 1];
		r = hold_samples(sink, run, t, 1);
	}
	return r;
}

static int
dump_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	size_t i;
	int r = BOB_OK;

	for (i = 0; r == BOB_OK && i < n; i++)
		r = add_run(sink, &v[i]);
	return r;
}

static int
dump_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *st = sink->state;
	int r = dump_flush(sink);

	st->segment = segment->index;
	return r;
}

static int
dump_finish(struct sink *sink)
{
	if (format_need_output(sink) < 0)
		return BOB_FATAL;
	return dump_flush(sink);
}

const struct sink_ops dump_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_ANNOTATIONS | BOB_WANT_STATUS,
	.segment = dump_segment,
	.runs = dump_runs,
	.flush = dump_flush,
	.finish = dump_finish,
	.close = dump_close,
};

const struct format dump_format = {
	.info = {
		.name = "dump",
		.suffixes = "",
		.summary = "every sample with all its facts, for diff and awk",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_STATUS | BOB_CAP_ANNOTATIONS |
		    BOB_CAP_SEGMENTS | BOB_CAP_OPCODES | BOB_CAP_NATIVE |
		    BOB_CAP_COLUMNS,
		.can_write = 1,
		.is_text = 1,
	},
	.sink = &dump_sink,
};
