/* Finds where C entered Python, and the marks of it on C's stack. */
#include "capture/python/frames/native_pieces.h"

#include <assert.h>

#include "core/mem.h"

const struct native_words py_words = { .loop = "_PyEval_EvalFrameDefault",
	.reg = UNWIND_NO_REG };

/* _PyCFrame of 3.11: the top frame is at o->cf_frame; the next word is the
 * _PyCFrame of the loop outside. */
#define LINKED 11
#define LINK_NEXT 8

/*
 * 3.11: sets the mark of each piece, from the innermost on, to its _PyCFrame.
 * That must point to the frame that the piece ends with; the tag of a piece is
 * the index of that frame in the memo.
 */
static void
mark_links(const struct py_walk *w, const struct native *n,
    struct merge_pieces *ret)
{
	uint64_t at = py_copy_thread_u64(w->copy, 0, w->o->ts_frame), top;
	size_t i;

	for (i = ret->n; i > 0; i--) {
		struct merge_piece *p = &ret->v[i - 1];

		assert(p->tag < w->n_memo);
		if (native_word(n, at + w->o->cf_frame, &top) < 0 ||
		    top != w->memo[p->tag].at)
			break;
		p->mark = at;
		if (native_word(n, at + w->o->cf_frame + LINK_NEXT, &at) < 0)
			at = 0;
	}
	/* All or none: without marks, pieces are matched by the name of the
	 * loop and their number. */
	if (i > 0)
		for (i = 0; i < ret->n; i++)
			ret->v[i].mark = 0;
}

int
py_cut_pieces(const struct native *n, const void *walk,
    struct merge_pieces *ret)
{
	const struct py_walk *w = walk;
	size_t base = w->n_frame < w->max_depth ? w->n_frame : w->max_depth;
	size_t k;

	for (k = 0; k < w->n_memo && k < base; k++) {
		const struct py_walk_frame *f = &w->frame[base - 1 - k];

		if (k > 0 && !w->memo[k].is_entry) {
			ret->v[ret->n - 1].to = w->memo[k].stack;
			ret->v[ret->n - 1].tag = (uint32_t)k;
			continue;
		}
		if (MEM_GROW(w->ctx, ret, v, ret->n + 1) < 0)
			return BOB_FATAL;
		ret->v[ret->n++] = (struct merge_piece){
			.from = k > 0 ? w->memo[k - 1].stack : 0,
			.to = w->memo[k].stack, .tag = (uint32_t)k,
			.mark = f->mark };
	}
	if (w->o->minor == LINKED)
		mark_links(w, n, ret);
	return BOB_OK;
}
