/* What filters make of frames and stacks; see the header. */
#include "pipeline/filter_stack.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pattern.h"
#include "core/memo.h"

/* ":" and a 64-bit line, with its sign and a final NUL. */
#define LINE_MAX_LEN 24

int
stack_filter_init(struct stack_filter *f, struct bob_ctx *ctx,
    const struct bob_filter *spec, struct bob_dict *dict)
{
	int r;

	f->ctx = ctx;
	f->dict = dict;
	f->no_line = (spec->flags & BOB_FILTER_NO_LINE) != 0;
	if (spec->hide != NULL) {
		r = pattern_new(ctx, "filter: hide", spec->hide, &f->hide);
		if (r < 0)
			return r;
	}
	if (spec->match != NULL) {
		r = pattern_new(ctx, "filter: match", spec->match, &f->match);
		if (r < 0)
			return r;
	}
	return BOB_OK;
}

void
stack_filter_done(struct stack_filter *f)
{
	pattern_free(f->hide);
	pattern_free(f->match);
	free(f->frame);
	free(f->stack);
	free(f->path);
	free(f->text);
}

/* Writes `function file:line` to f->text, for patterns. The line of a native
 * frame is 0, as in folded stacks. BOB_OK or FATAL. */
static int
describe_frame(struct stack_filter *f, bob_fid id, size_t *ret_len)
{
	const struct bob_frame *frame = &f->dict->frame[id];
	struct bob_bytes file = bob_str_get(f->dict, frame->file);
	size_t len = bob_frame_name(f->dict, id, NULL, 0);
	int n;

	if (MEM_GROW(f->ctx, f, text, len + 1 + file.n + LINE_MAX_LEN) < 0)
		return BOB_FATAL;
	(void)bob_frame_name(f->dict, id, f->text, len);
	f->text[len++] = ' ';
	memcpy(f->text + len, file.p, file.n);
	len += file.n;
	if (!(frame->flags & BOB_FRAME_NO_LINE)) {
		n = snprintf(f->text + len, LINE_MAX_LEN, ":%" PRId64,
		    frame->lang == BOB_LANG_NATIVE ? 0 : frame->where);
		len += (size_t)n;
	}
	*ret_len = len;
	return BOB_OK;
}

/* Matches a frame against the patterns. A hidden frame is not matched. */
static int
judge_frame(struct stack_filter *f, bob_fid id, uint32_t *bits)
{
	size_t len;
	int r;

	if (f->hide == NULL && f->match == NULL)
		return BOB_OK;
	if (describe_frame(f, id, &len) < 0)
		return BOB_FATAL;
	if (f->hide != NULL) {
		r = pattern_match(f->hide, f->text, len);
		if (r != 0) {
			*bits |= FATE_HIDDEN;
			return r < 0 ? r : BOB_OK;
		}
	}
	if (f->match != NULL) {
		r = pattern_match(f->match, f->text, len);
		if (r < 0)
			return r;
		if (r > 0)
			*bits |= FATE_MATCHES;
	}
	return BOB_OK;
}

/* Returns the same frame without its line, columns and opcode. */
static bob_fid
without_line(struct stack_filter *f, bob_fid id)
{
	struct bob_frame frame = f->dict->frame[id];

	frame.where = 0;
	frame.flags = BOB_FRAME_NO_LINE;
	frame.opcode = 0;
	frame.opname = 0;
	frame.end_line = frame.col = frame.end_col = 0;
	return bob_frame_put(f->dict, &frame);
}

static int
resolve_frame(struct stack_filter *f, bob_fid id, struct stack_fate *ret)
{
	struct stack_fate fate = { id, FATE_KNOWN };

	if (MEMO_GROW(f->ctx, f, frame, (size_t)f->dict->n.n_frame) < 0)
		return BOB_FATAL;
	if (f->frame[id].bits & FATE_KNOWN) {
		*ret = f->frame[id];
		return BOB_OK;
	}
	if (judge_frame(f, id, &fate.bits) < 0)
		return BOB_FATAL;
	if (f->no_line && !(fate.bits & FATE_HIDDEN)) {
		fate.to = without_line(f, id);
		if (fate.to == BOB_NO_ID)
			return BOB_FATAL;
	}
	*ret = f->frame[id] = fate;
	return BOB_OK;
}

/*
 * Makes an image its own image. Stacks that differ by line may share one; it
 * matches when one of them does. An input that mixes frames with and without
 * lines may hold the image as a stack of its own, which was judged already.
 */
static int
settle_image(struct stack_filter *f, struct stack_fate fate)
{
	struct stack_fate *image;

	if (MEMO_GROW(f->ctx, f, stack, (size_t)f->dict->n.n_stack) < 0)
		return BOB_FATAL;
	image = &f->stack[fate.to];
	if (!(image->bits & FATE_KNOWN))
		*image = fate;
	else if (image->to == fate.to)
		image->bits |= fate.bits;
	return BOB_OK;
}

/* Resolves a stack whose parent is resolved. */
static int
resolve_node(struct stack_filter *f, bob_stack s)
{
	struct dict_node node = f->dict->node[s];
	struct stack_fate fate = f->stack[node.parent], frame;

	if (resolve_frame(f, node.frame, &frame) < 0)
		return BOB_FATAL;
	if (!(frame.bits & FATE_HIDDEN)) {
		/* Most stacks stay as they are: then nothing is pushed. */
		fate.to = fate.to == node.parent && frame.to == node.frame
		    ? s : bob_stack_push(f->dict, fate.to, frame.to);
		if (fate.to == BOB_NO_ID)
			return BOB_FATAL;
		fate.bits |= frame.bits;
		if (settle_image(f, fate) < 0)
			return BOB_FATAL;
	}
	f->stack[s] = fate;
	return BOB_OK;
}

int
stack_filter_resolve(struct stack_filter *f, bob_stack s)
{
	size_t n = 0;

	assert(s < f->dict->n.n_stack);
	if (MEMO_GROW(f->ctx, f, stack, (size_t)f->dict->n.n_stack) < 0)
		return BOB_FATAL;
	f->stack[0].bits |= FATE_KNOWN;
	/* Not recursive: stacks may be a million frames deep. */
	for (; !(f->stack[s].bits & FATE_KNOWN); s = f->dict->node[s].parent) {
		if (MEM_GROW(f->ctx, f, path, n + 1) < 0)
			return BOB_FATAL;
		f->path[n++] = s;
	}
	while (n > 0)
		if (resolve_node(f, f->path[--n]) < 0)
			return BOB_FATAL;
	return BOB_OK;
}
