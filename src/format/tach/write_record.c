/*
 * Samples into records. A sample whose stack is its thread's last one is held
 * back and becomes part of a REPEAT; any other is a record of its own. Which
 * kind is CPython's choice, so that the same samples give the same bytes:
 *
 *     nothing in common              FULL
 *     frames were only added         SUFFIX
 *     less than half is in common    FULL
 *     else                           POP_PUSH
 *
 * Common is the outer part of the stack; half is of the new one's depth. What
 * is meant to be small is POP_PUSH wherever that is no longer than FULL: it
 * lists the fewest frames, and one kind of record packs better than two.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/tach/write.h"

/* Kind, delta, status and two counts behind thread and interpreter. */
#define RECORD_MAX (TACH_RECORD + VARINT_MAX + 1 + 2 * VARINT_MAX)

/* The number of a frame: 32 bits in groups of 7. */
#define FRAME_MAX 5

/* What a new stack shares with the one before. */
struct change {
	uint32_t old_depth, depth, common;
	const uint32_t *frames; /* the new one's, innermost first; at least
	                         * those that will be listed */
	uint64_t delta;
	uint8_t status;
};

static uint8_t *
put_frames(uint8_t *p, const uint32_t *frames, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		p = varint_put(p, frames[i]);
	return p;
}

static enum tach_kind
choose_kind(const struct change *c)
{
	if (c->common == 0)
		return TACH_FULL;
	if (c->common == c->old_depth)
		return TACH_SUFFIX;
	return c->common < c->depth / 2 ? TACH_FULL : TACH_POP_PUSH;
}

/* Each common frame that FULL lists takes a byte at least. */
static enum tach_kind
choose_small(const struct change *c)
{
	size_t counts = varint_size(c->old_depth - c->common) +
	    varint_size(c->depth - c->common);

	return counts <= varint_size(c->depth) + c->common ? TACH_POP_PUSH
	                                                   : TACH_FULL;
}

static uint8_t *
put_head(uint8_t *p, const struct tach_thread *th, enum tach_kind kind)
{
	memcpy(p, th->head, sizeof(th->head));
	p += sizeof(th->head);
	*p++ = (uint8_t)kind;
	return p;
}

static int
put_record(struct tach_writer *w, struct tach_stream *s,
    const struct tach_thread *th, const struct change *c, enum tach_kind kind)
{
	uint32_t n = kind == TACH_FULL ? c->depth : c->depth - c->common;
	uint8_t *start, *p;

	start = p = out_reserve(s->records,
	    RECORD_MAX + (size_t)n * FRAME_MAX);
	if (p == NULL)
		return BOB_FATAL;
	p = put_head(p, th, kind);
	p = varint_put(p, c->delta);
	*p++ = c->status;
	if (kind == TACH_SUFFIX)
		p = varint_put(p, c->common);
	else if (kind == TACH_POP_PUSH)
		p = varint_put(p, c->old_depth - c->common);
	p = varint_put(p, n);
	p = put_frames(p, c->frames, n);
	return tach_store_commit(w, s, (size_t)(p - start));
}

static int
put_repeats(struct tach_writer *w, struct tach_stream *s,
    const struct tach_thread *th)
{
	uint8_t *start, *p;

	start = p = out_reserve(s->records, RECORD_MAX + th->len_pairs);
	if (p == NULL)
		return BOB_FATAL;
	p = put_head(p, th, TACH_REPEAT);
	p = varint_put(p, th->n_repeats);
	memcpy(p, th->pairs, th->len_pairs);
	p += th->len_pairs;
	return tach_store_commit(w, s, (size_t)(p - start));
}

int
tach_flush_repeats(struct tach_writer *w, struct tach_thread *th)
{
	int r;

	if (th->n_repeats == 0)
		return BOB_OK;
	r = put_repeats(w, &w->stream[0], th);
	if (r == BOB_OK && w->n_streams > 1)
		r = put_repeats(w, &w->stream[1], th);
	th->n_repeats = 0;
	th->len_pairs = 0;
	return r;
}

/* Room for n more bytes, within the limit. */
static int
grow_pairs(struct tach_writer *w, struct tach_thread *th, size_t n)
{
	if (MEM_GROW(w->ctx, th, pairs, th->len_pairs + n) < 0)
		return BOB_FATAL;
	/* tach_repeat looks at the room alone: beyond the limit there must be
	 * none, however vectors grow. */
	if (th->cap_pairs > TACH_PAIRS)
		th->cap_pairs = TACH_PAIRS;
	return BOB_OK;
}

int
tach_more_pairs(struct tach_writer *w, struct tach_thread *th)
{
	if (th->len_pairs + TACH_PAIR_MAX > TACH_PAIRS)
		return tach_flush_repeats(w, th);
	return grow_pairs(w, th, TACH_PAIR_MAX);
}

/* Fills p with copies of its first n bytes. */
static void
copy_on(uint8_t *p, size_t n, size_t total)
{
	size_t k;

	for (; n < total; n += k) {
		k = n < total - n ? n : total - n;
		memcpy(p + n, p, k);
	}
}

