/* Which frames; see frames.h. */
#include "capture/python/frames.h"

#include <string.h>

#include "core/mem.h"

/* The first 64 bits of what f_lasti is, or an address. */
uint64_t
py_frames_instr(const struct py_walk *w, const uint8_t *p)
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

int
py_frames_runs(const struct py_walk *w, const uint8_t *p)
{
	return life_of(w, p) == RUNNING;
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
	f->instr = py_frames_instr(w, p);
	f->previous = mem_u64(p, o->fr_previous);
	f->copy = o->fr_copy != PY_NONE ? mem_u32(p, o->fr_copy) : 0;
	f->is_entry = o->fr_is_entry != PY_NONE
	    ? mem_u8(p, o->fr_is_entry) != 0 : o->minor <= 10;
	f->runs_gc = at == py_copy_interp_u64(w->copy, o->is_gc_frame);
	f->mark = 0;
	f->chunk = (int16_t)py_copy_chunk_of(w->copy, at);
	f->is_guessed = 0;
	f->is_over = life_of(w, p) != RUNNING;
	return WALK_OK;
}

/* _PyInterpreterFrame.stacktop, right behind the instruction, is negative while
 * a frame's own code runs: from 3.11 to 3.13. */
#define LAST_WITH_STACK_TOP 13

static int
is_running(const struct py_walk *w, const uint8_t *p)
{
	return w->o->ts_chunk != PY_NONE &&
	    w->o->minor <= LAST_WITH_STACK_TOP &&
	    (int32_t)mem_u32(p, w->o->fr_instr + 8) < 0;
}

int
py_frames_has_stayed(const struct py_walk *w, const struct py_walk_frame *f)
{
	const struct py_offsets *o = w->o;
	const uint8_t *p = py_copy_again(w->copy, f->at);

	return p != NULL && !f->is_guessed && life_of(w, p) == RUNNING &&
	    (mem_u64(p, o->fr_code) & o->code_mask) == f->code &&
	    mem_u64(p, o->fr_previous) == f->previous &&
	    (py_frames_instr(w, p) == f->instr || is_running(w, p) ||
	        o->minor > LAST_WITH_STACK_TOP || o->ts_chunk == PY_NONE);
}

/* --- what is elsewhere --------------------------------------------------- */

static struct py_walk_link *
link_of(struct py_walk *w, uint64_t at)
{
	return &w->link[(at >> 3 ^ at >> 9) % WALK_LINKS];
}

/* How far from marks that were seen others may be. */
#define C_STACK ((uint64_t)64 << 10)
#define C_STACK_MAX ((uint64_t)1 << 20)

static int
is_on_c_stack(const struct py_walk *w, uint64_t at)
{
	return at + C_STACK >= w->mark_from && at <= w->mark_to + C_STACK;
}

/* Where C's stack may be, not all that looks like a generator is one. */
static int
is_generator_at(struct py_walk *w, uint64_t at, const uint8_t *p)
{
	uint64_t code = mem_u64(p, w->o->fr_code) & w->o->code_mask;
	uint32_t index;

	if (owner_of(w, p) != PY_OWNER_GENERATOR || code == 0)
		return 0;
	return !is_on_c_stack(w, at) ||
	    (py_codes_find(w->codes, code, &index) == CODE_OK &&
	        (w->codes->code[index].flags & PY_CO_GENERATORS) != 0);
}

/* Whether what lies elsewhere can be part of a stack: a mark, or a generator
 * that has a caller. */
static int
is_linked(struct py_walk *w, uint64_t at, const uint8_t *p)
{
	uint8_t owner = owner_of(w, p);

	if (w->o->ts_chunk == PY_NONE)
		return mem_u64(p, w->o->fr_previous) != 0;
	if (owner >= PY_OWNER_C)
		return owner <= PY_OWNER_LAST;
	return mem_u64(p, w->o->fr_previous) != 0 && is_generator_at(w, at, p);
}

