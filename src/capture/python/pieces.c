/* Where C has entered Python; see the header. */
#include "capture/python/pieces.h"

#include "core/mem.h"

const struct native_words py_words = { .loop = "_PyEval_EvalFrameDefault",
	.reg = UNWIND_NO_REG };

/* _PyCFrame of 3.11: what was on top is at o->cf_frame, and then comes the link
 * of the loop outside of it. */
#define LINKED 11
#define LINK_NEXT 8

/*
 * The links of all pieces, from the innermost on: each must name the frame
 * that the piece ends with, whose index in the memo is its tag.
 */
static void
mark_links(const struct py_walk *w, const struct native *n,
    struct py_pieces *ret)
{
	uint64_t at = py_copy_thread_u64(w->copy, 0, w->o->ts_frame), top;
	size_t i;

	for (i = ret->n; i > 0; i--) {
		struct merge_piece *p = &ret->v[i - 1];

		if (native_word(n, at + w->o->cf_frame, &top) < 0 ||
		    top != w->memo[p->tag].at)
			break;
		p->mark = at;
		if (native_word(n, at + w->o->cf_frame + LINK_NEXT, &at) < 0)
			at = 0;
	}
	/* All of them or none: else they are known by name and number. */
	if (i > 0)
		for (i = 0; i < ret->n; i++)
			ret->v[i].mark = 0;
}

int
py_pieces_of(struct bob_ctx *ctx, const struct py_walk *w,
    const struct native *n, struct py_pieces *ret)
{
	size_t base = w->n_frame < w->max_depth ? w->n_frame : w->max_depth;
	size_t k;

	ret->n = 0;
	for (k = 0; k < w->n_memo && k < base; k++) {
		const struct py_walk_frame *f = &w->frame[base - 1 - k];

		if (k > 0 && !w->memo[k].is_entry) {
			ret->v[ret->n - 1].to = w->memo[k].stack;
			ret->v[ret->n - 1].tag = (uint32_t)k;
			continue;
		}
		if (MEM_GROW(ctx, ret, v, ret->n + 1) < 0)
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
