/*
 * Writing phpspy's text. Every sample is written out; the frames of a stack
 * are formatted once and remembered. A trace is one commit.
 */
#include <string.h>

#include "core/text.h"
#include "core/textmemo.h"
#include "format/common/frametext.h"
#include "format/phpspy/phpspy.h"

/* More equal traces in a row than anyone wants to read, or has disk for. */
#define MAX_EXPANSION 1000000000u

struct writer {
	struct text text;
	struct textmemo memo; /* frames, by stack */
	struct frame_name name;
	uint64_t start_us;
	int has_opcodes, has_native;
};

static int
phpspy_open(struct sink *sink)
{
	struct writer *st = sink->state;
	size_t i;

	for (i = 0; i < sink->n_options; i++) {
		if (strcmp(sink->options[i].key, "opcodes") == 0)
			st->has_opcodes = 1;
		else if (strcmp(sink->options[i].key, "native") == 0)
			st->has_native = 1;
	}
	if (st->has_opcodes)
		sink->caps |= BOB_CAP_OPCODES;
	if (st->has_native)
		sink->caps |= BOB_CAP_NATIVE;
	return BOB_OK;
}

static void
phpspy_close(struct sink *sink)
{
	struct writer *st = sink->state;

	text_done(&st->text);
	textmemo_done(&st->memo);
	frame_name_done(&st->name);
}

static int
phpspy_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *st = sink->state;

	st->start_us = segment->start_us;
	return BOB_OK;
}

/* MODULE::SYMBOL+0xOFFSET [native]:0 */
static void
put_native(struct text *t, const struct bob_frame *f, struct bob_bytes symbol,
    struct bob_bytes module)
{
	text_escaped(t, module.p, module.n, TEXT_CTL | TEXT_COLON);
	text_str(t, "::");
	text_escaped(t, symbol.p, symbol.n, TEXT_CTL);
	if (!(f->flags & BOB_FRAME_NO_LINE)) {
		text_str(t, "+0x");
		text_hex(t, (uint64_t)f->where);
	}
	text_str(t, " [native]:0");
}

static int
put_frame(struct sink *sink, bob_fid id)
{
	struct writer *st = sink->state;
	const struct bob_frame *f = bob_frame_get(sink->dict, id);
	struct bob_bytes file = bob_str_get(sink->dict, f->file), name, op;
	int has_line = f->lang != BOB_LANG_NATIVE &&
	    !(f->flags & BOB_FRAME_NO_LINE);

	if (frame_name_get(&st->name, sink->dict, id, &name) < 0)
		return BOB_FATAL;
	if (f->lang == BOB_LANG_NATIVE && st->has_native) {
		put_native(&st->text, f, name, file);
		return BOB_OK;
	}
	frame_words_put(&st->text, name, file, has_line ? f->where : 0,
	    TEXT_CTL, TEXT_CTL);
	op = bob_str_get(sink->dict, f->opname);
	if (st->has_opcodes && frame_words_is_opcode(op.p, op.n)) {
		text_byte(&st->text, ':');
		text_bytes(&st->text, op.p, op.n);
	}
	return BOB_OK;
}

static int
put_frames(struct sink *sink, bob_stack s)
{
	struct writer *st = sink->state;
	const struct dict_node *node = sink->dict->node;
	uint64_t depth;

	for (depth = 0; s != 0; depth++, s = node[s].parent) {
		text_u64(&st->text, depth);
		text_byte(&st->text, ' ');
		if (put_frame(sink, node[s].frame) < 0)
			return BOB_FATAL;
		text_byte(&st->text, '\n');
	}
	return st->text.r;
}

/* The same, by memory where the stack was written before. */
static int
put_known_frames(struct sink *sink, bob_stack s)
{
	struct writer *st = sink->state;
	size_t n;
	const char *p = textmemo_get(&st->memo, s, &n);

	if (p != NULL) {
		text_bytes(&st->text, p, n);
		return st->text.r;
	}
	if (put_frames(sink, s) < 0)
		return BOB_FATAL;
	if (st->text.is_spilled)
		return BOB_OK;
	return textmemo_put(&st->memo, sink->ctx, s, st->text.p, st->text.n);
}

