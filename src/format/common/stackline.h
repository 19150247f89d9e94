/*
 * A line of text for a stack: frames from the root on, then a weight. Stacks
 * that follow each other have most of their callers in common, so a line keeps
 * the text that it shares with the line before it.
 *
 *     r = stack_line_begin(&l, out, dict, stack, &shared);
 *     for (i = shared; r == BOB_OK && i < l.depth; i++) {
 *             ... the frame of node l.node[i] into l.text ...
 *             stack_line_mark(&l, i);
 *     }
 *     r = stack_line_end(&l, weight);
 */
#ifndef FORMAT_COMMON_STACKLINE_H
#define FORMAT_COMMON_STACKLINE_H

#include <assert.h>

#include "core/text.h"
#include "model/dict.h"

/* Begins as { 0 }. */
struct stack_line {
	struct text text;
	bob_stack *node; /* by depth, from the root: of the current line */
	size_t *end;     /* by depth: bytes of the line up to there */
	size_t cap_node, cap_end;
	size_t depth;
	size_t n_kept;   /* frames of the line before that still stand */
};

void stack_line_done(struct stack_line *l);

/* The next line shares nothing, because what stands before its first frame
 * differs. */
static inline void
stack_line_forget(struct stack_line *l)
{
	l->n_kept = 0;
}

/* Begins a line with the frames that are shared; *ret_shared is their number.
 * BOB_OK or FATAL. */
int stack_line_begin(struct stack_line *l, struct out *out,
    const struct bob_dict *d, bob_stack s, size_t *ret_shared);

/* Frame i stands in the text. */
static inline void
stack_line_mark(struct stack_line *l, size_t i)
{
	assert(i < l->depth);
	l->end[i] = l->text.n;
}

/* Ends the line with a weight and hands it to the output. BOB_OK or FATAL. */
int stack_line_end(struct stack_line *l, uint64_t weight);

#endif
