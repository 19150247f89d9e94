/*
 * Lines come by weight, the largest first, then by their bytes. Two stacks
 * are one line when threads, files, functions and lines are the same; base
 * names alone do not make them one. Frames of the profiler's own launcher are
 * left out.
 *
 * For that the tree of stacks is built again from frames reduced to what is
 * told apart: in the dictionary `shown` a frame is its text and its whole file
 * name. Lines are compared in this tree, from their leaves up to where they
 * meet, so that their bytes need not be kept.
 */
#include "format/folded/tachyon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "format/frametext.h"

/* What starts a program in order to profile it is no part of the program. */
#define LAUNCHER "_sync_coordinator.py"

#define NUMBER 24 /* room for any 64-bit number */

struct line {
	uint64_t weight, thread;
	bob_stack stack; /* in shown */
	const struct bob_dict *shown; /* for sorting */
};

struct page {
	struct bob_ctx *ctx;
	const struct bob_dict *from; /* of the sink */
	struct bob_dict *shown;
	bob_fid *frame;   /* by frame of the sink: in shown; 0: left out */
	bob_stack *stack; /* by stack of the sink: in shown */
	struct pairs pairs; /* threads and stacks in shown */
	struct line *line;  /* by pair */
	char *buf; /* the text of a frame */
	size_t cap_buf;
	struct frame_name name;
	bob_fid *path;
	size_t cap_path;
	struct text text;
};

static int
page_init(struct page *page, const struct sink *sink, size_t n_pairs)
{
	memset(page, 0, sizeof(*page));
	page->ctx = sink->ctx;
	page->from = sink->dict;
	pairs_init(&page->pairs, sink->ctx, sink->dict->seed);
	page->shown = bob_dict_new(sink->ctx);
	page->frame = calloc(sink->dict->n.n_frame, sizeof(*page->frame));
	page->stack = calloc(sink->dict->n.n_stack, sizeof(*page->stack));
	page->line = calloc(n_pairs, sizeof(*page->line));
	if (page->shown == NULL || page->frame == NULL ||
	    page->stack == NULL || page->line == NULL)
		return err_nomem(sink->ctx);
	return BOB_OK;
}

static void
page_done(struct page *page)
{
	bob_dict_free(page->shown);
	free(page->frame);
	free(page->stack);
	pairs_done(&page->pairs);
	free(page->line);
	free(page->buf);
	frame_name_done(&page->name);
	free(page->path);
	text_done(&page->text);
}

/* A line is a line and a frame is a frame, whatever their names hold. */
static size_t
escape(char *to, struct bob_bytes from)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t n = 0, i;

	for (i = 0; i < from.n; i++) {
		uint8_t c = (uint8_t)from.p[i];

		if ((text_kinds[c] & (TEXT_CTL | TEXT_SEMI)) == 0) {
			to[n++] = (char)c;
			continue;
		}
		to[n++] = '%';
		to[n++] = hex[c >> 4];
		to[n++] = hex[c & 15];
	}
	return n;
}

static struct bob_bytes
base_name(struct bob_bytes path)
{
	size_t n = path.n;

	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return (struct bob_bytes){ path.p + n, path.n - n };
}

/* `base.py:function:line` into buf; the function alone for what has no place
 * in any file. */
static int
make_text(struct page *page, bob_fid id, size_t *ret)
{
	const struct bob_frame *f = &page->from->frame[id];
	struct bob_bytes file = bob_str_get(page->from, f->file), name;
	int64_t line = f->lang == BOB_LANG_NATIVE ||
	    (f->flags & BOB_FRAME_NO_LINE) != 0 ? 0 : f->where;
	size_t n;

	if (frame_name_get(&page->name, page->from, id, &name) < 0 ||
	    MEM_GROW(page->ctx, page, buf,
	        3 * (file.n + name.n) + NUMBER + 2) < 0)
		return BOB_FATAL;
	if (line == 0 && file.n == 1 && *file.p == '~') {
		*ret = escape(page->buf, name);
		return BOB_OK;
	}
	n = escape(page->buf, base_name(file));
	page->buf[n++] = ':';
	n += escape(page->buf + n, name);
	*ret = n + (size_t)snprintf(page->buf + n, NUMBER + 1, ":%" PRId64,
	    line);
	return BOB_OK;
}

