/* Lines of text for stacks; see the header. */
#include "format/common/stackline.h"

#include <stdlib.h>

void
stack_line_done(struct stack_line *l)
{
	text_done(&l->text);
	free(l->node);
	free(l->end);
}

int
stack_line_begin(struct stack_line *l, struct out *out,
    const struct bob_dict *d, bob_stack s, size_t *ret_shared)
{
	size_t i;

	l->depth = d->node[s].depth;
	if (MEM_GROW(out->ctx, l, node, l->depth) < 0 ||
	    MEM_GROW(out->ctx, l, end, l->depth) < 0)
		return BOB_FATAL;
	for (i = l->depth; i > 0; i--) {
		/* Where they meet, all callers are the same. */
		if (i <= l->n_kept && l->node[i - 1] == s)
			break;
		l->node[i - 1] = s;
		s = d->node[s].parent;
	}
	text_begin(&l->text, out);
	/* The bytes of the line before are still there. */
	l->text.n = i > 0 ? l->end[i - 1] : 0;
	*ret_shared = i;
	return BOB_OK;
}

int
stack_line_end(struct stack_line *l, uint64_t weight)
{
	text_byte(&l->text, ' ');
	text_u64(&l->text, weight);
	text_byte(&l->text, '\n');
	l->n_kept = l->text.is_spilled ? 0 : l->depth;
	return text_commit(&l->text);
}
