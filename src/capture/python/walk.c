/* The proof; see walk.h. */
#include "capture/python/walk.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

void
py_walk_init(struct py_walk *w, struct bob_ctx *ctx, struct bob_dict *dict,
    struct py_copy *copy, struct py_codes *codes, uint32_t max_depth)
{
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->dict = dict;
	w->copy = copy;
	w->codes = codes;
	w->o = codes->o;
	w->max_depth = max_depth;
}

void
py_walk_done(struct py_walk *w)
{
	free(w->frame);
	free(w->memo);
}

void
py_walk_forget(struct py_walk *w, struct bob_dict *dict)
{
	w->dict = dict;
	w->n_memo = 0;
	w->gc_frame = w->native_frame = 0;
}

/* --- frames -------------------------------------------------------------- */

/* The first 64 bits of what f_lasti is, or an address. */
static uint64_t
read_instr(const struct py_walk *w, const uint8_t *p)
{
	return w->o->minor <= 10 ? mem_u32(p, w->o->fr_instr)
	                         : mem_u64(p, w->o->fr_instr);
}

static uint8_t
owner_of(const struct py_walk *w, const uint8_t *p)
{
	return w->o->fr_owner == PY_NONE ? PY_OWNER_THREAD
	                                 : mem_u8(p, w->o->fr_owner);
}

/* Frames of one chunk come from its end to its beginning, and chunks from the
 * newest to the oldest. */
struct order {
	int chunk;
	uint64_t last;
};

static int
is_in_order(struct order *o, int chunk, uint64_t at)
{
	if (chunk < 0)
		return 1;
	if (chunk < o->chunk || (chunk == o->chunk && at >= o->last) ||
	    at % 8 != 0)
		return 0;
	o->chunk = chunk;
	o->last = at;
	return 1;
}

/*
 * Whether a chain may end with this frame. Marks of C are no frames, but they
 * are where Python begins; a generator that was suspended has lost its caller.
 */
static int
is_root(const struct py_walk *w, uint8_t owner, const struct py_walk_frame *f)
{
	if (w->o->minor >= 12)
		return owner >= PY_OWNER_C;
	return owner == PY_OWNER_THREAD &&
	    (w->o->fr_is_entry == PY_NONE || f->is_entry);
}

static int
take_frame(struct py_walk *w, const uint8_t *p, uint64_t at, uint8_t owner)
{
	const struct py_offsets *o = w->o;
	struct py_walk_frame *f;

	if (owner >= PY_OWNER_C) {
		/* What is above was entered from C. */
		if (w->n_frame > 0) {
			w->frame[w->n_frame - 1].is_entry = 1;
			w->frame[w->n_frame - 1].mark = at;
		}
		return WALK_OK;
	}
	if (MEM_GROW(w->ctx, w, frame, w->n_frame + 1) < 0)
		return WALK_FATAL;
	f = &w->frame[w->n_frame++];
	f->at = at;
	f->code = mem_u64(p, o->fr_code) & o->code_mask;
	f->instr = read_instr(w, p);
	f->previous = mem_u64(p, o->fr_previous);
	f->copy = o->fr_copy != PY_NONE ? mem_u32(p, o->fr_copy) : 0;
	f->is_entry = o->fr_is_entry != PY_NONE
	    ? mem_u8(p, o->fr_is_entry) != 0 : o->minor <= 10;
	f->runs_gc = 0;
	f->mark = 0;
	f->chunk = -1;
	return WALK_OK;
}

/*
 * Up to 3.10 a frame is an object. One that nothing refers to was freed, and
 * all of a stack are running, except one on top that is about to begin or has
 * just returned: then its caller is on top.
 */
enum life { FREED, RESTING, RUNNING };

static enum life
life_of(const struct py_walk *w, const uint8_t *p)
{
	if (w->o->fr_state == PY_NONE)
		return RUNNING;
	if (mem_u64(p, 0) == 0)
		return FREED;
	return mem_u8(p, w->o->fr_state) == w->o->fr_runs ? RUNNING : RESTING;
}

