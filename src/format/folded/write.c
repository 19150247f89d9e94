/*
 * Writing folded stacks: weights are gathered, and written at the end in the
 * order of stack ids, which is the order in which stacks were first seen.
 *
 * Frames that differ only in what a line does not show (an opcode, a native
 * offset) must not become two lines. So where there are two such frames, the
 * tree is built again at the end from frames reduced to what is shown, and
 * weights are summed over that.
 */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/textmemo.h"
#include "format/folded/folded.h"
#include "format/folded/line.h"
#include "model/weights.h"

struct writer {
	struct weights weights;
	int is_plain; /* unit=samples */
};

/* The tree that is written and what it takes to write it. */
struct tree {
	const struct bob_dict *dict; /* the sink's own, or reduced */
	struct bob_dict *reduced;    /* its strings are those of the sink */
	bob_fid *shown;   /* by frame of the sink: in reduced */
	bob_fid *origin;  /* by frame in reduced: one of the sink's */
	bob_stack *stack; /* by stack of the sink: in reduced */
	uint64_t *weight; /* by stack in reduced */
	struct line line;
	struct textmemo memo;
	struct frame_name name;
};

int
folded_unit(const struct sink *sink, int *ret_is_plain)
{
	const char *unit = sink_option(sink, "unit");

	*ret_is_plain = unit != NULL && strcmp(unit, "samples") == 0;
	if (unit != NULL && !*ret_is_plain && strcmp(unit, "time") != 0)
		return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE,
		    BOB_NO_OFFSET, "folded: unit '%s' is neither samples nor "
		    "time", unit);
	return BOB_OK;
}

static int
folded_open(struct sink *sink)
{
	struct writer *st = sink->state;

	weights_init(&st->weights, sink->ctx);
	return folded_unit(sink, &st->is_plain);
}

static int
folded_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *st = sink->state;

	weights_segment(&st->weights, segment->period_us);
	return BOB_OK;
}

static int
folded_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct writer *st = sink->state;

	return weights_add(&st->weights, v, n);
}

static int
folded_join(struct sink *sink, struct sink *from, const struct join_map *map)
{
	struct writer *st = sink->state, *other = from->state;

	return weights_join(&st->weights, &other->weights, map->stack);
}

static void
folded_close(struct sink *sink)
{
	struct writer *st = sink->state;

	weights_done(&st->weights);
}

static void
tree_done(struct tree *t)
{
	bob_dict_free(t->reduced);
	free(t->shown);
	free(t->origin);
	free(t->stack);
	free(t->weight);
	line_done(&t->line);
	textmemo_done(&t->memo);
	frame_name_done(&t->name);
}

/* What a line shows of a frame: name, file and line. */
static struct bob_frame
reduce(const struct bob_frame *f)
{
	struct bob_frame shown = { .ns = f->ns, .scope = f->scope,
		.name = f->name, .file = f->file };

	shown.flags = f->flags & BOB_FRAME_NO_LINE;
	if (!shown.flags && f->lang != BOB_LANG_NATIVE)
		shown.where = f->where;
	return shown;
}

/* True when reducing cannot make two frames one. */
static int
is_reduced(const struct bob_dict *d)
{
	bob_fid i;

	for (i = 1; i < d->n.n_frame; i++)
		if (d->frame[i].lang != d->frame[1].lang ||
		    d->frame[i].lang == BOB_LANG_NATIVE ||
		    (d->frame[i].flags & ~BOB_FRAME_NO_LINE) != 0)
			return 0;
	return 1;
}

static int
reduce_frames(struct tree *t, const struct bob_dict *from)
{
	bob_fid i, id;

	for (i = 1; i < from->n.n_frame; i++) {
		struct bob_frame shown = reduce(&from->frame[i]);

		id = bob_frame_put(t->reduced, &shown);
		if (id == BOB_NO_ID)
			return BOB_FATAL;
		t->shown[i] = id;
		t->origin[id] = i;
	}
	return BOB_OK;
}

