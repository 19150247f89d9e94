/*
 * Names frames from the outermost inwards, and proves each call on the way.
 *
 * w->memo keeps the named frames. In the next sample a frame that is the same,
 * on frames that are the same, keeps its stack without being looked up.
 */
#include "capture/python/frames/walk.h"

#include <stdlib.h>
#include <string.h>

#include "capture/python/code/mentions.h"
#include "capture/python/frames/chunk.h"
#include "capture/python/frames/frame_bytes.h"
#include "capture/python/frames/frames.h"
#include "capture/python/frames/graft.h"
#include "capture/python/frames/witness.h"
#include "core/mem.h"

/* Beside the results of walk.h: the frames above have returned. */
#define STOP (-4)

/* The instruction of a memo that must not match in the next sample. */
#define NO_MATCH UINT64_MAX

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

/* The result of a walk for an enum code_result. */
static int
walk_result(int code_result)
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

/* The frame "<GC>" or "<native>", which is made once: *known. */
static bob_fid
mark_frame(struct py_walk *w, const char *name, bob_fid *known)
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

/* Pushes a frame; "<native>" goes below it and "<GC>" on top of it. BOB_NO_ID
 * when memory is out. */
static bob_stack
push_frame(struct py_walk *w, bob_stack stack, const struct py_walk_memo *m,
    bob_fid frame)
{
	if (w->with_native && m->is_entry && stack != 0 && w->o->minor >= 11)
		stack = bob_stack_push(w->dict, stack,
		    mark_frame(w, "<native>", &w->native_frame));
	if (stack != BOB_NO_ID)
		stack = bob_stack_push(w->dict, stack, frame);
	if (stack != BOB_NO_ID && m->runs_gc)
		stack = bob_stack_push(w->dict, stack,
		    mark_frame(w, "<GC>", &w->gc_frame));
	return stack;
}

/* Returns 1 if a frame is the same as in the sample before. */
static int
is_same_frame(const struct py_walk_memo *m, const struct py_walk_frame *f)
{
	return m->at == f->at && m->code == f->code && m->instr == f->instr &&
	    m->previous == f->previous && m->copy == f->copy &&
	    m->is_entry == f->is_entry &&
	    m->runs_gc == f->runs_gc;
}

/* Makes the memo of a frame, except its stack. */
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
	/* The indices in the memos of the frames below are void. */
	if (r == CODE_OK && generation != w->codes->generation)
		return BOB_LOST_MOVED;
	if (r == CODE_OK)
		r = py_codes_unit(w->codes, m->index, f->instr, f->copy,
		    &m->unit);
	return walk_result(r);
}

