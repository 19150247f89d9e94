/* The proof; see walk.h. */
#include "capture/php/walk.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* How far below a frame that is being prepared its caller is looked for. */
#define SCAN 4096
#define SLOT 16

void
walk_init(struct walk *w, struct bob_ctx *ctx, struct bob_dict *dict,
    struct copy *copy, struct names *names, uint32_t max_depth)
{
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->dict = dict;
	w->copy = copy;
	w->names = names;
	w->o = names->o;
	w->max_depth = max_depth;
}

void
walk_done(struct walk *w)
{
	free(w->frame);
	free(w->memo);
}

void
walk_forget(struct walk *w)
{
	w->n_memo = 0;
}

/*
 * Whether a chain may end here: with something that was entered from C, not
 * resumed, and that is the first on its page. A frame that is being prepared
 * has no caller yet either.
 */
static int
is_root(const struct walk *w, const struct walk_frame *f)
{
	if ((f->info & w->o->call_top) == 0 ||
	    (f->info & w->o->call_generator) != 0)
		return 0;
	return !copy_in_page(w->copy, f->ex) ||
	    f->ex - w->copy->base == VM_STACK_HEADER;
}

/* All frames from `ex` outwards, without names. */
static int
collect(struct walk *w, uint64_t ex)
{
	uint64_t last = UINT64_MAX; /* lowest frame of the page so far */
	size_t steps = 0;

	w->n_frame = 0;
	while (ex != 0) {
		const uint8_t *p;
		struct walk_frame *f;

		if (steps++ >= BOB_MAX_LIVE_DEPTH)
			return BOB_LOST_DEPTH;
		if (copy_in_page(w->copy, ex)) {
			if (ex >= last || ex % 8 != 0 ||
			    ex - w->copy->base < VM_STACK_HEADER)
				return BOB_LOST_MOVED;
			last = ex;
		}
		p = copy_frame(w->copy, ex);
		if (p == NULL)
			return BOB_LOST_READ;
		if (MEM_GROW(w->ctx, w, frame, w->n_frame + 1) < 0)
			return WALK_FATAL;
		f = &w->frame[w->n_frame];
		f->ex = ex;
		f->func = mem_u64(p, EX_FUNC);
		f->opline = mem_u64(p, EX_OPLINE);
		f->info = mem_u32(p, EX_TYPE_INFO);
		ex = mem_u64(p, w->o->ex_prev);
		if (ex == f->ex)
			return BOB_LOST_DEPTH;
		/* Without a function it stands for generators that delegate,
		 * or was never filled. */
		if (f->func != 0)
			w->n_frame++;
	}
	if (w->n_frame == 0 || !is_root(w, &w->frame[w->n_frame - 1]))
		return BOB_LOST_ROOT;
	return WALK_OK;
}

static int
reason(int names_result)
{
	switch (names_result) {
	case NAMES_OK:
		return WALK_OK;
	case NAMES_FATAL:
		return WALK_FATAL;
	case NAMES_OUTSIDE:
		return BOB_LOST_MOVED;
	default:
		return BOB_LOST_NAME;
	}
}

static int
is_call(uint8_t opcode)
{
	return opcode == OP_DO_FCALL || opcode == OP_DO_ICALL ||
	    opcode == OP_DO_UCALL || opcode == OP_DO_FCALL_BY_NAME;
}

/* Whether a caller that stands where it does can have entered a frame. What
 * is entered from C (callbacks, magic methods, destructors, handlers of
 * errors and signals) can be so from any opcode. */
static int
can_enter(const struct walk *w, const struct php_place *caller,
    const struct walk_frame *callee)
{
	if ((callee->info & w->o->call_generator) != 0)
		return !is_call(caller->opcode);
	if ((callee->info & w->o->call_top) != 0)
		return 1;
	return is_call(caller->opcode) ||
	    caller->opcode == OP_INCLUDE_OR_EVAL;
}

/* The frame on top, when it is one whose function cannot be recognised by its
 * address: is it still there? Then what was read belongs to it. */
static int
is_still_there(struct walk *w, const struct walk_frame *f)
{
	struct copy *c = w->copy;
	uint64_t current, func;
	struct mem_span v[2] = {
		{ f->ex + EX_FUNC, &func, sizeof(func) },
		{ c->eg + w->o->eg_current, &current, sizeof(current) },
	};

	return mem_gather(c->mem, v, 2) == 16 && func == f->func &&
	    current == f->ex;
}

/* The memo of a caller when it is the same as in the sample before, and its
 * function needs no other look. */
static const struct walk_memo *
recall(const struct walk *w, size_t depth, const struct walk_frame *f)
{
	const struct walk_memo *m;

	if (depth >= w->n_memo)
		return NULL;
	m = &w->memo[depth];
	return m->ex == f->ex && m->func == f->func && m->opline == f->opline
	    ? m : NULL;
}