static int
reduce_stacks(struct tree *t, const struct bob_dict *from)
{
	bob_stack i;

	for (i = 1; i < from->n.n_stack; i++) {
		const struct dict_node *node = &from->node[i];

		t->stack[i] = bob_stack_push(t->reduced,
		    t->stack[node->parent], t->shown[node->frame]);
		if (t->stack[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Forgets what was reduced: the sink's own tree will do. */
static void
forget_reduced(struct tree *t)
{
	bob_dict_free(t->reduced);
	free(t->shown);
	free(t->origin);
	t->reduced = NULL;
	t->shown = t->origin = NULL;
}

static int
tree_reduce(struct tree *t, struct bob_ctx *ctx, const struct bob_dict *from)
{
	int r;

	t->reduced = bob_dict_new(ctx);
	t->shown = calloc(from->n.n_frame, sizeof(*t->shown));
	t->origin = calloc(from->n.n_frame, sizeof(*t->origin));
	if (t->reduced == NULL || t->shown == NULL || t->origin == NULL)
		return err_nomem(ctx);
	r = reduce_frames(t, from);
	if (r < 0)
		return r;
	/* Most often no two have become one, and stacks are many. */
	if (t->reduced->n.n_frame == from->n.n_frame) {
		forget_reduced(t);
		return BOB_OK;
	}
	t->stack = calloc(from->n.n_stack, sizeof(*t->stack));
	if (t->stack == NULL)
		return err_nomem(ctx);
	t->dict = t->reduced;
	return reduce_stacks(t, from);
}

/* The weight of a stack of the sink; 0: it has none. */
static uint64_t
weight_of(const struct writer *st, bob_stack s)
{
	return s >= st->weights.n ? 0 : st->is_plain ?
	    st->weights.samples[s] : weights_of(&st->weights, s);
}

/* Sums over stacks that have become one. */
static int
reduce_weights(struct tree *t, const struct sink *sink)
{
	const struct writer *st = sink->state;
	bob_stack i, s;

	t->weight = calloc(t->dict->n.n_stack, sizeof(*t->weight));
	if (t->weight == NULL)
		return err_nomem(sink->ctx);
	for (i = 0; i < st->weights.n; i++) {
		s = t->stack[i];
		t->weight[s] = count_add(t->weight[s], weight_of(st, i));
	}
	return BOB_OK;
}

static int
tree_build(struct tree *t, const struct sink *sink)
{
	t->dict = sink->dict;
	if (!is_reduced(sink->dict) &&
	    tree_reduce(t, sink->ctx, sink->dict) < 0)
		return BOB_FATAL;
	return t->stack == NULL ? BOB_OK : reduce_weights(t, sink);
}

/* A frame without file and line is its name, with its spaces if that reads
 * back as a name. Without a name it must not look like no frame. */
static void
put_plain(struct text *t, struct bob_bytes name, unsigned kinds)
{
	struct frame_words w;
	size_t start;

	if (name.n == 0) {
		text_str(t, " :");
		return;
	}
	if (name.n < TEXT_SPILL / 8) {
		if (text_room(t, 3 * name.n) == NULL)
			return;
		start = t->n;
		text_escaped(t, name.p, name.n, kinds & ~TEXT_SPACE);
		(void)folded_split(t->p + start, t->n - start, &w);
		if (w.name.n == t->n - start)
			return;
		t->n = start;
	}
	text_escaped(t, name.p, name.n, kinds);
}

/* `NAME FILE`, or `NAME FILE:` where that could be read as something else. */
static void
put_no_line(struct text *t, struct bob_bytes name, struct bob_bytes file,
    unsigned kinds)
{
	text_escaped(t, name.p, name.n, kinds);
	text_byte(t, ' ');
	text_escaped(t, file.p, file.n, kinds);
	if (!frame_words_is_path(file.p, file.n) ||
	    memchr(file.p, ':', file.n) != NULL)
		text_byte(t, ':');
}

static int
put_frame(struct tree *t, const struct bob_dict *from, bob_fid id)
{
	struct bob_frame f = reduce(bob_frame_get(t->dict, id));
	struct bob_bytes file = bob_str_get(from, f.file), name;
	struct text *text = &t->line.text;
	unsigned kinds = TEXT_CTL | TEXT_SEMI;

	if (frame_name_get(&t->name, from,
	        t->origin == NULL ? id : t->origin[id], &name) < 0)
		return BOB_FATAL;
	/* A line that begins with # is a comment. */
	if (name.n > 0 && *name.p == '#')
		kinds |= TEXT_HASH;
	if (!(f.flags & BOB_FRAME_NO_LINE))
		frame_words_put(text, name, file, f.where, kinds | TEXT_SPACE,
		    kinds);
	else if (file.n > 0)
		put_no_line(text, name, file, kinds | TEXT_SPACE);
	else
		put_plain(text, name, kinds | TEXT_SPACE);
	return text->r;
}

/* The same, by memory where the frame was written before. */
static int
put_known_frame(struct tree *t, const struct bob_dict *from, bob_fid id)
{
	struct text *text = &t->line.text;
	size_t n, start = text->n;
	const char *p = textmemo_get(&t->memo, id, &n);
	int r;

	if (p != NULL) {
		text_bytes(text, p, n);
		return text->r;
	}
	r = put_frame(t, from, id);
	if (r < 0 || text->is_spilled)
		return r;
	return textmemo_put(&t->memo, from->ctx, id, text->p + start,
	    text->n - start);
}

static int
put_stack(struct tree *t, struct sink *sink, bob_stack s, uint64_t weight)
{
	struct line *l = &t->line;
	size_t i;

	if (line_begin(l, sink->out, t->dict, s, &i) < 0)
		return BOB_FATAL;
	for (; i < l->depth; i++) {
		if (i > 0)
			text_byte(&l->text, ';');
		if (put_known_frame(t, sink->dict,
		        t->dict->node[l->node[i]].frame) < 0)
			return BOB_FATAL;
		line_mark(l, i);
	}
	return line_end(l, weight);
}

void
folded_tell_unit(struct bob_ctx *ctx, const struct weights *w)
{
	if (weights_unit_us(w) == 0)
		return;
	err_diag(ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
	    "folded: segments have periods from %llu to %llu us: counts are "
	    "in units of %llu us", (unsigned long long)w->min_period,
	    (unsigned long long)w->max_period,
	    (unsigned long long)weights_unit_us(w));
}

static int
folded_finish(struct sink *sink)
{
	struct writer *st = sink->state;
	struct tree t = { 0 };
	uint64_t weight;
	bob_stack s;
	int r = sink_need_output(sink);

	if (r == BOB_OK)
		r = tree_build(&t, sink);
	for (s = 0; r == BOB_OK && s < t.dict->n.n_stack; s++) {
		weight = t.weight == NULL ? weight_of(st, s) : t.weight[s];
		if (weight > 0)
			r = put_stack(&t, sink, s, weight);
	}
	if (r == BOB_OK && !st->is_plain)
		folded_tell_unit(sink->ctx, &st->weights);
	tree_done(&t);
	return r;
}

/* Other names make it another sink. */
static const struct sink_ops *
folded_variant(const struct bob_option *v, size_t n)
{
	for (; n > 0; n--)
		if (strcmp(v[n - 1].key, "tachyon-names") == 0)
			return &folded_tachyon_sink;
	return &folded_sink;
}

const struct sink_ops folded_sink = {
	.state_size = sizeof(struct writer),
	.want = 0,
	.variant = folded_variant,
	.open = folded_open,
	.segment = folded_segment,
	.runs = folded_runs,
	.join = folded_join,
	.finish = folded_finish,
	.close = folded_close,
};
