/*
 * The walk through the frames of a copy, and their names; see walk.h.
 *
 * walk_prove() tries, in this order: the frame that was current before the
 * copy; the same with spans elsewhere read again; the same with repairs; its
 * preparer, if it is a frame that is being prepared; and all of it again with
 * the frame that was current after the copy.
 */
#include "capture/php/frames/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "capture/php/frames/repair.h"
#include "core/mem.h"

/* How many bytes below a frame that is being prepared its caller is searched,
 * in steps of the alignment of frames. */
#define SCAN 4096
#define SLOT 16

/* Limit of nested `yield from`. */
#define MAX_DELEGATES 64

/* Upper bound of sizeof(zend_generator). */
#define MAX_GENERATOR 512

/* Beside WALK_OK and WALK_FATAL: the frame has returned, its caller is the
 * top. */
#define STOP (-3)

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
	repair_free(w);
}

void
walk_forget(struct walk *w)
{
	w->n_memo = 0;
	repair_forget(w);
}

/*
 * True if this may be the outermost frame: it was entered from C, is no
 * generator, and is the first frame of its page. The last is asked because a
 * frame that is being prepared has no caller yet either.
 */
static int
is_root(const struct walk *w, const struct walk_frame *f)
{
	if ((f->info & w->o->call_top) == 0 ||
	    (f->info & w->o->call_generator) != 0)
		return 0;
	return !copy_in_page(w->copy, f->ex) ||
	    f->ex - w->copy->base == w->o->first_frame;
}

static int
add_raw(struct walk *w, uint64_t ex, const uint8_t *p)
{
	struct walk_frame *f;

	if (MEM_GROW(w->ctx, w, frame, w->n_frame + 1) < 0)
		return WALK_FATAL;
	f = &w->frame[w->n_frame++];
	f->ex = ex;
	f->func = mem_u64(p, EX_FUNC);
	f->opline = mem_u64(p, EX_OPLINE);
	f->info = mem_u32(p, EX_TYPE_INFO);
	f->n_args = mem_u32(p, EX_N_ARGS);
	f->is_waiting = 0;
	return WALK_OK;
}

/*
 * A frame without a function that has an object stands for generators which
 * wait in `yield from`. The object is the outermost of them; each refers to the
 * one that it waits for; the last is the one that runs. Adds those that wait.
 */
static int
add_delegates(struct walk *w, uint64_t at, const uint8_t *holder)
{
	uint64_t ex[MAX_DELEGATES], gen = mem_u64(holder, EX_THIS), parent;
	const uint8_t *p;
	size_t n = 0;
	int r = WALK_OK;

	/* Such a frame is part of the generator object. Other frames without a
	 * function are not (7.0 makes one for every call from C), and may have
	 * any object. */
	if (at <= gen || at - gen > MAX_GENERATOR)
		return WALK_OK;
	for (; n < MAX_DELEGATES; gen = parent) {
		if (mem_read_u64(w->copy->mem, gen + w->o->gen_node,
		        &parent) < 0 ||
		    mem_read_u64(w->copy->mem, gen + w->o->gen_execute_data,
		        &ex[n]) < 0)
			return BOB_LOST_READ;
		if (parent == 0)
			break;
		n++;
	}
	while (n-- > 0 && r == WALK_OK) {
		p = copy_frame(w->copy, ex[n]);
		r = p != NULL ? add_raw(w, ex[n], p) : BOB_LOST_READ;
		if (r == WALK_OK)
			w->frame[w->n_frame - 1].is_waiting = 1;
	}
	return r;
}

/* Copies all frames from `ex` to the outermost into w->frame. WALK_OK,
 * WALK_FATAL or a reason. */