static int
show_frame(struct page *page, bob_fid id)
{
	struct bob_bytes file = bob_str_get(page->from,
	    page->from->frame[id].file);
	struct bob_frame shown = { 0 };
	size_t n;

	if (text_ends_in(file.p, file.n, LAUNCHER))
		return BOB_OK;
	if (make_text(page, id, &n) < 0)
		return BOB_FATAL;
	shown.name = bob_str_put(page->shown, page->buf, n);
	shown.file = bob_str_put(page->shown, file.p, file.n);
	if (shown.name == BOB_NO_ID || shown.file == BOB_NO_ID)
		return BOB_FATAL;
	page->frame[id] = bob_frame_put(page->shown, &shown);
	return page->frame[id] == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
show_stack(struct page *page, bob_stack id)
{
	const struct bob_node *node = &page->from->node[id];
	bob_stack parent = page->stack[node->parent];
	bob_fid frame = page->frame[node->frame];

	page->stack[id] = frame == 0 ? parent
	    : bob_stack_push(page->shown, parent, frame);
	return page->stack[id] == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
show_stacks(struct page *page)
{
	struct bob_counts n = page->from->n;
	int r = BOB_OK;
	uint32_t i;

	for (i = 1; r == BOB_OK && i < n.n_frame; i++)
		r = show_frame(page, i);
	for (i = 1; r == BOB_OK && i < n.n_stack; i++)
		r = show_stack(page, i);
	return r;
}

/* Stacks that are shown alike are one line; an empty one is none. */
static int
add_lines(struct page *page, const struct pairs *pairs, const uint64_t *weight)
{
	uint32_t i, id;

	for (i = 1; i < pairs->n; i++) {
		uint64_t thread = pairs->pair[i].thread;
		bob_stack stack = page->stack[pairs->pair[i].stack];

		if (stack == 0)
			continue;
		id = pairs_put(&page->pairs, thread, stack);
		if (id == BOB_NO_ID)
			return BOB_FATAL;
		page->line[id] = (struct line){
			.weight = count_add(page->line[id].weight, weight[i]),
			.thread = thread, .stack = stack,
			.shown = page->shown };
	}
	return BOB_OK;
}

/* Two pieces that differ, each with a ';' behind it unless it is the last of
 * its line. */
static int
compare_text(struct bob_bytes a, int a_is_last, struct bob_bytes b,
    int b_is_last)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int d = n > 0 ? memcmp(a.p, b.p, n) : 0;

	if (d != 0)
		return d;
	if (a.n < b.n)
		return a_is_last ? -1 : ';' - (uint8_t)b.p[n];
	return b_is_last ? 1 : (uint8_t)a.p[n] - ';';
}

static int
compare_threads(uint64_t a, uint64_t b)
{
	char x[NUMBER], y[NUMBER];
	struct bob_bytes p = { x, (size_t)snprintf(x, NUMBER, "%" PRIu64, a) };
	struct bob_bytes q = { y, (size_t)snprintf(y, NUMBER, "%" PRIu64, b) };

	return compare_text(p, 0, q, 0);
}

/* By the first frames, from the root, whose texts differ; without any the
 * shorter stack comes first. */
static int
compare_stacks(const struct bob_dict *d, bob_stack a, bob_stack b)
{
	uint32_t a_depth = d->node[a].depth, b_depth = d->node[b].depth;
	uint32_t depth = a_depth < b_depth ? a_depth : b_depth, at = 0;
	bob_str a_text = 0, b_text = 0;

	while (d->node[a].depth > depth)
		a = d->node[a].parent;
	while (d->node[b].depth > depth)
		b = d->node[b].parent;
	for (; a != b; a = d->node[a].parent, b = d->node[b].parent) {
		bob_str x = d->frame[d->node[a].frame].name;
		bob_str y = d->frame[d->node[b].frame].name;

		if (x == y)
			continue;
		a_text = x;
		b_text = y;
		at = d->node[a].depth;
	}
	if (at == 0)
		return (a_depth > b_depth) - (a_depth < b_depth);
	return compare_text(d->str[a_text], at == a_depth, d->str[b_text],
	    at == b_depth);
}

static int
by_weight(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->thread != y->thread)
		return compare_threads(x->thread, y->thread);
	return compare_stacks(x->shown, x->stack, y->stack);
}

static int
put_line(struct page *page, struct out *out, const struct line *line)
{
	const struct bob_dict *d = page->shown;
	size_t depth = d->node[line->stack].depth, i;
	bob_stack at = line->stack;

	if (MEM_GROW(page->ctx, page, path, depth) < 0)
		return BOB_FATAL;
	for (i = depth; i > 0; i--) {
		page->path[i - 1] = d->node[at].frame;
		at = d->node[at].parent;
	}
	text_begin(&page->text, out);
	text_str(&page->text, "tid:");
	text_u64(&page->text, line->thread);
	for (i = 0; i < depth; i++) {
		struct bob_bytes s = d->str[d->frame[page->path[i]].name];

		text_byte(&page->text, ';');
		text_bytes(&page->text, s.p, s.n);
	}
	text_byte(&page->text, ' ');
	text_u64(&page->text, line->weight);
	text_byte(&page->text, '\n');
	return text_commit(&page->text);
}

int
tachyon_lines(struct sink *sink, const struct pairs *pairs,
    const uint64_t *weight)
{
	struct page page;
	uint32_t i;
	int r = page_init(&page, sink, pairs->n);

	if (r == BOB_OK)
		r = show_stacks(&page);
	if (r == BOB_OK)
		r = add_lines(&page, pairs, weight);
	if (r == BOB_OK)
		qsort(page.line + 1, page.pairs.n - 1, sizeof(*page.line),
		    by_weight);
	for (i = 1; r == BOB_OK && i < page.pairs.n; i++)
		r = put_line(&page, sink->out, &page.line[i]);
	page_done(&page);
	return r;
}
