/* Follows the chain of frames from the current one to the outermost. */
#include "capture/python/frames/frames.h"

#include "capture/python/frames/frame_bytes.h"
#include "capture/python/frames/links.h"
#include "core/mem.h"

/* A step to the next frame is charged as a read of this many bytes, because
 * frames that were copied once are walked several times. */
#define STEP_COST 64

/* From the innermost frame outwards, addresses go down within a chunk, and
 * chunks go from the newest to the oldest. */
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
 * Returns 1 if a chain may end with this frame. From 3.12 on it ends with a
 * mark of C, where C entered Python. A generator cannot be the end: it has no
 * caller only because it was suspended.
 */
static int
is_root(const struct py_walk *w, uint8_t owner, const struct py_walk_frame *f)
{
	if (w->o->minor >= 12)
		return owner >= PY_OWNER_C;
	return owner == PY_OWNER_THREAD &&
	    (w->o->fr_is_entry == PY_NONE || f->is_entry);
}

int
py_frames_take(struct py_walk *w, const uint8_t *p, uint64_t at, uint8_t owner)
{
	const struct py_offsets *o = w->o;
	struct py_walk_frame *f;

	if (owner >= PY_OWNER_C) {
		/* The frame above it was entered from C. */
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
	f->code = py_frame_code(o, p);
	f->instr = py_frame_instr(o, p);
	f->previous = py_frame_previous(o, p);
	f->copy = py_frame_copy(o, p);
	f->is_entry = o->fr_is_entry != PY_NONE
	    ? mem_u8(p, o->fr_is_entry) != 0 : o->minor <= 10;
	f->runs_gc = at == py_copy_interp_u64(w->copy, o->is_gc_frame);
	f->mark = 0;
	f->chunk = (int16_t)py_copy_chunk_of(w->copy, at);
	f->is_guessed = 0;
	f->is_over = !py_frame_runs(o, p);
	return WALK_OK;
}

int
py_frames_has_stayed(const struct py_walk *w, const struct py_walk_frame *f)
{
	const struct py_offsets *o = w->o;
	const uint8_t *p = py_copy_again(w->copy, f->at);

	return p != NULL && !f->is_guessed && py_frame_runs(o, p) &&
	    (o->ts_chunk == PY_NONE || py_copy_is_one_call(w->copy, f->at)) &&
	    py_frame_code(o, p) == f->code &&
	    py_frame_previous(o, p) == f->previous &&
	    (py_frame_instr(o, p) == f->instr || py_frame_is_active(o, p) ||
	        o->minor > PY_LAST_WITH_STACK_TOP || o->ts_chunk == PY_NONE);
}

static int
is_generator(const struct py_walk *w, size_t i)
{
	size_t depth = w->n_frame - 1 - i;

	return depth < w->n_memo &&
	    (w->codes->code[w->memo[depth].index].flags &
	        PY_CO_GENERATORS) != 0;
}

void
py_frames_keep(struct py_walk *w)
{
	size_t i;

	if (!w->with_dead && w->n_frame > 0)
		w->root = w->frame[w->n_frame - 1].at;
	for (i = 0; i < w->n_frame; i++) {
		if (w->frame[i].chunk < 0 && is_generator(w, i))
			py_links_keep(w, w->frame[i].at);
		if (w->frame[i].mark != 0)
			py_links_keep(w, w->frame[i].mark);
	}
}

/* The last frame had returned when it was copied, or was copied too late: the
 * calls by it and of it must be known. */
static void
doubt_last(struct py_walk *w)
{
	size_t i = w->n_frame - 1;

	w->frame[i].is_guessed = 1;
	if (i > 0)
		w->frame[i - 1].is_guessed = 1;
}

/*
 * Detects a circle, which no stack has: each frame is compared with the one at
 * the last step whose number was a power of two (Brent's algorithm).
 */
static int
is_circle(uint64_t *seen, uint64_t at, size_t step)
{
	if (at == *seen)
		return 1;
	if ((step & (step - 1)) == 0)
		*seen = at;
	return 0;
}

int
py_frames_collect_on(struct py_walk *w, uint64_t at)
{
	uint64_t base = w->o->ts_base_frame != PY_NONE
	    ? py_copy_thread_u64(w->copy, 0, w->o->ts_base_frame) : 0;
	struct order order = { 0, UINT64_MAX };
	uint8_t owner = PY_OWNER_LAST + 1;
	uint64_t seen = 0;
	size_t steps = 0;
	enum py_life life;
	int chunk, is_late, is_doubtful, r;

	while (at != 0 && at != base) {
		const uint8_t *p;

		if (steps++ >= 2 * BOB_MAX_CAPTURE_DEPTH ||
		    w->n_frame >= BOB_MAX_CAPTURE_DEPTH ||
		    is_circle(&seen, at, steps))
			return BOB_LOST_DEPTH;
		mem_charge(w->copy->mem, STEP_COST);
		chunk = py_copy_chunk_of(w->copy, at);
		if (!is_in_order(&order, chunk, at))
			return BOB_LOST_MOVED;
		is_late = w->copy->has_missed;
		p = py_copy_frame(w->copy, at);
		is_late = is_late != w->copy->has_missed;
		if (chunk < 0)
			p = py_links_recall(w, at, p, &is_doubtful);
		if (p == NULL)
			return BOB_LOST_READ;
		if (chunk < 0 && is_doubtful && w->n_frame > 0)
			w->frame[w->n_frame - 1].is_guessed = 1;
		owner = py_frame_owner(w->o, p);
		life = py_frame_life(w->o, p);
		if (owner > PY_OWNER_LAST || (!w->with_dead &&
		    (life == PY_FREED || (life == PY_RESTING && steps > 1))))
			return BOB_LOST_MOVED;
		w->is_repaired |= life != PY_RUNNING && !w->with_dead;
		r = life == PY_RUNNING || w->with_dead
		    ? py_frames_take(w, p, at, owner) : WALK_OK;
		if (r != WALK_OK)
			return r;
		if (w->with_dead && (life != PY_RUNNING || is_late))
			doubt_last(w);
		at = py_frame_previous(w->o, p);
	}
	if (base != 0 && at != base)
		return BOB_LOST_ROOT;
	if (w->n_frame == 0)
		return WALK_IDLE;
	if (base == 0 && !is_root(w, owner, &w->frame[w->n_frame - 1]))
		return BOB_LOST_ROOT;
	/* A frame that has returned may have lost its caller. */
	if (w->with_dead && w->frame[w->n_frame - 1].at != w->root)
		return BOB_LOST_ROOT;
	return WALK_OK;
}

int
py_frames_collect(struct py_walk *w, uint64_t at)
{
	w->n_frame = w->n_loose = 0;
	w->is_repaired = 0;
	return py_frames_collect_on(w, at);
}

/* --- frames of the sample before ----------------------------------------- */

/* Returns 1 if a frame of the sample before is the same, except for its
 * instruction. */
static int
is_as_before(const struct py_walk *w, const struct py_walk_memo *m,
    const uint8_t *p)
{
	return p != NULL && py_frame_runs(w->o, p) &&
	    py_frame_code(w->o, p) == m->code &&
	    py_frame_previous(w->o, p) == m->previous &&
	    py_copy_was_there(w->copy, m->at) &&
	    py_copy_is_there(w->copy, m->at);
}

/*
 * Some stacks change faster than they can be copied. But those frames of the
 * sample before that are still there, from the outermost on, are on the stack.
 */
int
py_frames_known(struct py_walk *w)
{
	struct py_walk_frame swap;
	size_t n, i;

	w->n_frame = w->n_loose = 0;
	for (n = 0; n < w->n_memo; n++) {
		const struct py_walk_memo *m = &w->memo[n];
		const uint8_t *p = py_copy_frame(w->copy, m->at);

		if (!is_as_before(w, m, p))
			break;
		if (py_frames_take(w, p, m->at, PY_OWNER_THREAD) != WALK_OK)
			return WALK_FATAL;
		w->frame[n].is_entry = m->is_entry;
	}
	if (n == 0)
		return BOB_LOST_MOVED;
	for (i = 0; i < n / 2; i++) {
		swap = w->frame[i];
		w->frame[i] = w->frame[n - 1 - i];
		w->frame[n - 1 - i] = swap;
	}
	w->is_repaired = 1;
	return WALK_OK;
}