static int
collect_frames(struct walk *w, uint64_t ex)
{
	uint64_t last = UINT64_MAX; /* lowest frame of the page so far */
	uint64_t prev;
	size_t steps = 0;
	int r;

	w->n_frame = 0;
	w->is_cut = 0;
	while (ex != 0) {
		const uint8_t *p;

		/* Outer frames are left out. It is no cycle if frames were in
		 * the page: their addresses only fall. */
		if (steps++ >= BOB_MAX_CAPTURE_DEPTH) {
			w->is_cut = last != UINT64_MAX;
			return w->is_cut ? WALK_OK : BOB_LOST_DEPTH;
		}
		if (copy_in_page(w->copy, ex)) {
			if (ex >= last || ex % 8 != 0 ||
			    ex - w->copy->base < VM_STACK_HEADER)
				return BOB_LOST_MOVED;
			last = ex;
		}
		p = copy_frame(w->copy, ex);
		if (p == NULL)
			return BOB_LOST_READ;
		prev = mem_u64(p, w->o->ex_prev);
		if (prev == ex)
			return BOB_LOST_DEPTH;
		r = mem_u64(p, EX_FUNC) != 0 ? add_raw(w, ex, p)
		                             : add_delegates(w, ex, p);
		if (r != WALK_OK)
			return r;
		ex = prev;
	}
	if (w->n_frame == 0 || !is_root(w, &w->frame[w->n_frame - 1]))
		return BOB_LOST_ROOT;
	return WALK_OK;
}

/* From enum names_result to a result of the walk. */
static int
lost_by_name(int names_result)
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

/* True for opcodes that resume a generator. YIELD_FROM has had two numbers; in
 * each version the other number is an opcode that calls nothing. */
static int
is_resume(uint8_t opcode)
{
	switch (opcode) {
	case OP_FE_RESET_R:
	case OP_FE_FETCH_R:
	case OP_FE_RESET_RW:
	case OP_FE_FETCH_RW:
	case OP_ADD_ARRAY_UNPACK:
	case OP_SEND_UNPACK:
	case OP_YIELD_FROM_70:
	case OP_YIELD_FROM_74:
		return 1;
	}
	return 0;
}

/* True if a caller at this opcode can have entered the frame. A frame that was
 * entered from C (a callback, a magic method, a destructor, a handler of errors
 * or signals) can be entered from any opcode. */
static int
can_enter(const struct walk *w, const struct php_place *caller,
    const struct walk_frame *callee)
{
	/* A generator in `yield from` is already behind that opcode. It is the
	 * next frame of the chain. */
	if ((callee->info & w->o->call_generator) != 0)
		return caller->is_internal || is_resume(caller->opcode) ||
		    (callee[1].info & w->o->call_generator) != 0;
	if ((callee->info & w->o->call_top) != 0)
		return 1;
	return php_is_call(caller->opcode) ||
	    caller->opcode == OP_INCLUDE_OR_EVAL;
}

/* For a top whose function is a copy (place.is_unsure): true if frame and
 * function are still the current ones, so that the name that was read is that
 * of the frame. */
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

/* Returns the memo of a frame that is the same as in the last sample; NULL if
 * it is not. */
static const struct walk_memo *
recall_frame(const struct walk *w, size_t depth, const struct walk_frame *f)
{
	const struct walk_memo *m;

	if (depth >= w->n_memo)
		return NULL;
	m = &w->memo[depth];
	return m->ex == f->ex && m->func == f->func && m->opline == f->opline
	    ? m : NULL;
}

