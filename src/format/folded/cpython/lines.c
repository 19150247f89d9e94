/*
 * Orders and writes the lines. The heaviest line comes first; lines of one
 * weight are ordered by their bytes. Stacks become one line when thread, whole
 * file names, functions and lines are equal; equal base names are not enough.
 * Frames of the profiler's own launcher are left out.
 *
 * For that the tree of stacks is built again from reduced frames: in the
 * dictionary `shown` a frame is its text and its whole file name.
 */
#include "format/folded/cpython/tachyon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chars.h"
#include "format/common/frametext.h"
#include "format/common/stackline.h"
#include "format/folded/cpython/order.h"
#include "format/folded/cpython/pairs.h"
#include "format/folded/cpython/sort.h"

/* The file of the launcher, which is no part of the profiled program. */
#define LAUNCHER "_sync_coordinator.py"

#define NUMBER 24 /* room for any 64-bit number */

struct thread {
	char text[NUMBER]; /* decimal, the rest is ';' */
	uint32_t number;
};

struct page {
	struct bob_ctx *ctx;
	const struct bob_dict *from; /* of the sink */
	struct bob_dict *shown;
	bob_fid *frame;   /* by frame of the sink: in shown; 0: left out */
	bob_stack *stack; /* by stack of the sink: in shown */
	uint32_t *rank;   /* by stack in shown; 0: it is no line */
	struct pairs pairs; /* threads and stacks in shown */
	struct pairs threads; /* without stacks, for their numbers */
	struct thread *thread; /* by their bytes */
	uint32_t *thread_rank; /* by number */
	struct tachyon_entry *entry, *other; /* by pair */
	char *buf; /* the text of a frame */
	size_t cap_buf;
	struct frame_name name;
	struct stack_line line;
};

static int
page_init(struct page *page, const struct sink *sink, size_t n_pairs)
{
	memset(page, 0, sizeof(*page));
	page->ctx = sink->ctx;
	page->from = sink->dict;
	pairs_init(&page->pairs, sink->ctx, sink->dict->seed);
	pairs_init(&page->threads, sink->ctx, sink->dict->seed);
	page->shown = bob_dict_new(sink->ctx);
	page->frame = calloc(sink->dict->n.n_frame, sizeof(*page->frame));
	page->stack = calloc(sink->dict->n.n_stack, sizeof(*page->stack));
	page->entry = calloc(n_pairs, sizeof(*page->entry));
	page->other = malloc(n_pairs * sizeof(*page->other));
	if (page->shown == NULL || page->frame == NULL ||
	    page->stack == NULL || page->entry == NULL || page->other == NULL)
		return err_nomem(sink->ctx);
	return BOB_OK;
}

static void
page_done(struct page *page)
{
	bob_dict_free(page->shown);
	free(page->frame);
	free(page->stack);
	free(page->rank);
	pairs_done(&page->pairs);
	pairs_done(&page->threads);
	free(page->thread);
	free(page->thread_rank);
	free(page->entry);
	free(page->other);
	free(page->buf);
	frame_name_done(&page->name);
	stack_line_done(&page->line);
}

static size_t
escape_byte(char *to, uint8_t c)
{
	static const char hex[] = "0123456789ABCDEF";

	to[0] = '%';
	to[1] = hex[c >> 4];
	to[2] = hex[c & 15];
	return 3;
}

/* Escapes characters that would end a frame or a line, or act on a terminal.
 * Returns how many bytes were written; room for 3 * from.n is needed. */
