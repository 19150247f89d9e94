/* Slices out of samples; see the header. */
#include "format/chrome/slices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "format/common/axis.h"

void
slices_done(struct slices *s)
{
	textmemo_done(&s->memo);
	text_done(&s->text);
	free(s->path);
}

static size_t
put_word(char *to, const char *word)
{
	size_t n = strlen(word);

	memcpy(to, word, n);
	return n;
}

void
slices_name(struct slices_lane *l, uint32_t pid, uint32_t tid)
{
	size_t n = put_word(l->who, ",\n{\"ph\":\"X\",\"pid\":");

	n += text_format_u64(l->who + n, pid);
	n += put_word(l->who + n, ",\"tid\":");
	n += text_format_u64(l->who + n, tid);
	n += put_word(l->who + n, ",\"ts\":");
	assert(n <= SLICES_MAX_WHO);
	l->n_who = (uint8_t)n;
}

/* A slice that ends early does so by half a microsecond: something that is
 * exact in floating point, so that equal ends stay equal. */
static void
put_times(struct slices_head *h, const struct slices_lane *l, int64_t start,
    int64_t end, int is_early)
{
	char *p = h->p;
	size_t n = l->n_who;

	assert(n > 0 && end >= start);
	memcpy(p, l->who, SLICES_MAX_WHO);
	if (start < 0)
		p[n++] = '-';
	n += text_format_u64(p + n,
	    start < 0 ? -(uint64_t)start : (uint64_t)start);
	n += put_word(p + n, ",\"dur\":");
	n += text_format_u64(p + n, (uint64_t)(end - start - is_early));
	if (is_early)
		n += put_word(p + n, ".5");
	h->n = n;
}

/* A slice whose function was not met before, or not lately. The file is the
 * category: viewers show that, and do not take it for a part of the name, as
 * they do with arguments. */
static int
put_slice_slow(struct slices *s, uint32_t id)
{
	const struct slices_head *h = &s->head;
	struct bob_bytes name = functions_name(s->fns, id);
	struct bob_bytes file = functions_file(s->fns, id);
	struct text *t = &s->text;

	text_begin(t, s->out);
	text_bytes(t, h->p, h->n);
	text_str(t, ",\"name\":");
	json_string(t, name.p, name.n);
	if (file.n > 0) {
		text_str(t, ",\"cat\":");
		json_string(t, file.p, file.n);
	}
	text_byte(t, '}');
	if (text_commit(t) < 0)
		return BOB_FATAL;
	/* What was handed on early is not there any more. */
	return t->is_spilled ? BOB_OK : textmemo_put(&s->memo, s->ctx, id,
	    t->p + h->n, t->n - h->n);
}

static inline int
put_slice(struct slices *s, uint32_t id)
{
	const struct slices_head *h = &s->head;
	size_t n;
	const char *tail = textmemo_get(&s->memo, id, &n);
	uint8_t *p;

	if (tail == NULL)
		return put_slice_slow(s, id);
	p = out_reserve(s->out, SLICES_MAX_HEAD + n);
	if (p == NULL)
		return BOB_FATAL;
	memcpy(p, h->p, SLICES_MAX_HEAD);
	memcpy(p + h->n, tail, n);
	return out_commit(s->out, h->n + n);
}

/*
 * Ends what is open but the outermost `keep`; `next` is the function that
 * begins then, or 0.
 *
 * speedscope, which takes beginnings and ends from two queues, takes a
 * beginning first when the end beside it has the same name and time, and gets
 * everything that follows wrong. So where that could happen slices end half a
 * microsecond early, if all of them have it to spare.
 */
static int
end_inner(struct slices *s, struct slices_lane *l, uint32_t keep, int64_t end,
    uint32_t next)
{
	const struct dict_node *node = s->fns->own->node;
	const struct bob_frame *function = s->fns->own->frame;
	size_t n = node[l->stack].depth, i;
	int r = BOB_OK, is_early = 0;

	if (MEM_GROW(s->ctx, s, path, n) < 0)
		return BOB_FATAL;
	for (i = n; i > keep; i--, l->stack = node[l->stack].parent) {
		s->path[i - 1] = node[l->stack].frame;
		is_early |= function[s->path[i - 1]].name ==
		    function[next].name;
	}
	is_early = is_early && next != 0 && l->start[n - 1] < end;
	for (; r == BOB_OK && i < n; i++) {
		if (i == keep || l->start[i] != l->start[i - 1])
			put_times(&s->head, l, l->start[i], end, is_early);
		r = put_slice(s, s->path[i]);
	}
	return r;
}

/* How many frames two stacks share, from the root; and the first one that b
 * has beyond them, or 0. */
static uint32_t
shared_depth(const struct dict_node *node, bob_stack a, bob_stack b,
    uint32_t *ret_next)
{
	*ret_next = 0;
	while (a != b) {
		/* The deeper stack goes up; at equal depth both do. */
		if (node[a].depth >= node[b].depth) {
			a = node[a].parent;
		} else {
			*ret_next = node[b].frame;
			b = node[b].parent;
		}
	}
	return node[a].depth;
}

int
slices_sample(struct slices *s, struct slices_lane *l, bob_stack stack,
    int64_t at, uint64_t period)
{
	const struct dict_node *node = s->fns->own->node;
	uint64_t gap = (uint64_t)(at - l->last);
	uint32_t keep, next, depth = node[stack].depth;

	if (l->stack != 0 && gap > count_mul(SLICES_MAX_GAP, period) &&
	    slices_close(s, l, axis_later(l->last, period)) < 0)
		return BOB_FATAL;
	l->last = at;
	if (stack == l->stack)
		return BOB_OK;
	keep = shared_depth(node, l->stack, stack, &next);
	if (end_inner(s, l, keep, at, next) < 0 ||
	    MEM_GROW(s->ctx, l, start, depth) < 0)
		return BOB_FATAL;
	for (; keep < depth; keep++)
		l->start[keep] = at;
	l->stack = stack;
	return BOB_OK;
}

int
slices_close(struct slices *s, struct slices_lane *l, int64_t end)
{
	return l->stack == 0 ? BOB_OK : end_inner(s, l, 0, end, 0);
}
