/* Where C has entered Python; see the header. */
#include "capture/python/pieces.h"

#include "core/mem.h"

const struct native_words py_words = { .loop = "_PyEval_EvalFrameDefault" };

int
py_pieces_of(struct bob_ctx *ctx, const struct py_walk *w,
    struct py_pieces *ret)
{
	size_t base = w->n_frame < w->max_depth ? w->n_frame : w->max_depth;
	size_t k;

	ret->n = 0;
	for (k = 0; k < w->n_memo && k < base; k++) {
		const struct py_walk_frame *f = &w->frame[base - 1 - k];

		if (k > 0 && !w->memo[k].is_entry) {
			ret->v[ret->n - 1].to = w->memo[k].stack;
			continue;
		}
		if (MEM_GROW(ctx, ret, v, ret->n + 1) < 0)
			return BOB_FATAL;
		ret->v[ret->n++] = (struct merge_piece){
			.from = k > 0 ? w->memo[k - 1].stack : 0,
			.to = w->memo[k].stack, .mark = f->mark };
	}
	return BOB_OK;
}