static void
put_time(struct text *t, uint64_t us)
{
	text_str(t, "# trace_ts = ");
	text_u64(t, us / 1000000);
	text_byte(t, '.');
	text_digits(t, us % 1000000, 6);
	text_byte(t, '\n');
}

static void
put_comments(struct sink *sink, const struct bob_run *run, uint64_t t_us)
{
	struct writer *st = sink->state;
	struct text *t = &st->text;
	const struct bob_track *track = bob_track_get(sink->dict, run->track);
	size_t n, i;
	const struct bob_pair *pair =
	    bob_annot_get(sink->dict, run->annot, &n);

	if (run->stack == 0)
		text_str(t, "# frames = 0\n");
	for (i = 0; i < n; i++) {
		struct bob_bytes key = bob_str_get(sink->dict, pair[i].key);
		struct bob_bytes v = bob_str_get(sink->dict, pair[i].value);

		text_str(t, "# ");
		text_escaped(t, key.p, key.n, TEXT_CTL | TEXT_ONE_WAY);
		text_str(t, " = ");
		text_escaped(t, v.p, v.n, TEXT_CTL | TEXT_ONE_WAY);
		text_byte(t, '\n');
	}
	if (run->flags & BOB_RUN_TIMED)
		put_time(t, t_us > UINT64_MAX - st->start_us
		    ? UINT64_MAX : st->start_us + t_us);
	if (track->flags & BOB_TRACK_PID) {
		text_str(t, "# pid = ");
		text_u64(t, track->pid);
		text_byte(t, '\n');
	}
}

/* How many bytes so many of these are, at least. */
static uint64_t
size_of(const struct text *t, uint64_t count)
{
	uint64_t n;

	return __builtin_mul_overflow(count, (uint64_t)t->n, &n) ? UINT64_MAX
	                                                         : n;
}

/* `count` equal traces. What is in memory is copied; what is too long for
 * that is formatted again and again. */
static int
put_traces(struct sink *sink, const struct bob_run *run, uint64_t t_us,
    uint64_t count)
{
	struct writer *st = sink->state;
	int r = BOB_OK;

	while (r == BOB_OK && count > 0) {
		text_begin(&st->text, sink->out);
		r = put_known_frames(sink, run->stack);
		if (r < 0)
			return r;
		put_comments(sink, run, t_us);
		text_byte(&st->text, '\n');
		if (count > 1 && out_expect(sink->out,
		        size_of(&st->text, count)) < 0)
			return BOB_FATAL;
		do {
			r = text_commit(&st->text);
		} while (r == BOB_OK && --count > 0 && !st->text.is_spilled);
	}
	return r;
}

static int
put_run(struct sink *sink, const struct bob_run *run)
{
	uint64_t t = run->t_first, i;
	int r;

	if (run->count > MAX_EXPANSION)
		return err_set(sink->ctx, BOB_FATAL, BOB_E_LIMIT,
		    BOB_NO_OFFSET, "phpspy: %llu equal samples in a row would "
		    "be written out one by one (limit %u): folded can hold "
		    "them", (unsigned long long)run->count, MAX_EXPANSION);
	if (!(run->flags & BOB_RUN_TIMED) || run->dt == NULL)
		return put_traces(sink, run, t, run->count);
	r = put_traces(sink, run, t, 1);
	for (i = 1; r == BOB_OK && i < run->count; i++) {
		t += run->dt[i - 1];
		r = put_traces(sink, run, t, 1);
	}
	return r;
}

static int
phpspy_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	size_t i;
	int r = format_need_output(sink);

	for (i = 0; r == BOB_OK && i < n; i++)
		r = put_run(sink, &v[i]);
	return r;
}

/* A trace without samples is an empty file, but a file. */
static int
phpspy_finish(struct sink *sink)
{
	return format_need_output(sink);
}

const struct sink_ops phpspy_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TIMES | BOB_WANT_TRACKS |
	    BOB_WANT_ANNOTATIONS,
	.open = phpspy_open,
	.segment = phpspy_segment,
	.runs = phpspy_runs,
	.streams = 1,
	.finish = phpspy_finish,
	.close = phpspy_close,
};