static int
push_frame(struct walk *w, size_t depth, const struct walk_frame *f,
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

/* --- naming -------------------------------------------------------------- */

/* Sets w->place for the top. PHP stores its opline in the frame only before
 * something that can fail; otherwise the opline is in a register. */
static int
find_top(struct walk *w, const struct walk_frame *f)
{
	int r;

	if (w->run_opline != 0 && w->run_frame == f->ex) {
		r = names_top(w->names, f->func, w->run_opline, &w->place);
		/* No opline in the function: C code has used the register for
		 * something else. */
		if (r != NAMES_OK || w->place.opcode != 0)
			return lost_by_name(r);
	}
	return lost_by_name(names_top(w->names, f->func, f->opline, &w->place));
}

/* Sets w->place for frame i, from the last sample if it is the same. */
static int
find_place(struct walk *w, size_t i, int *is_new)
{
	const struct walk_frame *f = &w->frame[i];
	const struct walk_memo *m = *is_new || i == 0
	    ? NULL : recall_frame(w, w->depth, f);
	int r;

	if (m != NULL && names_is_fresh(w->names, m->function)) {
		w->place = (struct php_place){ .function = m->function,
			.opcode = m->opcode, .is_internal = m->is_internal };
		return WALK_OK;
	}
	*is_new = 1;
	if (i == 0)
		return find_top(w, f);
	r = names_caller(w->names, f->func, f->opline, &w->place);
	if (r != NAMES_OUTSIDE || !w->may_repair)
		return lost_by_name(r);
	/* Its opline was not set yet: it has called nothing. */
	w->is_repaired = 1;
	r = names_top(w->names, f->func, 0, &w->place);
	w->place.opcode = 0;
	return lost_by_name(r);
}

/* Names frame i, whose callers have names. Returns WALK_OK; STOP if it has
 * returned, so that its caller is the top; WALK_FATAL; or the reason why it
 * cannot be proven. */
static int
add_frame(struct walk *w, size_t i, int *is_new)
{
	struct php_place caller = w->place;
	int is_linked, is_put = 0;
	int r = find_place(w, i, is_new);

	if (r != WALK_OK)
		return r;
	/* PHP's own function without a name: it begins a fiber, or stands for a
	 * constructor that is not there. */
	if (w->place.is_nameless)
		return WALK_OK;
	is_linked = w->depth == 0 || (can_enter(w, &caller, &w->frame[i]) &&
	    !repair_doubts(w, &caller, &w->frame[i]));
	if (w->depth > 0 && i == 0)
		is_put = repair_top(w, is_linked);
	if (is_put == WALK_FATAL)
		return WALK_FATAL;
	if (is_put) {
		*is_new = 1;
	} else if (!is_linked) {
		if (!w->may_repair)
			return BOB_LOST_MOVED;
		*is_new = 1;
		r = repair_call(w, &w->place);
		if (r <= 0) {
			w->place = caller;
			return r == 0 ? STOP : r;
		}
		/* From the memo it has no bob_fid. Its stack is another now, so
		 * it is named again. */
		r = w->place.frame != 0 ? WALK_OK
		    : lost_by_name(names_caller(w->names, w->frame[i].func,
		          w->frame[i].opline, &w->place));
		if (r != WALK_OK)
			return r;
	} else if (*is_new && w->depth > 0 && caller.frame != 0 &&
	    repair_note(w, &caller, &w->place) != WALK_OK) {
		return WALK_FATAL;
	}
	if (*is_new &&
	    push_frame(w, w->depth, &w->frame[i], &w->place) != WALK_OK)
		return WALK_FATAL;
	w->top = i;
	w->depth++;
	return WALK_OK;
}

/*
 * Names the frames from the outermost to the first that calls nothing, which
 * is the top: w->top. Frames that are the same as in the last sample keep their
 * bob_stack.
 */
static int
name_frames(struct walk *w)
{
	size_t i = w->n_frame;
	int is_new = w->n_frame > w->max_depth;
	int r = WALK_OK;

	if (is_new)
		i = w->max_depth;
	if (w->generation != w->names->generation)
		repair_forget(w);
	if (is_new || w->generation != w->names->generation)
		w->n_memo = 0;
	w->generation = w->names->generation;
	w->is_cut |= is_new;
	w->is_repaired = 0;
	w->depth = 0;
	while (i-- > 0 && r == WALK_OK)
		r = add_frame(w, i, &is_new);
	w->known = 0;
	if (r == STOP) {
		w->is_repaired = 1;
		w->known = w->end != 0 ? repair_seen(w) : 0;
		r = WALK_OK;
	}
	if (r == WALK_OK && w->depth == 0)
		r = BOB_LOST_NAME;
	/* As a caller, the top of this stack will have another place. */
	w->n_memo = r == WALK_OK ? w->depth - 1 : 0;
	if (r == WALK_OK && w->top == 0 && w->place.is_unsure &&
	    !is_still_there(w, &w->frame[0]))
		return BOB_LOST_MOVED;
	return r;
}

static int
is_unproven(int r)
{
	return r != WALK_OK && r != WALK_FATAL;
}

/* Rules 1 (unless the stack is cut) and 2 of walk.h, and that the named frames
 * are one stack. Generators that wait are anywhere in memory. */
static void
assert_rules(const struct walk *w)
{
	uint64_t above = UINT64_MAX;
	size_t i;

	assert(w->is_cut || is_root(w, &w->frame[w->n_frame - 1]));
	for (i = 0; i < w->n_frame; i++) {
		const struct walk_frame *f = &w->frame[i];

		if (f->is_waiting || !copy_in_page(w->copy, f->ex))
			continue;
		assert(f->ex < above);
		above = f->ex;
	}
	assert(w->depth > 0 && w->depth <= w->max_depth);
	for (i = 0; i < w->depth; i++)
		assert(bob_stack_get(w->dict, w->memo[i].stack).parent ==
		    (i > 0 ? w->memo[i - 1].stack : 0));
	(void)above;
}

static int
try_from(struct walk *w, uint64_t ex)
{
	int r = collect_frames(w, ex);

	if (r == WALK_OK)
		r = name_frames(w);
	if (r != WALK_OK)
		return r;
	assert_rules(w);
	w->stack = w->known != 0 ? w->known : w->memo[w->depth - 1].stack;
	return repair_note_stack(w);
}

/*
 * A frame that is being prepared for a call has no caller yet, but its future
 * caller points to it with EX_CALL, and is the one that runs. Returns the
 * address of that caller; 0 if there is none.
 */
static uint64_t
find_preparer(const struct walk *w, uint64_t ex)
{
	const struct copy *c = w->copy;
	size_t at, stop;

	/* Then the fields of all frames below are inside the copy. */
	if (!copy_in_page(c, ex) || ex % 8 != 0 ||
	    c->len - (ex - c->base) < EX_SIZE)
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

/* Adds the frame that the top prepares, if its function is known to be called
 * by the top. It has taken the place of a frame that was current a moment ago.
 * Returns WALK_OK or WALK_FATAL. */
static int
add_prepared(struct walk *w, uint64_t ex)
{
	struct php_place place;
	const uint8_t *p = copy_frame(w->copy, ex);
	struct walk_frame f = { .ex = ex };
	int r;

	if (p == NULL || w->depth >= w->max_depth)
		return WALK_OK;
	f.func = mem_u64(p, EX_FUNC);
	r = f.func != 0 ? names_top(w->names, f.func, 0, &place)
	                : NAMES_STRANGE;
	if (r == NAMES_FATAL)
		return WALK_FATAL;
	if (r != NAMES_OK || place.is_unsure)
		return WALK_OK;
	r = repair_call(w, &place);
	if (r != 1)
		return r == 0 ? WALK_OK : r;
	w->n_memo = w->depth - 1;
	if (push_frame(w, w->depth, &f, &place) != WALK_OK)
		return WALK_FATAL;
	w->stack = w->memo[w->depth++].stack;
	return WALK_OK;
}

/* Tries all ways with the frame that was current before the copy (0) or after
 * it (1). */
static int
try_around(struct walk *w, int after)
{
	uint64_t ex = copy_current(w->copy, after), p;
	int r;

	if (ex == 0)
		return BOB_LOST_ROOT;
	w->end = w->is_stopped ? 0 : copy_top(w->copy, after);
	w->may_repair = 0;
	r = try_from(w, ex);
	if (is_unproven(r) && copy_again(w->copy))
		r = try_from(w, ex);
	if (!is_unproven(r))
		return r;
	w->may_repair = 1;
	r = try_from(w, ex);
	p = is_unproven(r) ? find_preparer(w, ex) : 0;
	if (p == 0)
		return r;
	w->end = 0;
	r = try_from(w, p);
	if (r == WALK_OK && w->top == 0)
		r = add_prepared(w, ex);
	w->is_repaired = 1;
	return r;
}

static int
prove(struct walk *w)
{
	bob_stack seen;
	int r;

	w->is_calm = copy_current(w->copy, 0) == copy_current(w->copy, 1) &&
	    copy_top(w->copy, 0) == copy_top(w->copy, 1);
	r = try_around(w, 0);
	if (!is_unproven(r) || w->is_calm)
		return r;
	r = try_around(w, 1);
	seen = r == WALK_OK ? repair_seen(w) : 0;
	if (seen != 0) {
		w->stack = seen;
		w->is_repaired = 1;
	}
	return r;
}

int
walk_prove(struct walk *w)
{
	int r = prove(w);

	w->is_inferred = r == WALK_OK && !w->is_stopped &&
	    (w->is_repaired || !w->is_calm);
	return r;
}
