/* The proof; see walk.h. */
#include "capture/python/walk.h"

#include <stdlib.h>
#include <string.h>

#include "capture/python/chunk.h"
#include "capture/python/frames.h"
#include "capture/python/graft.h"
#include "capture/python/mentions.h"
#include "capture/python/witness.h"
#include "core/mem.h"

/* Beside those of walk.h: what is above has returned. */
#define STOP (-4)

/* The instruction of a memo that is not to be recalled. */
#define NOT_LIKE_ANY UINT64_MAX

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
	free(w->scan);
	free(w->link);
}

void
py_walk_forget(struct py_walk *w, struct bob_dict *dict)
{
	w->dict = dict;
	w->n_memo = 0;
	w->gc_frame = w->native_frame = 0;
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
push(struct py_walk *w, bob_stack stack, const struct py_walk_memo *m,
    bob_fid frame)
{
	if (w->with_native && m->is_entry && stack != 0 && w->o->minor >= 11)
		stack = bob_stack_push(w->dict, stack,
		    mark(w, "<native>", &w->native_frame));
	if (stack != BOB_NO_ID)
		stack = bob_stack_push(w->dict, stack, frame);
	if (stack != BOB_NO_ID && m->runs_gc)
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

/* Finds out about a frame that is not like in the sample before: all but the
 * stack. */
static int
learn_frame(struct py_walk *w, const struct py_walk_frame *f,
    struct py_walk_memo *m)
{
	uint32_t generation = w->codes->generation;
	int r;

	*m = (struct py_walk_memo){ .at = f->at, .code = f->code,
		.instr = f->instr, .previous = f->previous, .copy = f->copy,
		.is_entry = f->is_entry, .runs_gc = f->runs_gc };
	r = py_codes_find(w->codes, f->code, &m->index);
	/* The indices of the frames below are no longer what they were. */
	if (r == CODE_OK && generation != w->codes->generation)
		return BOB_LOST_MOVED;
	if (r == CODE_OK)
		r = py_codes_unit(w->codes, m->index, f->instr, f->copy,
		    &m->unit);
	return reason(r);
}

/* Puts it on the stack of the frame below. */
static int
put_frame(struct py_walk *w, size_t depth, struct py_walk_memo *m)
{
	bob_stack stack = depth == 0 ? 0 : w->memo[depth - 1].stack;
	bob_fid frame;
	int r = py_codes_place(w->codes, m->index, m->unit, m->instr, &frame);

	if (r != CODE_OK)
		return reason(r);
	m->stack = w->codes->code[m->index].is_hidden
	    ? stack : push(w, stack, m, frame);
	if (m->stack == BOB_NO_ID ||
	    MEM_GROW(w->ctx, w, memo, depth + 1) < 0)
		return WALK_FATAL;
	w->memo[depth] = *m;
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

/*
 * Up to 3.10 the frame on top is copied after the thread has told it. One that
 * was over by then stands where it returned, one that has gone on where it
 * calls, which says nothing about the moment that counts: they are told where
 * the function was when it was last seen to run and to stay.
 */
static int
is_put_back(struct py_walk *w, const struct py_walk_frame *f,
    struct py_walk_memo *m)
{
	struct py_code *c = &w->codes->code[m->index];
	int stays;

	if (f != w->frame || w->o->fr_state == PY_NONE || m->unit < 0)
		return 0;
	stays = w->is_same && !f->is_over;
	if (stays)
		c->seen = (uint32_t)m->unit + 1;
	if (stays || c->seen == 0)
		return 0;
	m->unit = (int64_t)c->seen - 1;
	return 1;
}

/* Where in which chunk the next frame begins. */
struct heap {
	int chunk;
	uint64_t end;
};

/* The caller stands at another call than it did: its line is that one's. */
static int
put_right(struct py_walk *w, size_t depth, uint32_t place)
{
	struct py_walk_memo m = w->memo[depth];
	int r;

	m.unit = (int64_t)place - 1;
	m.instr = code_of(w, depth)->code + 2 * (uint64_t)(place - 1);
	r = put_frame(w, depth, &m);
	w->memo[depth].instr = NOT_LIKE_ANY;
	return r;
}

/* Of generators on top that run each other, the one that calls may have gone
 * on, or been left, when it was copied: then the call must be known. */
static int
link_generators(struct py_walk *w, size_t depth, const struct py_walk_frame *f,
    uint32_t known)
{
	if (f[1].chunk >= 0 || f->is_guessed)
		return STOP;
	if (known != CALLS_NONE && known != CALLS_NOWHERE)
		return put_right(w, depth, known);
	py_witness_doubt(w, f[1].at, f->at);
	return STOP;
}

/* A call that was never proven, by a generator whose code does not mention the
 * function, while others do: one of those may have been in its memory. */
static int
is_strange(struct py_walk *w, size_t depth, const struct py_walk_frame *f,
    const struct py_walk_memo *callee, uint32_t known)
{
	struct py_code *c = &w->codes->code[callee->index];

	if (w->o->ts_chunk == PY_NONE || f->chunk < 0 || f->is_entry ||
	    (known != CALLS_NONE && known != CALLS_NOWHERE))
		return 0;
	if (!py_mentions(w->codes, w->memo[depth].index, callee->index))
		return c->is_mentioned;
	c->is_mentioned = 1;
	return 0;
}

/*
 * Whether a frame calls the next one, both of which are known now: WALK_OK;
 * STOP when what seems to be above it has returned; or why that cannot be
 * told.
 *
 * The callee must lie where a frame is put now, and the caller stand where it
 * can call. If they were copied at different moments this call must be known;
 * where it is known at another place, a caller that was copied too late is put
 * there.
 */
static int
link_frames(struct py_walk *w, size_t depth, const struct heap *h,
    const struct py_walk_frame *f, const struct py_walk_memo *callee)
{
	const struct py_walk_memo *m = &w->memo[depth];
	struct calls *calls = &w->codes->calls;
	uint32_t place = (uint32_t)(m->unit + 1);
	uint32_t known = calls_find(calls, m->index, callee->index);
	int can = f->is_entry || code_of(w, depth)->is_hidden ||
	    py_codes_can_call(w->codes, m->index, m->unit);
	int is_exact = w->is_paused || f[1].chunk >= 0 ||
	    (w->is_calm && w->o->ts_chunk != PY_NONE) ||
	    (py_copy_is_first(w->copy, f[1].at) && py_frames_has_stayed(w, f));

	if (f->chunk >= 0 && f->chunk == h->chunk && f->at != h->end)
		return w->is_calm ? STOP : BOB_LOST_MOVED;
	if (f < w->frame + w->n_loose &&
	    !(can && calls_knows(calls, m->index, place, callee->index))) {
		is_exact = can && !f->is_guessed && py_chunk_loose_stay(w);
		if (!is_exact && !(can && !f->is_guessed && w->is_same &&
		        known == CALLS_NONE))
			return link_generators(w, depth, f, known);
	}
	if (!is_exact && is_strange(w, depth, f, callee, known))
		return BOB_LOST_MOVED;
	if (f->is_guessed && known == CALLS_NONE) {
		py_witness_doubt(w, f[1].at, f->at);
		return BOB_LOST_MOVED;
	}
	if (!is_exact && !f->is_guessed && calls_note(w->ctx, calls, m->index,
	        CALLS_NOWHERE, callee->index) < 0)
		return WALK_FATAL;
	if (!is_exact)
		return known == CALLS_NONE || known == CALLS_NOWHERE || (can &&
		    calls_knows(calls, m->index, place, callee->index))
		    ? WALK_OK : put_right(w, depth, known);
	if (!can)
		return w->is_calm ? STOP : BOB_LOST_MOVED;
	if (f->is_guessed)
		return WALK_OK;
	return calls_note(w->ctx, calls, m->index, place, callee->index) < 0
	    ? WALK_FATAL : WALK_OK;
}

/*
 * Names the frames from the outermost to the first that calls nothing, which
 * is the top. Those that are like in the sample before keep their stack.
 */
static int
name_frames(struct py_walk *w)
{
	size_t depth = 0, i = w->n_frame;
	int is_new = w->n_frame > w->max_depth, is_back, r = WALK_OK;
	struct heap heap = { -1, 0 };
	struct py_walk_memo m;

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
			r = learn_frame(w, f, &m);
			if (r == WALK_OK && depth > 0)
				r = link_frames(w, depth - 1, &heap, f, &m);
			is_back = r == WALK_OK && is_put_back(w, f, &m);
			if (r == WALK_OK)
				r = put_frame(w, depth, &m);
			if (r == WALK_OK && is_back)
				w->memo[depth].instr = NOT_LIKE_ANY;
		}
		if (r != WALK_OK)
			break;
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
	}
	w->n_memo = depth;
	if (r == STOP)
		w->is_repaired = 1;
	else if (r != WALK_OK)
		return r;
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

/* The frames that were collected, proven and named. `at` is the current one. */
static int
prove(struct py_walk *w, int r, uint64_t at)
{
	if (r == WALK_OK)
		r = name_frames(w);
	if (r == WALK_OK && w->is_unsure && !is_still_true(w, at))
		return BOB_LOST_MOVED;
	if (r == WALK_OK)
		py_frames_keep(w);
	return r;
}

/* Everything from a frame outwards, when nothing went on. */
static int
prove_calm(struct py_walk *w, uint64_t at)
{
	int r = py_frames_collect(w, at);

	/* What is read only now is of another moment. */
	if (r == WALK_OK && w->copy->has_missed && !w->is_paused)
		return BOB_LOST_MOVED;
	return prove(w, r, at);
}

static int
prove_chunk(struct py_walk *w, uint64_t before)
{
	int r = BOB_LOST_MOVED;

	w->is_calm = w->is_same && before == w->scan[w->n_scan - 1] &&
	    py_chunk_stands_still(w);
	if (w->is_calm)
		r = prove_calm(w, before);
	w->is_calm = 0;
	return r >= 0 ? prove(w, py_chunk_collect(w, before), before) : r;
}

/* Up to 3.10: what was current is on top, even if that call is over. */
static int
prove_objects(struct py_walk *w, uint64_t before, uint64_t after)
{
	int r = BOB_LOST_MOVED;

	w->is_calm = w->is_same;
	if (w->is_calm)
		r = prove_calm(w, before);
	w->is_calm = 0;
	w->with_dead = 1;
	if (r >= 0)
		r = prove(w, py_frames_collect(w, before), before);
	w->with_dead = 0;
	if (r >= 0)
		r = prove(w, py_graft_collect(w, before, after), after);
	if (r >= 0 && after != 0 && !w->is_same)
		r = prove(w, py_frames_collect(w, after), after);
	return r;
}

int
py_walk_prove(struct py_walk *w, int is_last)
{
	uint64_t before = py_copy_current(w->copy, 0);
	uint64_t after = py_copy_current(w->copy, 1);
	int r = BOB_LOST_MOVED;

	if (py_copy_is_idle(w->copy))
		return WALK_IDLE;
	w->is_same = before == after;
	w->n_scan = 0;
	if (w->copy->n_chunk > 0 && !w->is_paused) {
		r = py_chunk_scan(w);
		if (r != WALK_OK)
			return r;
		r = BOB_LOST_MOVED;
	}
	if (w->n_scan > 0) {
		r = prove_chunk(w, before);
	} else if (before != 0 && w->o->ts_chunk == PY_NONE && !w->is_paused) {
		r = prove_objects(w, before, after);
	} else if (before != 0) {
		w->is_calm = 1;
		r = prove_calm(w, before);
	}
	if (r < 0 || !is_last)
		return r;
	w->is_calm = 0;
	return prove(w, py_frames_known(w), after);
}
