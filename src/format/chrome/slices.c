/* Slices out of samples; see the header. */
#include "format/chrome/slices.h"

#include <stdlib.h>

#include "core/json.h"
#include "core/mem.h"
#include "format/axis.h"

void
slices_done(struct slices *s)
{
	textmemo_done(&s->memo);
	free(s->path);
}

/* The file is the category: viewers show that, and do not take it for a part
 * of the name, as they do with arguments. */
static int
put_function(struct slices *s, uint32_t id)
{
	struct bob_bytes name = functions_name(s->fns, id);
	struct bob_bytes file = functions_file(s->fns, id);
	struct text *t = s->text;
	size_t n, start = t->n;
	const char *p = textmemo_get(&s->memo, id, &n);

	if (p != NULL) {
		text_bytes(t, p, n);
		return BOB_OK;
	}
	text_str(t, ",\"name\":");
	json_string(t, name.p, name.n);
	if (file.n > 0) {
		text_str(t, ",\"cat\":");
		json_string(t, file.p, file.n);
	}
	text_byte(t, '}');
	/* What was handed on early is not there any more. */
	if (t->r < 0 || t->n < start || t->is_spilled)
		return t->r;
	return textmemo_put(&s->memo, s->ctx, id, t->p + start, t->n - start);
}

static int
put_slice(struct slices *s, const struct slices_lane *l, uint32_t function,
    int64_t start, int64_t end)
{
	struct text *t = s->text;

	text_str(t, ",\n{\"ph\":\"X\",\"pid\":");
	text_u64(t, l->pid);
	text_str(t, ",\"tid\":");
	text_u64(t, l->tid);
	text_str(t, ",\"ts\":");
	text_i64(t, start);
	text_str(t, ",\"dur\":");
	text_i64(t, end - start);
	return put_function(s, function);
}

/* Ends what is open but the outermost `keep`. */
static int
end_inner(struct slices *s, struct slices_lane *l, uint32_t keep, int64_t end)
{
	const struct dict_node *node = s->fns->own->node;
	size_t n = node[l->stack].depth, i;
	int r = BOB_OK;

	if (MEM_GROW(s->ctx, s, path, n) < 0)
		return BOB_FATAL;
	for (i = n; i > keep; i--, l->stack = node[l->stack].parent)
		s->path[i - 1] = node[l->stack].frame;
	for (; r == BOB_OK && i < n; i++)
		r = put_slice(s, l, s->path[i], l->start[i], end);
	return r;
}

/* How many frames two stacks share, from the root. */
static uint32_t
shared_depth(const struct dict_node *node, bob_stack a, bob_stack b)
{
	while (a != b) {
		/* The deeper one goes up; equals both do, one by one. */
		if (node[a].depth >= node[b].depth)
			a = node[a].parent;
		else
			b = node[b].parent;
	}
	return node[a].depth;
}

int
slices_sample(struct slices *s, struct slices_lane *l, bob_stack stack,
    int64_t at, uint64_t period)
{
	const struct dict_node *node = s->fns->own->node;
	uint64_t gap = (uint64_t)(at - l->last);
	uint32_t keep, depth = node[stack].depth;

	if (l->stack != 0 && gap > count_mul(SLICES_MAX_GAP, period) &&
	    slices_close(s, l, axis_later(l->last, period)) < 0)
		return BOB_FATAL;
	l->last = at;
	if (stack == l->stack)
		return BOB_OK;
	keep = shared_depth(node, l->stack, stack);
	if (end_inner(s, l, keep, at) < 0 ||
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
	return l->stack == 0 ? BOB_OK : end_inner(s, l, 0, end);
}