static int
push(struct walk *w, size_t depth, const struct walk_frame *f,
    const struct php_place *p)
{
	bob_stack parent = depth == 0 ? 0 : w->memo[depth - 1].stack;
	bob_stack stack = bob_stack_push(w->dict, parent, p->frame);

	if (stack == BOB_NO_ID || MEM_GROW(w->ctx, w, memo, depth + 1) < 0)
		return WALK_FATAL;
	w->memo[depth] = (struct walk_memo){ f->ex, f->func, f->opline,
		p->function, p->opcode, p->is_internal, stack };
	return WALK_OK;
}

/*
 * Names the frames from the outermost to the first that calls nothing, which
 * is the top. Those that are like in the sample before keep their stack.
 */
static int
name_frames(struct walk *w)
{
	size_t depth = 0, i = w->n_frame;
	int is_new = w->n_frame > w->max_depth;
	struct php_place place;
	int r;

	if (is_new)
		i = w->max_depth;
	if (is_new || w->generation != w->names->generation)
		w->n_memo = 0;
	w->generation = w->names->generation;
	w->is_cut = is_new;
	w->is_repaired = 0;
	while (i-- > 0) {
		const struct walk_frame *f = &w->frame[i];
		const struct walk_memo *m = is_new || i == 0
		    ? NULL : recall(w, depth, f);

		if (m != NULL && names_is_fresh(w->names, m->function)) {
			place = (struct php_place){ .function = m->function,
				.opcode = m->opcode,
				.is_internal = m->is_internal };
		} else {
			is_new = 1;
			r = reason(i == 0
			        ? names_top(w->names, f->func, f->opline,
			              &place)
			        : names_caller(w->names, f->func, f->opline,
			              &place));
			if (r == WALK_OK)
				r = push(w, depth, f, &place);
			if (r != WALK_OK) {
				w->n_memo = 0;
				return r;
			}
		}
		w->stack = w->memo[depth].stack;
		depth++;
		if (i > 0 && !can_enter(w, &place, &w->frame[i - 1])) {
			w->is_repaired = 1;
			break;
		}
	}
	/* The top is another thing when it has called something. */
	w->n_memo = depth - 1;
	if (!w->is_repaired && place.is_unsure &&
	    !is_still_there(w, &w->frame[0]))
		return BOB_LOST_MOVED;
	return WALK_OK;
}

static int
try_from(struct walk *w, uint64_t ex)
{
	int r = collect(w, ex);

	return r == WALK_OK ? name_frames(w) : r;
}

/*
 * A frame that is being prepared for a call has no caller yet, but its caller
 * points at it. It is the one that runs.
 */
static uint64_t
find_preparer(const struct walk *w, uint64_t ex)
{
	const struct copy *c = w->copy;
	size_t at, stop;

	if (!copy_in_page(c, ex) || ex % 8 != 0)
		return 0;
	at = (size_t)(ex - c->base);
	stop = at > SCAN ? at - SCAN : 0;
	if (stop < VM_STACK_HEADER)
		stop = VM_STACK_HEADER;
	while (at >= stop + SLOT) {
		at -= SLOT;
		if (mem_u64(c->page, at + EX_CALL) == ex &&
		    mem_u64(c->page, at + EX_FUNC) != 0)
			return c->base + at;
	}
	return 0;
}

/* From a frame that was current, or from the one that prepares it. */
static int
try_around(struct walk *w, uint64_t ex)
{
	uint64_t p;
	int r = ex != 0 ? try_from(w, ex) : BOB_LOST_ROOT;

	if (r == WALK_OK || r == WALK_FATAL)
		return r;
	p = find_preparer(w, ex);
	if (p == 0 || try_from(w, p) != WALK_OK)
		return r;
	w->is_repaired = 1;
	return WALK_OK;
}

/*
 * Which of the two to begin with. A call that was made after the first look is
 * in the page only if it was made before the page was copied: then it is true.
 * Of calls that returned before the second look, about half had returned when
 * the page was copied, but not all of those can be told by the page: two in
 * three are taken as running.
 */
static int
begins_after(struct walk *w)
{
	uint64_t before = copy_current(w->copy, 0);
	uint64_t after = copy_current(w->copy, 1);

	if (before == 0 || (copy_in_page(w->copy, before) &&
	        copy_in_page(w->copy, after) && after > before))
		return 1;
	return w->turn++ % 3 == 0;
}

static int
try_both(struct walk *w)
{
	int after = begins_after(w);
	uint64_t a = copy_current(w->copy, after);
	uint64_t b = copy_current(w->copy, !after);
	int r = try_around(w, a);

	return r == WALK_OK || r == WALK_FATAL || a == b
	    ? r : try_around(w, b);
}

int
walk_prove(struct walk *w)
{
	int r = try_both(w);

	if (r == WALK_OK || r == WALK_FATAL || !copy_again(w->copy))
		return r;
	return try_both(w);
}