/* A frame as it was, or where it is now if it has gone on in the same code. */
static const uint8_t *
mend_link(const struct py_walk *w, struct py_walk_link *l, const uint8_t *p)
{
	if (p != NULL && owner_of(w, p) < PY_OWNER_C &&
	    mem_u64(p, w->o->fr_code) == mem_u64(l->bytes, w->o->fr_code))
		memcpy(l->bytes + w->o->fr_instr, p + w->o->fr_instr, 8);
	return l->bytes;
}

/*
 * What lies elsewhere is copied later than the chunk. C's stack changes all the
 * time, and a generator that was suspended has lost its caller: then it is
 * taken as it was when it was last part of a stack.
 */
static const uint8_t *
recall_link(struct py_walk *w, uint64_t at, const uint8_t *p)
{
	struct py_walk_link *l = link_of(w, at);

	if (w->is_paused)
		return p;
	if (w->o->ts_chunk == PY_NONE)
		return w->with_dead && p != NULL && l->at == at &&
		    !is_linked(w, at, p) ? mend_link(w, l, p) : p;
	if (p != NULL && !is_on_c_stack(w, at) &&
	    (owner_of(w, p) == PY_OWNER_THREAD ||
	        owner_of(w, p) > PY_OWNER_LAST)) {
		py_copy_dismiss(w->copy, at);
		p = NULL;
	}
	if (p != NULL && is_linked(w, at, p))
		return p;
	if (l->at == at)
		return mend_link(w, l, p);
	/* Its caller is not known, but it is. */
	return p != NULL && is_generator_at(w, at, p) ? p : NULL;
}

static void
keep_link(struct py_walk *w, uint64_t at)
{
	struct py_walk_link *l = link_of(w, at);
	const uint8_t *p = py_copy_frame(w->copy, at);

	if (p == NULL || !is_linked(w, at, p))
		return;
	l->at = at;
	memcpy(l->bytes, p, w->o->fr_size);
	if (owner_of(w, p) < PY_OWNER_C)
		return;
	/* Those of another stack, if there are any, do not count. */
	if (w->mark_to == 0)
		w->mark_from = w->mark_to = at;
	else if (at < w->mark_from && w->mark_from - at < C_STACK_MAX)
		w->mark_from = at;
	else if (at > w->mark_to && at - w->mark_to < C_STACK_MAX)
		w->mark_to = at;
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
			keep_link(w, w->frame[i].at);
		if (w->frame[i].mark != 0)
			keep_link(w, w->frame[i].mark);
	}
}

/* The frame that was taken last had returned when it was copied, or was copied
 * too late: what it calls, and who calls it, must be known. */
static void
doubt_last(struct py_walk *w)
{
	size_t i = w->n_frame - 1;

	w->frame[i].is_guessed = 1;
	if (i > 0)
		w->frame[i - 1].is_guessed = 1;
}