/* All frames from `at` outwards, without names. */
static int
collect(struct py_walk *w, uint64_t at)
{
	uint64_t base = w->o->ts_base_frame != PY_NONE
	    ? mem_u64(w->copy->before, w->o->ts_base_frame) : 0;
	uint64_t gc = py_copy_interp_u64(w->copy, w->o->is_gc_frame);
	struct order order = { 0, UINT64_MAX };
	uint8_t owner = PY_OWNER_LAST + 1;
	size_t steps = 0;
	enum life life;
	int chunk, r;

	w->n_frame = 0;
	w->is_repaired = 0;
	while (at != 0 && at != base) {
		const uint8_t *p;
		uint64_t previous;

		if (steps++ >= 2 * BOB_MAX_LIVE_DEPTH ||
		    w->n_frame >= BOB_MAX_LIVE_DEPTH)
			return BOB_LOST_DEPTH;
		chunk = py_copy_chunk_of(w->copy, at);
		if (!is_in_order(&order, chunk, at))
			return BOB_LOST_MOVED;
		p = py_copy_frame(w->copy, at);
		if (p == NULL)
			return BOB_LOST_READ;
		owner = owner_of(w, p);
		life = life_of(w, p);
		if (owner > PY_OWNER_LAST || life == FREED ||
		    (life == RESTING && steps > 1))
			return BOB_LOST_MOVED;
		w->is_repaired |= life == RESTING;
		r = life == RUNNING ? take_frame(w, p, at, owner) : WALK_OK;
		if (r != WALK_OK)
			return r;
		if (w->n_frame > 0 && w->frame[w->n_frame - 1].at == at)
			w->frame[w->n_frame - 1].chunk = (int16_t)chunk;
		if (at == gc && w->n_frame > 0)
			w->frame[w->n_frame - 1].runs_gc = 1;
		previous = mem_u64(p, w->o->fr_previous);
		if (previous == at)
			return BOB_LOST_DEPTH;
		at = previous;
	}
	if (base != 0 && at != base)
		return BOB_LOST_ROOT;
	if (w->n_frame == 0)
		return WALK_IDLE;
	if (base == 0 && !is_root(w, owner, &w->frame[w->n_frame - 1]))
		return BOB_LOST_ROOT;
	return WALK_OK;
}

/* --- names --------------------------------------------------------------- */

static int
reason(int code_result)
{
	switch (code_result) {
	case CODE_OK:
		return WALK_OK;
	case CODE_FATAL:
		return WALK_FATAL;
	case CODE_OUTSIDE:
		return BOB_LOST_MOVED;
	default:
		return BOB_LOST_NAME;
	}
}

/* A frame that stands for something else than a function. */
static bob_fid
mark(struct py_walk *w, const char *name, bob_fid *known)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_NO_LINE };

	if (*known != 0)
		return *known;
	f.name = bob_str_put(w->dict, name, strlen(name));
	f.file = bob_str_put(w->dict, "~", 1);
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID)
		return BOB_NO_ID;
	*known = bob_frame_put(w->dict, &f);
	return *known;
}

/* `stack` with the frame on it, and marks on their sides of it. */
static bob_stack
push(struct py_walk *w, bob_stack stack, const struct py_walk_frame *f,
    bob_fid frame)
{
	if (w->with_native && f->is_entry && stack != 0 && w->o->minor >= 11)
		stack = bob_stack_push(w->dict, stack,
		    mark(w, "<native>", &w->native_frame));
	if (stack != BOB_NO_ID)
		stack = bob_stack_push(w->dict, stack, frame);
	if (stack != BOB_NO_ID && f->runs_gc)
		stack = bob_stack_push(w->dict, stack,
		    mark(w, "<GC>", &w->gc_frame));
	return stack;
}