/* Keeps a memo, with the frame on the stack of the frame below. */
static int
keep_memo(struct py_walk *w, size_t depth, struct py_walk_memo *m)
{
	bob_stack stack = depth == 0 ? 0 : w->memo[depth - 1].stack;
	bob_fid frame;
	int r = py_codes_place(w->codes, m->index, m->unit, m->instr, &frame);

	if (r != CODE_OK)
		return walk_result(r);
	m->stack = w->codes->code[m->index].is_hidden
	    ? stack : push_frame(w, stack, m, frame);
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
 * Up to 3.10 the top frame is copied after the thread has told it. If its call
 * was over by then, it stands where it returned; if it went on, where it calls.
 * Neither is the place at the moment of the sample. So it gets the place where
 * the function was last seen to run and to stay. Returns 1 if m->unit was
 * changed so.
 */
static int
put_top_back(struct py_walk *w, const struct py_walk_frame *f,
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

/* Where the next frame of a chunk must begin. */
struct chunk_end {
	int chunk;
	uint64_t end;
};

/* Puts a caller at another place: the one from which it is known to call. */
static int
move_caller(struct py_walk *w, size_t depth, uint32_t place)
{
	struct py_walk_memo m = w->memo[depth];
	int r;

	m.unit = (int64_t)place - 1;
	m.instr = code_of(w, depth)->code + 2 * (uint64_t)(place - 1);
	r = keep_memo(w, depth, &m);
	w->memo[depth].instr = NO_MATCH;
	return r;
}

/* A call between generators on top that cannot be proven: the caller may have
 * gone on, or been left, when it was copied. If the call is known, the caller
 * is moved; else the frames above it are left out (STOP). */
static int
link_generators(struct py_walk *w, size_t depth, const struct py_walk_frame *f,
    uint32_t known)
{
	if (f[1].chunk >= 0 || f->is_guessed)
		return STOP;
	if (known != CALLS_NONE && known != CALLS_NOWHERE)
		return move_caller(w, depth, known);
	py_witness_doubt(w, f[1].at, f->at);
	return STOP;
}

/* Returns 1 if a generator that never was proven to call a function does not
 * mention it, while another generator does. Then that other one may have been
 * in its memory before. */
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
 * Whether memo `depth` calls the frame f. WALK_OK; STOP if f has returned; or
 * the reason if that cannot be told.
 *
 * The callee must begin where the caller's frame ends, and the caller must
 * stand where it can call. If they were copied at different moments, the call
 * must be known; if it is known at another place, the caller is moved there.
 */
static int
link_frames(struct py_walk *w, size_t depth, const struct chunk_end *h,
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

	if (f->chunk < 0)
		w->codes->code[m->index].has_run_generators = 1;
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
		    ? WALK_OK : move_caller(w, depth, known);
	if (!can)
		return w->is_calm ? STOP : BOB_LOST_MOVED;
	if (f->is_guessed)
		return WALK_OK;
	return calls_note(w->ctx, calls, m->index, place, callee->index) < 0
	    ? WALK_FATAL : WALK_OK;
}

/*
 * Names the frames from the outermost to the top, which is the first one that
 * calls nothing. Frames that are the same as in the sample before keep their
 * stack.
 */
static int
name_frames(struct py_walk *w)
{
	size_t depth = 0, i = w->n_frame;
	int is_new = w->n_frame > w->max_depth, is_back, r = WALK_OK;
	struct chunk_end end = { -1, 0 };
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
		    !is_same_frame(&w->memo[depth], f) ||
		    code_of(w, depth)->is_passing) {
			is_new = 1;
			r = learn_frame(w, f, &m);
			if (r == WALK_OK && depth > 0)
				r = link_frames(w, depth - 1, &end, f, &m);
			is_back = r == WALK_OK && put_top_back(w, f, &m);
			if (r == WALK_OK)
				r = keep_memo(w, depth, &m);
			if (r == WALK_OK && is_back)
				w->memo[depth].instr = NO_MATCH;
		}
		if (r != WALK_OK)
			break;
		w->is_unsure |= code_of(w, depth)->is_passing;
		/* Up to 3.10 only the code says that it is a generator. */
		if (depth == 0 && w->o->minor <= 10 && !w->is_cut &&
		    (code_of(w, 0)->flags & PY_CO_GENERATORS) != 0)
			return BOB_LOST_ROOT;
		if (f->chunk >= 0) {
			end.chunk = f->chunk;
			end.end = f->at + code_of(w, depth)->frame_size;
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

/* Returns 1 if all names of the last stack were true at one moment: when the
 * first code object was read for the second time. */
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

/* Proves and names the frames that were collected with result r. `at` is the
 * current frame. */
static int
prove_collected(struct py_walk *w, int r, uint64_t at)
{
	if (r == WALK_OK)
		r = name_frames(w);
	if (r == WALK_OK && w->is_unsure && !is_still_true(w, at))
		return BOB_LOST_MOVED;
	if (r == WALK_OK)
		py_frames_keep(w);
	return r;
}

/* All frames from `at` outwards, if nothing changed during the copy. */
static int
prove_calm(struct py_walk *w, uint64_t at)
{
	int r = py_frames_collect(w, at);

	/* A frame that was read only now is of another moment. */
	if (r == WALK_OK && w->copy->has_missed && !w->is_paused)
		return BOB_LOST_MOVED;
	return prove_collected(w, r, at);
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
	if (r >= 0)
		r = prove_collected(w, py_chunk_collect(w, before), before);
	return r;
}

/* Up to 3.10: the frame that was current before the copy is the top, even if
 * its call is over by now. */
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
		r = prove_collected(w, py_frames_collect(w, before), before);
	w->with_dead = 0;
	if (r >= 0)
		r = prove_collected(w, py_graft_collect(w, before, after),
		    after);
	if (r >= 0 && after != 0 && !w->is_same)
		r = prove_collected(w, py_frames_collect(w, after), after);
	return r;
}

/*
 * True if the last stack is not surely that of the moment of the sample. The
 * innermost frame of the newest chunk was on top if it ran when that was
 * copied, or has never run a generator. Otherwise the thread has to name the
 * top frame twice, and if that is in the chunk, it must not have stood in a
 * call.
 */
static int
is_inferred(const struct py_walk *w, uint64_t before)
{
	if (w->is_repaired)
		return 1;
	if (w->n_scan == 0)
		return !w->is_same;
	if (w->n_loose == 0 && w->n_memo > 0 && (w->top_runs ||
	        !code_of(w, w->n_memo - 1)->has_run_generators))
		return 0;
	return !w->is_same || w->n_frame == 0 || w->frame[0].at != before ||
	    (w->o->minor <= PY_LAST_WITH_STACK_TOP &&
	        before == w->scan[w->n_scan - 1]);
}

static int
prove(struct py_walk *w, int is_last)
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
	return prove_collected(w, py_frames_known(w), after);
}

int
py_walk_prove(struct py_walk *w, int is_last)
{
	int r = prove(w, is_last);

	w->is_inferred = r == WALK_OK && !w->is_paused &&
	    is_inferred(w, py_copy_current(w->copy, 0));
	return r;
}