static size_t
escape_name(char *to, struct bob_bytes from)
{
	size_t n = 0, i = 0, odd;

	while (i < from.n) {
		odd = from.p[i] == ';' ? 1 : chars_acting(from.p + i,
		    from.n - i);
		if (odd == 0)
			to[n++] = from.p[i++];
		for (; odd > 0; odd--)
			n += escape_byte(to + n, (uint8_t)from.p[i++]);
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

/* Writes `base.py:function:line` into buf, or the function alone when the file
 * is `~`. */
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
		*ret = escape_name(page->buf, name);
		return BOB_OK;
	}
	n = escape_name(page->buf, base_name(file));
	page->buf[n++] = ':';
	n += escape_name(page->buf + n, name);
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

/* apart: no two frames are shown alike, so no two stacks are either. */
static int
show_stack(struct page *page, bob_stack id, int apart)
{
	const struct dict_node *node = &page->from->node[id];
	bob_stack parent = page->stack[node->parent];
	bob_fid frame = page->frame[node->frame];

	page->stack[id] = frame == 0 ? parent
	    : apart ? dict_push_fresh(page->shown, parent, frame)
	    : bob_stack_push(page->shown, parent, frame);
	return page->stack[id] == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
show_stacks(struct page *page)
{
	struct bob_counts n = page->from->n;
	int apart, r = BOB_OK;
	uint32_t i;

	for (i = 1; r == BOB_OK && i < n.n_frame; i++)
		r = show_frame(page, i);
	apart = page->shown->n.n_frame == n.n_frame;
	for (i = 1; r == BOB_OK && i < n.n_stack; i++)
		r = show_stack(page, i, apart);
	return r;
}

/* True when frames of different files have the same text. */
static int
has_twins(const struct bob_dict *d, uint8_t *seen)
{
	bob_fid i;

	for (i = 1; i < d->n.n_frame; i++)
		if (seen[d->frame[i].name]++ != 0)
			return 1;
	return 0;
}

/* Ranks by text alone, where `shown` tells more apart: in a third tree. */
static int
rank_twins(struct page *page)
{
	const struct bob_dict *d = page->shown;
	struct bob_dict *tree = bob_dict_new(page->ctx);
	bob_stack *twin = calloc(d->n.n_stack, sizeof(*twin));
	uint32_t *of_twin;
	int r = tree == NULL || twin == NULL ? err_nomem(page->ctx) : BOB_OK;
	bob_stack i;

	for (i = 1; r == BOB_OK && i < d->n.n_stack; i++) {
		struct bob_frame f = {
			.name = d->frame[d->node[i].frame].name };
		bob_fid id = bob_frame_put(tree, &f);

		twin[i] = id == BOB_NO_ID ? BOB_NO_ID
		    : bob_stack_push(tree, twin[d->node[i].parent], id);
		if (twin[i] == BOB_NO_ID)
			r = BOB_FATAL;
	}
	of_twin = tree == NULL ? NULL :
	    calloc(tree->n.n_stack, sizeof(*of_twin));
	if (r == BOB_OK && of_twin == NULL)
		r = err_nomem(page->ctx);
	for (i = 1; r == BOB_OK && i < d->n.n_stack; i++)
		of_twin[twin[i]] |= page->rank[i];
	if (r == BOB_OK)
		r = tachyon_order(tree, d, of_twin);
	for (i = 1; r == BOB_OK && i < d->n.n_stack; i++)
		page->rank[i] = of_twin[twin[i]];
	free(of_twin);
	free(twin);
	bob_dict_free(tree);
	return r;
}

static int
rank_stacks(struct page *page)
{
	struct bob_counts n = page->shown->n;
	uint8_t *seen = calloc(n.n_str, sizeof(*seen));
	int r;

	if (seen == NULL)
		r = err_nomem(page->ctx);
	else if (has_twins(page->shown, seen))
		r = rank_twins(page);
	else
		r = tachyon_order(page->shown, page->shown, page->rank);
	free(seen);
	return r;
}

/* Stacks that are shown alike become one line, empty ones none. */
static int
add_entries(struct page *page, const struct pairs *pairs,
    const uint64_t *weight)
{
	struct tachyon_entry *e;
	uint32_t i, id;

	for (i = 1; i < pairs->n; i++) {
		uint64_t thread = pairs->pair[i].thread;
		bob_stack stack = page->stack[pairs->pair[i].stack];

		if (stack == 0)
			continue;
		id = pairs_put(&page->pairs, thread, stack);
		if (id == BOB_NO_ID)
			return BOB_FATAL;
		e = &page->entry[id];
		e->stack = stack;
		e->weight = count_add(e->weight, weight[i]);
		if (e->place != 0)
			continue;
		e->place = pairs_put(&page->threads, thread, 0);
		if (e->place == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
by_text(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return memcmp(x->text, y->text, sizeof(x->text));
}

/* Digits and ';' are ordered as in the lines, where one follows the thread. */
static int
rank_threads(struct page *page)
{
	uint32_t n = page->threads.n - 1, i;

	page->thread = calloc((size_t)n + 1, sizeof(*page->thread));
	page->thread_rank = calloc((size_t)n + 1, sizeof(*page->thread_rank));
	if (page->thread == NULL || page->thread_rank == NULL)
		return err_nomem(page->ctx);
	for (i = 0; i < n; i++) {
		struct thread *t = &page->thread[i];
		size_t len = text_format_u64(t->text,
		    page->threads.pair[i + 1].thread);

		memset(t->text + len, ';', sizeof(t->text) - len);
		t->number = i + 1;
	}
	qsort(page->thread, n, sizeof(*page->thread), by_text);
	for (i = 0; i < n; i++)
		page->thread_rank[page->thread[i].number] = i;
	return BOB_OK;
}

/* Replaces the thread number in `place` by what lines are ordered by. */
static int
rank_entries(struct page *page)
{
	struct tachyon_entry *e;
	uint32_t i;
	int r;

	page->rank = calloc(page->shown->n.n_stack, sizeof(*page->rank));
	if (page->rank == NULL)
		return err_nomem(page->ctx);
	for (i = 1; i < page->pairs.n; i++)
		page->rank[page->entry[i].stack] = 1;
	r = rank_threads(page);
	if (r == BOB_OK)
		r = rank_stacks(page);
	for (i = 1; r == BOB_OK && i < page->pairs.n; i++) {
		e = &page->entry[i];
		e->place = (uint64_t)page->thread_rank[e->place] << 32 |
		    page->rank[e->stack];
	}
	return r;
}

/* Writes a line; `before` is the entry before it, or itself for the first. */
static int
put_entry(struct page *page, struct out *out, const struct tachyon_entry *e,
    const struct tachyon_entry *before)
{
	const char *thread = page->thread[e->place >> 32].text;
	const struct bob_dict *d = page->shown;
	struct stack_line *l = &page->line;
	struct bob_bytes s;
	size_t i;

	if (e->place >> 32 != before->place >> 32)
		stack_line_forget(l);
	if (stack_line_begin(l, out, d, e->stack, &i) < 0)
		return BOB_FATAL;
	if (i == 0) {
		text_str(&l->text, "tid:");
		text_bytes(&l->text, thread, text_n_digits(thread, NUMBER));
	}
	for (; i < l->depth; i++) {
		s = d->str[d->frame[d->node[l->node[i]].frame].name];
		text_byte(&l->text, ';');
		text_bytes(&l->text, s.p, s.n);
		stack_line_mark(l, i);
	}
	return stack_line_end(l, e->weight);
}

int
tachyon_lines(struct sink *sink, const struct pairs *pairs,
    const uint64_t *weight)
{
	struct tachyon_entry *e;
	struct page page;
	uint32_t n, i;
	int r = page_init(&page, sink, pairs->n);

	if (r == BOB_OK)
		r = show_stacks(&page);
	if (r == BOB_OK)
		r = add_entries(&page, pairs, weight);
	if (r == BOB_OK)
		r = rank_entries(&page);
	n = page.pairs.n - 1;
	if (r == BOB_OK && n > 0) {
		e = tachyon_sort(page.entry + 1, page.other + 1, n);
		for (i = 0; r == BOB_OK && i < n; i++)
			r = put_entry(&page, sink->out, &e[i],
			    &e[i > 0 ? i - 1 : 0]);
	}
	page_done(&page);
	return r;
}
