/* Where C has entered PHP; see the header. */
#include "capture/php/pieces.h"

#include "core/mem.h"

const struct native_words php_words = { .loop = "execute_ex",
	.call = "zend_call_function" };

/* How a piece that begins with this frame was entered. The code of files is
 * run by another function than the one that calls functions. */
static uint32_t
flags_of(const struct walk *w, const struct walk_frame *f,
    const struct walk_memo *m)
{
	uint32_t is_code = w->o->call_top >> 1;

	if (m->is_internal)
		return MERGE_NO_LOOP;
	return (f->info & (w->o->call_generator | is_code)) == 0
	    ? MERGE_BY_CALL : 0;
}

static int
begins(const struct walk *w, const struct walk_frame *f,
    const struct walk_frame *caller)
{
	if (caller == NULL)
		return 1;
	return (f->info & w->o->call_top) != 0 && !caller->is_waiting;
}

int
php_pieces_of(struct bob_ctx *ctx, const struct walk *w,
    struct php_pieces *ret)
{
	const struct walk_frame *f, *caller = NULL;
	size_t i = w->n_frame, k = 0;

	ret->n = 0;
	/* Frames without a name are in no memo, and those on top that had
	 * returned neither. */
	while (i-- > 0 && k < w->depth) {
		f = &w->frame[i];
		if (f->ex != w->memo[k].ex)
			continue;
		if (!begins(w, f, caller)) {
			ret->v[ret->n - 1].to = w->memo[k].stack;
		} else {
			if (MEM_GROW(ctx, ret, v, ret->n + 1) < 0)
				return BOB_FATAL;
			ret->v[ret->n++] = (struct merge_piece){
				.from = k > 0 ? w->memo[k - 1].stack : 0,
				.to = w->memo[k].stack,
				.flags = flags_of(w, f, &w->memo[k]) };
		}
		caller = f;
		k++;
	}
	/* A call that is being prepared has no frame yet. */
	if (ret->n > 0 && k < w->depth)
		ret->v[ret->n - 1].to = w->stack;
	return BOB_OK;
}
