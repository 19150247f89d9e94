/*
 * A line of folded stacks being put together, root first. What it shares with
 * the line before it stands already: stacks that come one after the other have
 * most of their callers in common.
 *
 *     r = line_begin(&l, out, dict, stack, &shared);
 *     for (i = shared; r == BOB_OK && i < l.depth; i++) {
 *             ... the frame of node l.node[i] into l.text ...
 *             line_mark(&l, i);
 *     }
 *     r = line_end(&l, weight);
 */
#ifndef FORMAT_FOLDED_LINE_H
#define FORMAT_FOLDED_LINE_H

#include "core/text.h"
#include "model/dict.h"

struct line {
	struct text text;
	bob_stack *node; /* by depth, from the root: of the current line */
	size_t *end;     /* by depth: bytes of the line up to there */
	size_t cap_node, cap_end;
	size_t depth;
	size_t n_kept;   /* frames of the line before that still stand */
};

void line_done(struct line *l);

/* What stands before the first frame is another: nothing is shared. */
static inline void
line_forget(struct line *l)
{
	l->n_kept = 0;
}

/* Begins with what is shared; *ret_shared frames are. BOB_OK or FATAL. */
int line_begin(struct line *l, struct out *out, const struct bob_dict *d,
    bob_stack s, size_t *ret_shared);

/* Frame i stands in the text. */
static inline void
line_mark(struct line *l, size_t i)
{
	l->end[i] = l->text.n;
}

/* Ends with a weight and goes to the output. BOB_OK or FATAL. */
int line_end(struct line *l, uint64_t weight);

#endif