/* Makes room for as many of n pairs as the buffer takes, at least one; 0: no
 * memory. */
static uint64_t
fill_pairs(struct tach_writer *w, struct tach_thread *th,
    const uint8_t *pair, size_t size, uint64_t n)
{
	/* A pair is written only where the longest pair has room. */
	uint64_t k = (TACH_PAIRS - TACH_PAIR_MAX - th->len_pairs) / size + 1;
	uint8_t *p;

	if (k > n)
		k = n;
	if (grow_pairs(w, th, (size_t)k * size) < 0)
		return 0;
	p = th->pairs + th->len_pairs;
	memcpy(p, pair, size);
	copy_on(p, size, (size_t)k * size);
	th->len_pairs += (size_t)k * size;
	th->n_repeats += (uint32_t)k;
	return k;
}

int
tach_repeat_equal(struct tach_writer *w, struct tach_thread *th,
    uint64_t delta, uint8_t status, uint64_t n)
{
	uint8_t pair[TACH_PAIR_MAX], *end = varint_put(pair, delta);
	size_t size = (size_t)(end - pair) + 1;
	uint64_t k;

	*end = status;
	for (; n > 0; n -= k) {
		if (th->len_pairs + TACH_PAIR_MAX > TACH_PAIRS &&
		    tach_flush_repeats(w, th) < 0)
			return BOB_FATAL;
		k = fill_pairs(w, th, pair, size, n);
		if (k == 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/*
 * From one node to another. The higher number cannot be the other's ancestor,
 * so it goes up until both are the same: the common part. All that is walked
 * was written as new once, so the work is bounded by the output.
 */
static int
compare_nodes(struct tach_writer *w, uint32_t old, uint32_t new,
    struct change *c)
{
	const struct tach_node *node = w->stacks.node;
	uint32_t at = new, n = 0;

	c->old_depth = node[old].depth;
	c->depth = node[new].depth;
	while (old != at) {
		if (old > at)
			old = node[old].parent;
		else
			at = node[at].parent;
	}
	c->common = node[at].depth;
	if (choose_kind(c) == TACH_FULL ||
	    (w->n_streams > 1 && choose_small(c) == TACH_FULL))
		at = TACH_NO_FRAMES;
	if (MEM_GROW(w->ctx, w, frames, c->depth) < 0)
		return BOB_FATAL;
	for (; new != at; new = node[new].parent)
		w->frames[n++] = node[new].frame;
	c->frames = w->frames;
	return BOB_OK;
}

/* All frames of a stack, cut or not. */
static int
list_frames(struct tach_writer *w, uint32_t node, bob_stack stack,
    uint32_t *frames, uint32_t *ret_n)
{
	const struct tach_node *v = w->stacks.node;
	uint32_t n = 0;

	if (node == TACH_CUT) {
		*ret_n = w->stacks.limit;
		return tach_stack_cut(w, stack, frames);
	}
	for (; node != TACH_NO_FRAMES; node = v[node].parent)
		frames[n++] = v[node].frame;
	*ret_n = n;
	return BOB_OK;
}

/* The same when one of them is cut, frame by frame. */
static int
compare_frames(struct tach_writer *w, const struct tach_thread *th,
    uint32_t node, bob_stack stack, struct change *c)
{
	uint32_t old[TACH_CPYTHON_DEPTH], n = 0;

	if (MEM_GROW(w->ctx, w, frames, TACH_CPYTHON_DEPTH) < 0 ||
	    list_frames(w, th->node, th->stack, old, &c->old_depth) < 0 ||
	    list_frames(w, node, stack, w->frames, &c->depth) < 0)
		return BOB_FATAL;
	while (n < c->old_depth && n < c->depth &&
	    old[c->old_depth - 1 - n] == w->frames[c->depth - 1 - n])
		n++;
	c->common = n;
	c->frames = w->frames;
	return BOB_OK;
}

int
tach_change(struct tach_writer *w, struct tach_thread *th, bob_stack stack,
    uint64_t delta, uint8_t status)
{
	struct change c = { .delta = delta, .status = status };
	uint32_t node;
	int r;

	if (w->stacks.of_stack[stack] == TACH_NO_NODE &&
	    tach_stack_add(w, stack) < 0)
		return BOB_FATAL;
	node = w->stacks.of_stack[stack];
	if (node == th->node && node != TACH_CUT) {
		th->stack = stack;
		return tach_repeat(w, th, delta, status);
	}
	if (node != TACH_CUT && th->node != TACH_CUT)
		r = compare_nodes(w, th->node, node, &c);
	else
		r = compare_frames(w, th, node, stack, &c);
	if (r < 0)
		return r;
	th->stack = stack;
	th->node = node;
	if (c.common == c.depth && c.common == c.old_depth)
		return tach_repeat(w, th, delta, status);
	r = tach_flush_repeats(w, th);
	if (r == BOB_OK)
		r = put_record(w, &w->stream[0], th, &c, choose_kind(&c));
	if (r == BOB_OK && w->n_streams > 1)
		r = put_record(w, &w->stream[1], th, &c, choose_small(&c));
	return r;
}