static int
is_like(const struct py_walk_memo *m, const struct py_walk_frame *f)
{
	return m->at == f->at && m->code == f->code && m->instr == f->instr &&
	    m->previous == f->previous && m->copy == f->copy &&
	    m->is_entry == f->is_entry &&
	    m->runs_gc == f->runs_gc;
}

/* Finds out about a frame that is not like in the sample before. */
static int
learn_frame(struct py_walk *w, size_t depth, const struct py_walk_frame *f)
{
	bob_stack stack = depth == 0 ? 0 : w->memo[depth - 1].stack;
	struct py_walk_memo m = { .at = f->at, .code = f->code,
		.instr = f->instr, .previous = f->previous, .copy = f->copy,
		.is_entry = f->is_entry, .runs_gc = f->runs_gc };
	uint32_t generation = w->codes->generation;
	bob_fid frame;
	int r = py_codes_find(w->codes, f->code, &m.index);

	/* The indices of the frames below are no longer what they were. */
	if (r == CODE_OK && generation != w->codes->generation)
		return BOB_LOST_MOVED;
	if (r == CODE_OK)
		r = py_codes_unit(w->codes, m.index, f->instr, f->copy,
		    &m.unit);
	if (r == CODE_OK)
		r = py_codes_place(w->codes, m.index, m.unit, f->instr,
		    &frame);
	if (r != CODE_OK)
		return reason(r);
	m.stack = w->codes->code[m.index].is_hidden
	    ? stack : push(w, stack, f, frame);
	if (m.stack == BOB_NO_ID ||
	    MEM_GROW(w->ctx, w, memo, depth + 1) < 0)
		return WALK_FATAL;
	w->memo[depth] = m;
	return WALK_OK;
}

static const struct py_code *
code_of(const struct py_walk *w, size_t depth)
{
	return &w->codes->code[w->memo[depth].index];
}

static void
drop_memo(struct py_walk *w)
{
	w->n_memo = 0;
	w->epoch = w->codes->epoch;
	w->generation = w->codes->generation;
}

/* Where in which chunk the next frame begins. */
struct heap {
	int chunk;
	uint64_t end;
};

/*
 * Whether `next` can be called by the frame that was named last: it lies where
 * a frame is put now, and the caller stands where it can call, if there is no
 * C between them.
 */
static int
can_follow(const struct py_walk *w, size_t depth, const struct heap *h,
    const struct py_walk_frame *next)
{
	const struct py_walk_memo *m = &w->memo[depth];

	if (next->chunk >= 0 && next->chunk == h->chunk && next->at != h->end)
		return 0;
	return next->is_entry || code_of(w, depth)->is_hidden ||
	    py_codes_can_call(w->codes, m->index, m->unit);
}

/*
 * Names the frames from the outermost to the first that calls nothing, which
 * is the top. Those that are like in the sample before keep their stack.
 */
static int
name_frames(struct py_walk *w)
{
	size_t depth = 0, i = w->n_frame;
	int is_new = w->n_frame > w->max_depth, r;
	struct heap heap = { -1, 0 };

	w->is_cut = is_new;
	w->is_unsure = 0;
	if (is_new)
		i = w->max_depth;
	if (is_new || w->epoch != w->codes->epoch ||
	    w->generation != w->codes->generation)
		drop_memo(w);
	while (i-- > 0) {
		const struct py_walk_frame *f = &w->frame[i];

		if (is_new || depth >= w->n_memo ||
		    !is_like(&w->memo[depth], f) ||
		    code_of(w, depth)->is_passing) {
			is_new = 1;
			r = learn_frame(w, depth, f);
			if (r != WALK_OK) {
				w->n_memo = depth;
				return r;
			}
		}
		w->is_unsure |= code_of(w, depth)->is_passing;
		/* Up to 3.10 nothing else says that it is a generator's. */
		if (depth == 0 && w->o->minor <= 10 && !w->is_cut &&
		    (code_of(w, 0)->flags & PY_CO_GENERATORS) != 0)
			return BOB_LOST_ROOT;
		if (f->chunk >= 0) {
			heap.chunk = f->chunk;
			heap.end = f->at + code_of(w, depth)->frame_size;
		}
		w->stack = w->memo[depth].stack;
		depth++;
		if (i > 0 && !can_follow(w, depth - 1, &heap,
		        &w->frame[i - 1])) {
			w->is_repaired = 1;
			break;
		}
	}
	w->n_memo = depth;
	return w->stack != 0 ? WALK_OK : WALK_IDLE;
}

