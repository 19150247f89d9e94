/*
 * Finds the frames that C code has entered, and the loops that execute them;
 * see pieces.h.
 */
#include "capture/php/frames/pieces.h"

#include "core/mem.h"

const struct native_words php_words = { .loop = "execute_ex",
	.call = "zend_call_function",
	.lender = "execute_ex",
#if defined(__x86_64__)
	.reg = 14, /* r14 */
#elif defined(__aarch64__)
	.reg = 27, /* x27 */
#else
	.reg = UNWIND_NO_REG,
#endif
};

/* Returns enum merge_piece_flags of a piece that begins with this frame. The
 * code of a file is not run by zend_call_function. */
static uint32_t
piece_flags(const struct walk *w, const struct walk_frame *f,
    const struct walk_memo *m)
{
	uint32_t is_code = w->o->call_top >> 1;

	if (m->is_internal)
		return MERGE_NO_LOOP;
	return (f->info & (w->o->call_generator | is_code)) == 0
	    ? MERGE_BY_CALL : 0;
}

static int
begins_piece(const struct walk *w, const struct walk_frame *f,
    const struct walk_frame *caller)
{
	if (caller == NULL)
		return 1;
	return (f->info & w->o->call_top) != 0 && !caller->is_waiting;
}

static int
has_loop_from(const struct native *n, size_t k)
{
	for (; k < n->n_frame; k++)
		if (n->native[k].kind == MERGE_LOOP)
			return 1;
	return 0;
}

/*
 * Replaces the PHP frame in `mark` of each piece by an address in the C frame
 * of the loop that executes it. Returns 1; 0 if the registers do not show it:
 * then loops are told apart by name and order.
 */
static int
find_marks(const struct native *n, struct merge_pieces *ret)
{
	size_t i, k = 0, n_found = 0;

	for (i = ret->n; i > 0; i--) {
		struct merge_piece *p = &ret->v[i - 1];

		p->mark = p->flags & MERGE_NO_LOOP ? 0
		    : native_find_loop(n, p->mark, &k);
		if (p->mark != 0)
			n_found++;
		else if (i == ret->n && (p->flags & MERGE_BY_CALL) != 0)
			p->flags = MERGE_NO_LOOP;
		else if (!(p->flags & MERGE_NO_LOOP))
			break;
	}
	if (n_found == 0 || (i > 0 && has_loop_from(n, k)))
		return 0;
	for (; i > 0; i--) {
		ret->v[i - 1].flags |= MERGE_APART;
		ret->v[i - 1].mark = 0;
	}
	return 1;
}

static void
set_marks(const struct native *n, struct merge_pieces *ret)
{
	uint32_t flags = ret->n > 0 ? ret->v[ret->n - 1].flags : 0;
	size_t i;

	if (ret->n == 0 || find_marks(n, ret))
		return;
	for (i = 0; i < ret->n; i++)
		ret->v[i].mark = 0;
	ret->v[ret->n - 1].flags = flags;
}

int
php_cut_pieces(const struct native *n, const void *walk,
    struct merge_pieces *ret)
{
	const struct walk *w = walk;
	const struct walk_frame *f, *caller = NULL;
	size_t i = w->n_frame, k = 0;

	/* Frames without a name, and inner frames that had returned, have no
	 * memo. */
	while (i-- > 0 && k < w->depth) {
		f = &w->frame[i];
		if (f->ex != w->memo[k].ex)
			continue;
		if (!begins_piece(w, f, caller)) {
			ret->v[ret->n - 1].to = w->memo[k].stack;
		} else {
			if (MEM_GROW(w->ctx, ret, v, ret->n + 1) < 0)
				return BOB_FATAL;
			ret->v[ret->n++] = (struct merge_piece){
				.from = k > 0 ? w->memo[k - 1].stack : 0,
				.to = w->memo[k].stack,
				.flags = piece_flags(w, f, &w->memo[k]) };
		}
		if (!w->memo[k].is_internal)
			ret->v[ret->n - 1].mark = f->ex;
		caller = f;
		k++;
	}
	/* The last memo may be that of a call that is being prepared. */
	if (ret->n > 0 && k < w->depth)
		ret->v[ret->n - 1].to = w->stack;
	set_marks(n, ret);
	return BOB_OK;
}