/* All frames from `at` outwards, without names, behind those that are there. */
static int
collect_from(struct py_walk *w, uint64_t at)
{
	uint64_t base = w->o->ts_base_frame != PY_NONE
	    ? mem_u64(w->copy->before, w->o->ts_base_frame) : 0;
	struct order order = { 0, UINT64_MAX };
	uint8_t owner = PY_OWNER_LAST + 1;
	size_t steps = 0;
	enum life life;
	int chunk, is_late, r;

	while (at != 0 && at != base) {
		const uint8_t *p;
		uint64_t previous;

		if (steps++ >= 2 * BOB_MAX_LIVE_DEPTH ||
		    w->n_frame >= BOB_MAX_LIVE_DEPTH)
			return BOB_LOST_DEPTH;
		chunk = py_copy_chunk_of(w->copy, at);
		if (!is_in_order(&order, chunk, at))
			return BOB_LOST_MOVED;
		is_late = w->copy->has_missed;
		p = py_copy_frame(w->copy, at);
		is_late = is_late != w->copy->has_missed;
		if (chunk < 0)
			p = recall_link(w, at, p);
		if (p == NULL)
			return BOB_LOST_READ;
		owner = owner_of(w, p);
		life = life_of(w, p);
		if (owner > PY_OWNER_LAST || (!w->with_dead &&
		    (life == FREED || (life == RESTING && steps > 1))))
			return BOB_LOST_MOVED;
		w->is_repaired |= life != RUNNING && !w->with_dead;
		r = life == RUNNING || w->with_dead
		    ? take_frame(w, p, at, owner) : WALK_OK;
		if (r != WALK_OK)
			return r;
		if (w->with_dead && (life != RUNNING || is_late))
			doubt_last(w);
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
	/* One that has returned may have no caller any more. */
	if (w->with_dead && w->frame[w->n_frame - 1].at != w->root)
		return BOB_LOST_ROOT;
	return WALK_OK;
}

int
py_frames_collect(struct py_walk *w, uint64_t at)
{
	w->n_frame = w->n_loose = 0;
	w->is_repaired = 0;
	return collect_from(w, at);
}

/* --- what was there before ----------------------------------------------- */

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
		if (take_frame(w, p, m->at, PY_OWNER_THREAD) != WALK_OK)
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

/* --- what the chunk says ------------------------------------------------- */

/* Generators that run one in another, and marks of C between them. */
#define MAX_BRIDGE (2 * BOB_MAX_LIVE_DEPTH)

/* A frame of the chunk, and what its state allows. */
struct peek {
	uint64_t at;
	uint32_t size;
	int runs, can_call;
};

/* The innermost frame of the chunk by what the thread says a moment later: its
 * current frame, or who calls the generators that it runs. 0: it does not
 * say. */
static uint64_t
told_top(struct py_walk *w)
{
	uint64_t at = py_copy_current(w->copy, 0);
	const uint8_t *p;
	size_t n;

	for (n = 0; n < MAX_BRIDGE && py_copy_chunk_of(w->copy, at) < 0; n++) {
		p = at != 0 ? py_copy_frame(w->copy, at) : NULL;
		if (p == NULL)
			return 0;
		at = mem_u64(p, w->o->fr_previous);
	}
	return py_copy_chunk_of(w->copy, at) == 0 ? at : 0;
}

/* Functions of a tracer are called at any instruction. */
static int
is_traced(const struct py_walk *w)
{
	return w->o->ts_tracing != PY_NONE &&
	    mem_u32(w->copy->before, w->o->ts_tracing) != 0;
}

/*
 * Whether a frame lived when the chunk was copied, by what its state allows.
 * One that has returned has let go of its code (from 3.14 on), or neither runs
 * nor stands where it calls. Where code is traced that is not known, or no
 * matter: then the thread has to say a moment later that it was there.
 */
static int
lives(struct py_walk *w, const struct peek *f, uint32_t index, int64_t unit)
{
	if (f->runs || w->o->minor > LAST_WITH_STACK_TOP ||
	    (f->can_call && !py_codes_is_unknown(w->codes, index, unit)))
		return 1;
	return (f->can_call || is_traced(w)) && f->at <= told_top(w);
}

/*
 * Whether a frame that lies on `below` lived when the chunk was copied:
 * WALK_OK, or WALK_IDLE when it did not, why that cannot be told, or
 * WALK_FATAL. What a generator was made of stays behind.
 */
static int
peek_frame(struct py_walk *w, const uint8_t *p, const struct peek *below,
    struct peek *ret)
{
	const struct py_offsets *o = w->o;
	uint64_t code = mem_u64(p, o->fr_code) & o->code_mask;
	uint64_t previous = mem_u64(p, o->fr_previous);
	uint32_t copy = o->fr_copy != PY_NONE ? mem_u32(p, o->fr_copy) : 0;
	int is_entry = o->fr_is_entry != PY_NONE &&
	    mem_u8(p, o->fr_is_entry) != 0;
	const struct py_code *c;
	uint32_t index;
	int64_t unit;
	int r;

	if (code == 0 || owner_of(w, p) != PY_OWNER_THREAD)
		return WALK_IDLE;
	if (previous == below->at) {
		if (!is_entry && (below->runs || !below->can_call))
			return WALK_IDLE;
	} else if (py_copy_chunk_of(w->copy, previous) == 0) {
		return WALK_IDLE;
	}
	r = py_codes_find(w->codes, code, &index);
	if (r == CODE_OK)
		r = py_codes_unit(w->codes, index, py_frames_instr(w, p), copy,
		    &unit);
	if (r != CODE_OK)
		return r == CODE_FATAL ? WALK_FATAL
		    : r == CODE_READ ? BOB_LOST_READ : WALK_IDLE;
	c = &w->codes->code[index];
	ret->size = c->frame_size;
	ret->runs = is_running(w, p);
	ret->can_call = c->is_hidden ||
	    py_codes_can_call(w->codes, index, unit);
	return (c->flags & PY_CO_GENERATORS) == 0 && c->frame_size > 0 &&
	        lives(w, ret, index, unit) ? WALK_OK : WALK_IDLE;
}

/* They lie on each other, from the outermost on. What cannot be read behind
 * the innermost is none. */
int
py_frames_scan(struct py_walk *w)
{
	uint64_t at = w->copy->chunk[0].at + PY_CHUNK_DATA +
	    (w->copy->n_chunk == 1 ? 8 : 0);
	struct peek below = { 0, 0, 0, 0 }, peek = below;
	const uint8_t *p;
	int r;

	w->n_scan = 0;
	for (; py_copy_chunk_of(w->copy, at) == 0; at += peek.size) {
		p = py_copy_frame(w->copy, at);
		peek.at = at;
		r = p != NULL ? peek_frame(w, p, &below, &peek) : WALK_IDLE;
		if (r == WALK_IDLE || (r >= 0 && at > told_top(w)))
			break;
		if (r != WALK_OK)
			return r;
		if (MEM_GROW(w->ctx, w, scan, w->n_scan + 1) < 0)
			return WALK_FATAL;
		w->scan[w->n_scan++] = at;
		below = peek;
	}
	w->scan_end = at;
	return WALK_OK;
}

/*
 * Takes the generators between a frame of the chunk and the one it lies on,
 * `below`, whose address is known whatever the links between them say by now.
 */
static int
bridge(struct py_walk *w, uint64_t at, uint64_t below)
{
	const uint8_t *p;
	uint8_t owner;
	size_t n;
	int r;

	for (n = 0; at != below && n < MAX_BRIDGE &&
	    w->n_frame < BOB_MAX_LIVE_DEPTH; n++) {
		p = py_copy_chunk_of(w->copy, at) == 0 || at == 0 ? NULL
		    : recall_link(w, at, py_copy_frame(w->copy, at));
		if (p == NULL) {
			if (w->n_frame == 0)
				return BOB_LOST_MOVED;
			w->frame[w->n_frame - 1].is_guessed = 1;
			if (is_on_c_stack(w, at))
				w->frame[w->n_frame - 1].is_entry = 1;
			return WALK_OK;
		}
		owner = owner_of(w, p);
		if (owner != PY_OWNER_GENERATOR && owner < PY_OWNER_C)
			return BOB_LOST_MOVED;
		r = take_frame(w, p, at, owner);
		if (r != WALK_OK)
			return r;
		at = mem_u64(p, w->o->fr_previous);
	}
	return at == below ? WALK_OK : BOB_LOST_DEPTH;
}

/* What was copied did not pass for a generator: WALK_OK when it is none, and
 * not only that its code could not be read just then. */
static int
doubt_generator(struct py_walk *w, const uint8_t *p)
{
	uint64_t code = mem_u64(p, w->o->fr_code) & w->o->code_mask;
	uint32_t index;
	int r = CODE_STRANGE;

	if (owner_of(w, p) == PY_OWNER_GENERATOR && code != 0)
		r = py_codes_find(w->codes, code, &index);
	if (r == CODE_FATAL)
		return WALK_FATAL;
	return r == CODE_READ || (r == CODE_OK &&
	        (w->codes->code[index].flags & PY_CO_GENERATORS) != 0)
	    ? BOB_LOST_READ : WALK_OK;
}

/* Generators that run on top of the chunk, as the thread says a moment later:
 * one that is about to call or has just been left is as good as one that has
 * just been called or is about to be left. */
static int
bridge_top(struct py_walk *w, uint64_t current)
{
	uint64_t top = w->scan[w->n_scan - 1];
	const uint8_t *p, *copied;

	if (current == 0)
		return BOB_LOST_READ;
	if (py_copy_chunk_of(w->copy, current) == 0) {
		p = current > top ? py_copy_frame(w->copy, w->scan_end) : NULL;
		current = p != NULL ? mem_u64(p, w->o->fr_previous) : 0;
	}
	if (current == 0 || current == top ||
	    py_copy_chunk_of(w->copy, current) >= 0)
		return WALK_OK;
	copied = py_copy_frame(w->copy, current);
	if (copied == NULL)
		return BOB_LOST_READ;
	p = recall_link(w, current, copied);
	if (p == NULL)
		return doubt_generator(w, copied);
	if (owner_of(w, p) != PY_OWNER_GENERATOR)
		return WALK_OK;
	return bridge(w, current, top);
}

int
py_frames_chunk(struct py_walk *w, uint64_t current)
{
	size_t i = w->n_scan;
	const uint8_t *p;
	int r;

	w->n_frame = 0;
	w->is_repaired = 0;
	r = bridge_top(w, current);
	if (r == BOB_LOST_READ)
		return r;
	if (r >= 0)
		w->n_frame = 0;
	w->n_loose = w->n_frame;
	w->has_looked = 0;
	while (r != WALK_FATAL && --i > 0) {
		p = py_copy_frame(w->copy, w->scan[i]);
		r = take_frame(w, p, w->scan[i], PY_OWNER_THREAD);
		if (r == WALK_OK)
			r = bridge(w, mem_u64(p, w->o->fr_previous),
			    w->scan[i - 1]);
		if (r != WALK_OK)
			return r;
	}
	return r != WALK_FATAL ? collect_from(w, w->scan[0]) : r;
}

/* A frame is what was taken of it; the one that runs may have gone on. */
static int
is_as_taken(const struct py_walk *w, const struct py_walk_frame *f,
    const uint8_t *p)
{
	return (mem_u64(p, w->o->fr_code) & w->o->code_mask) == f->code &&
	    mem_u64(p, w->o->fr_previous) == f->previous &&
	    (f == w->frame || py_frames_instr(w, p) == f->instr);
}

/* The same of n frames from the i-th on, at most MEM_MAX_SPANS. */
static int
look_again(struct py_walk *w, size_t i, size_t n)
{
	uint8_t bytes[MEM_MAX_SPANS][PY_MAX_FRAME];
	struct mem_span v[MEM_MAX_SPANS];
	size_t size = w->o->fr_size, k;

	for (k = 0; k < n; k++)
		v[k] = (struct mem_span){ w->frame[i + k].at, bytes[k], size };
	if (mem_gather(w->copy->mem, v, n) != (long)(n * size))
		return 0;
	for (k = 0; k < n; k++)
		if (!is_as_taken(w, &w->frame[i + k], bytes[k]))
			return 0;
	return 1;
}

static int
have_stayed(struct py_walk *w)
{
	size_t end = w->n_loose + 1, n, i;

	if (end > w->n_frame || w->o->fr_size > PY_MAX_FRAME)
		return 0;
	for (i = 0; i < end; i += n) {
		n = end - i < MEM_MAX_SPANS ? end - i : MEM_MAX_SPANS;
		if (!look_again(w, i, n))
			return 0;
	}
	return py_copy_is_still(w->copy, w->frame[0].at);
}

int
py_frames_loose_stay(struct py_walk *w)
{
	if (!w->has_looked)
		w->has_stayed = have_stayed(w);
	w->has_looked = 1;
	return w->has_stayed;
}

/* --- a call that is over ------------------------------------------------- */

/* Frames that are put onto another stack, at most. */
#define GRAFT 16

struct graft {
	struct py_walk_frame frame[GRAFT];
	uint32_t index[GRAFT]; /* of their codes */
	size_t n;
};

/* The frame that was current, and those it says have called it, as far as
 * these calls are known. */
static int
cut_graft(struct py_walk *w, uint64_t at, struct graft *g)
{
	const uint8_t *p;
	uint32_t index;

	g->n = 0;
	while (at != 0 && g->n < GRAFT) {
		p = py_copy_frame(w->copy, at);
		w->n_frame = 0;
		if (p == NULL ||
		    take_frame(w, p, at, PY_OWNER_THREAD) != WALK_OK ||
		    py_codes_find(w->codes, w->frame[0].code, &index) !=
		    CODE_OK || (g->n > 0 && calls_find(&w->codes->calls, index,
		        g->index[g->n - 1]) == CALLS_NONE))
			break;
		w->frame[0].is_guessed = 1;
		g->frame[g->n] = w->frame[0];
		g->index[g->n++] = index;
		at = w->frame[0].previous;
	}
	return g->n > 0;
}

/* Which frame of the stack that is there calls frame j of the graft: the one
 * that it says, or the innermost that is known to. SIZE_MAX: none. */
static size_t
find_stem(struct py_walk *w, const struct graft *g, size_t j, int is_exact)
{
	uint32_t index;
	size_t i;

	for (i = 0; i < w->n_frame; i++) {
		if (is_exact && w->frame[i].at != g->frame[j].previous)
			continue;
		if (py_codes_find(w->codes, w->frame[i].code, &index) ==
		    CODE_OK && calls_find(&w->codes->calls, index,
		        g->index[j]) != CALLS_NONE)
			return i;
	}
	return SIZE_MAX;
}

int
py_frames_graft(struct py_walk *w, uint64_t before, uint64_t after)
{
	struct graft g;
	size_t k = SIZE_MAX, j = 0, n;
	int r, is_exact;

	if (!cut_graft(w, before, &g))
		return BOB_LOST_MOVED;
	r = py_frames_collect(w, after);
	if (r >= 0)
		r = py_frames_known(w);
	w->is_repaired = 0;
	if (r != WALK_OK)
		return r;
	for (is_exact = 1; k == SIZE_MAX && is_exact >= 0; is_exact--)
		for (j = 0; k == SIZE_MAX && j < g.n; j++)
			k = find_stem(w, &g, j, is_exact);
	if (k == SIZE_MAX)
		return BOB_LOST_MOVED;
	n = w->n_frame - k;
	if (MEM_GROW(w->ctx, w, frame, j + n) < 0)
		return WALK_FATAL;
	memmove(w->frame + j, w->frame + k, n * sizeof(*w->frame));
	memcpy(w->frame, g.frame, j * sizeof(*w->frame));
	w->n_frame = j + n;
	return WALK_OK;
}

int
py_frames_stand_still(const struct py_walk *w)
{
	const uint8_t *p, *q;
	size_t i;

	for (i = w->n_scan; i-- > 0;) {
		p = py_copy_frame(w->copy, w->scan[i]);
		q = py_copy_again(w->copy, w->scan[i]);
		if (p == NULL || q == NULL || memcmp(p, q, w->o->fr_size) != 0)
			return 0;
	}
	return 1;
}
