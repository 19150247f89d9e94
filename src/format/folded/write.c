/*
 * Writing folded stacks: weights are gathered, and written at the end in the
 * order of stack ids, which is the order in which stacks were first seen.
 */
#include "core/text.h"
#include "format/common/framewrite.h"
#include "format/common/shown.h"
#include "format/common/stackline.h"
#include "format/common/weightsink.h"
#include "format/folded/folded.h"

/* What it takes to write lines. */
struct page {
	struct shown shown;
	struct frame_writer frames;
	struct stack_line line;
};

/* A frame_put_fn. */
static void
put_frame(struct text *t, const struct bob_frame *f, struct bob_bytes name,
    struct bob_bytes file)
{
	unsigned kinds = TEXT_CTL | TEXT_SEMI;

	/* A line that begins with # is a comment. */
	if (name.n > 0 && *name.p == '#')
		kinds |= TEXT_HASH;
	frame_words_put_any(t, f, name, file, kinds);
}

static int
put_stack(struct page *page, struct out *out, bob_stack s, uint64_t weight)
{
	struct stack_line *l = &page->line;
	size_t i;

	if (stack_line_begin(l, out, page->shown.dict, s, &i) < 0)
		return BOB_FATAL;
	for (; i < l->depth; i++) {
		if (i > 0)
			text_byte(&l->text, ';');
		if (frame_writer_put(&page->frames, &l->text,
		        shown_frame(&page->shown, l->node[i])) < 0)
			return BOB_FATAL;
		stack_line_mark(l, i);
	}
	return stack_line_end(l, weight);
}

static int
folded_open(struct sink *sink)
{
	return weight_sink_open(sink, "folded");
}

static int
folded_finish(struct sink *sink)
{
	struct weight_sink *w = sink->state;
	struct page page = { .frames = { .dict = sink->dict,
		.put = put_frame } };
	uint64_t weight;
	bob_stack s;
	int r = format_need_output(sink);

	if (r == BOB_OK)
		r = shown_init(&page.shown, sink, w);
	for (s = 0; r == BOB_OK && s < page.shown.dict->n.n_stack; s++) {
		weight = shown_weight(&page.shown, s);
		if (weight > 0)
			r = put_stack(&page, sink->out, s, weight);
	}
	if (r == BOB_OK)
		weight_sink_tell_unit(w);
	shown_done(&page.shown);
	frame_writer_done(&page.frames);
	stack_line_done(&page.line);
	return r;
}

const struct sink_ops folded_sink = {
	.state_size = sizeof(struct weight_sink),
	.want = 0, /* stacks alone */
	.variant = folded_variant,
	.open = folded_open,
	.segment = weight_sink_segment,
	.runs = weight_sink_runs,
	.join = weight_sink_join,
	.finish = folded_finish,
	.close = weight_sink_close,
};