/* All names of the last stack were true at one moment: when the first one was
 * read for the second time. */
static int
is_still_true(struct py_walk *w, uint64_t at)
{
	size_t i;

	for (i = 0; i < w->n_memo; i++)
		if (code_of(w, i)->is_passing &&
		    !py_codes_is_still(w->codes, w->memo[i].index))
			return 0;
	return py_copy_is_still(w->copy, at);
}

static int
try_from(struct py_walk *w, uint64_t at)
{
	int r = collect(w, at);

	if (r == WALK_OK)
		r = name_frames(w);
	if (r == WALK_OK && w->is_unsure && !is_still_true(w, at))
		return BOB_LOST_MOVED;
	return r;
}

/*
 * The frame that was on top before the copy has returned meanwhile. What the
 * copy has of it is good when its caller is on top now; when more has happened
 * its caller's memory may be another call's.
 */
static int
has_returned(const struct py_walk *w, uint64_t before, uint64_t after)
{
	return !py_copy_is_there(w->copy, before) &&
	    (w->n_frame < 2 || w->frame[1].at != after);
}

/* True when a frame of the sample before is as it was, but for where in its
 * code it is. */
static int
is_as_before(const struct py_walk *w, const struct py_walk_memo *m,
    const uint8_t *p)
{
	return p != NULL && life_of(w, p) == RUNNING &&
	    (mem_u64(p, w->o->fr_code) & w->o->code_mask) == m->code &&
	    mem_u64(p, w->o->fr_previous) == m->previous &&
	    py_copy_was_there(w->copy, m->at) &&
	    py_copy_is_there(w->copy, m->at);
}

/*
 * Some stacks cannot be copied as fast as calls come and go. The frames of the
 * sample before that are still there, from the outermost on, are on the stack:
 * what is above them is left out.
 */
static int
try_known(struct py_walk *w)
{
	struct py_walk_frame swap;
	size_t n, i;

	w->n_frame = 0;
	for (n = 0; n < w->n_memo; n++) {
		const struct py_walk_memo *m = &w->memo[n];
		const uint8_t *p = py_copy_frame(w->copy, m->at);

		if (!is_as_before(w, m, p))
			break;
		if (take_frame(w, p, m->at, PY_OWNER_THREAD) != WALK_OK)
			return WALK_FATAL;
		w->frame[n].is_entry = m->is_entry;
		w->frame[n].chunk = (int16_t)py_copy_chunk_of(w->copy, m->at);
	}
	if (n == 0)
		return BOB_LOST_MOVED;
	for (i = 0; i < n / 2; i++) {
		swap = w->frame[i];
		w->frame[i] = w->frame[n - 1 - i];
		w->frame[n - 1 - i] = swap;
	}
	w->is_repaired = 1;
	return name_frames(w);
}

int
py_walk_prove(struct py_walk *w, int is_last)
{
	uint64_t before = py_copy_current(w->copy, 0);
	uint64_t after = py_copy_current(w->copy, 1);
	int r = BOB_LOST_MOVED;

	if (py_copy_is_idle(w->copy))
		return WALK_IDLE;
	if (before != 0)
		r = try_from(w, before);
	if (r == WALK_OK && has_returned(w, before, after))
		r = BOB_LOST_MOVED;
	if (r >= 0 && after != 0 && after != before &&
	    py_copy_was_there(w->copy, after))
		r = try_from(w, after);
	return r >= 0 && is_last ? try_known(w) : r;
}
