/* Scans the newest chunk from its beginning, where the outermost frame is. */
#include "capture/python/frames/chunk.h"

#include <assert.h>
#include <string.h>

#include "capture/python/frames/frame_bytes.h"
#include "capture/python/frames/frames.h"
#include "capture/python/frames/links.h"
#include "core/mem.h"

/* Generators that run each other, and marks of C between them. */
#define MAX_BRIDGE (2 * BOB_MAX_CAPTURE_DEPTH)

/* A frame of the chunk, and what its state allows: its own code runs, or it
 * stands on an instruction that can call. */
struct peek {
	uint64_t at;
	uint32_t size;
	int runs, can_call;
};

/* The innermost frame of the chunk by the current frame that the thread told a
 * moment later: that frame, or the one that calls the current generators. 0 if
 * it cannot be found. */
static uint64_t
find_top(struct py_walk *w)
{
	uint64_t at = py_copy_current(w->copy, 0);
	const uint8_t *p;
	size_t n;

	for (n = 0; n < MAX_BRIDGE && py_copy_chunk_of(w->copy, at) < 0; n++) {
		p = at != 0 ? py_copy_frame(w->copy, at) : NULL;
		if (p == NULL)
			return 0;
		at = py_frame_previous(w->o, p);
	}
	return py_copy_chunk_of(w->copy, at) == 0 ? at : 0;
}

/* The same, found once for a scan. */
static uint64_t
told_top(struct py_walk *w)
{
	if (!w->has_told)
		w->told_top = find_top(w);
	w->has_told = 1;
	return w->told_top;
}

/* Returns 1 if a trace function runs: that can be called at any instruction. */
static int
is_traced(const struct py_walk *w)
{
	return w->o->ts_tracing != PY_NONE &&
	    py_copy_thread_u32(w->copy, w->o->ts_tracing) != 0;
}

/*
 * Returns 1 if a frame was live when the chunk was copied, by its state. From
 * 3.14 on a frame that has returned has no code any more. Before, it neither
 * runs nor stands on an instruction that calls. Code that is traced does not
 * tell: then the thread must have told a moment later that the frame was there.
 */
static int
is_live(struct py_walk *w, const struct peek *f, uint32_t index, int64_t unit)
{
	if (f->runs || w->o->minor > PY_LAST_WITH_STACK_TOP ||
	    (f->can_call && !py_codes_is_unknown(w->codes, index, unit)))
		return 1;
	return (f->can_call || is_traced(w)) && f->at <= told_top(w);
}

/*
 * Whether the frame behind `below` was live when the chunk was copied: WALK_OK;
 * WALK_IDLE if not; the reason if that cannot be told; or WALK_FATAL. When a
 * generator is created, the frame it was made from stays in the chunk. So a
 * frame with the code of a generator is live only if the thread told a moment
 * later that it is the current one.
 */
static int
peek_frame(struct py_walk *w, const uint8_t *p, const struct peek *below,
    struct peek *ret)
{
	const struct py_offsets *o = w->o;
	uint64_t code = py_frame_code(o, p);
	uint64_t previous = py_frame_previous(o, p);
	int is_entry = o->fr_is_entry != PY_NONE &&
	    mem_u8(p, o->fr_is_entry) != 0;
	const struct py_code *c;
	uint32_t index;
	int64_t unit;
	int live, r;

	if (code == 0 || py_frame_owner(o, p) != PY_OWNER_THREAD)
		return WALK_IDLE;
	if (previous == below->at) {
		if (!is_entry && (below->runs || !below->can_call))
			return WALK_IDLE;
	} else if (py_copy_chunk_of(w->copy, previous) == 0) {
		return WALK_IDLE;
	}
	r = py_codes_find(w->codes, code, &index);
	if (r == CODE_OK)
		r = py_codes_unit(w->codes, index, py_frame_instr(o, p),
		    py_frame_copy(o, p), &unit);
	if (r != CODE_OK)
		return r == CODE_FATAL ? WALK_FATAL
		    : r == CODE_READ ? BOB_LOST_READ : WALK_IDLE;
	c = &w->codes->code[index];
	ret->size = c->frame_size;
	ret->runs = py_frame_is_active(o, p);
	ret->can_call = c->is_hidden ||
	    py_codes_can_call(w->codes, index, unit);
	if ((c->flags & PY_CO_GENERATORS) != 0)
		live = ret->at == py_copy_current(w->copy, 0);
	else
		live = is_live(w, ret, index, unit);
	return live && c->frame_size > 0 ? WALK_OK : WALK_IDLE;
}

/* Frames lie one behind the other. If what is behind the innermost cannot be
 * read, it is no frame. */
int
py_chunk_scan(struct py_walk *w)
{
	uint64_t at = w->copy->chunk[0].at + PY_CHUNK_DATA +
	    (w->copy->n_chunk == 1 ? 8 : 0);
	struct peek below = { 0, 0, 0, 0 }, peek = below;
	const uint8_t *p;
	int r;

	w->n_scan = 0;
	w->has_told = 0;
	for (; py_copy_chunk_of(w->copy, at) == 0; at += peek.size) {
		p = py_copy_frame(w->copy, at);
		peek.at = at;
		r = p != NULL ? peek_frame(w, p, &below, &peek) : WALK_IDLE;
		if (r == WALK_IDLE || (r >= 0 && at > told_top(w)))
			break;
		if (r != WALK_OK)
			return r;
		if (w->n_scan >= BOB_MAX_CAPTURE_DEPTH)
			return BOB_LOST_DEPTH;
		if (MEM_GROW(w->ctx, w, scan, w->n_scan + 1) < 0)
			return WALK_FATAL;
		w->scan[w->n_scan++] = at;
		below = peek;
	}
	w->scan_end = at;
	w->top_runs = below.runs;
	return WALK_OK;
}

/*
 * Appends the generators between a frame of the chunk, whose caller is `at`,
 * and the next frame of the chunk outwards, `below`. If their links are broken
 * by now, `below` is known all the same.
 */
static int
collect_between(struct py_walk *w, uint64_t at, uint64_t below)
{
	const uint8_t *p;
	uint8_t owner;
	size_t n;
	int is_doubtful, r;

	for (n = 0; at != below && n < MAX_BRIDGE &&
	    w->n_frame < BOB_MAX_CAPTURE_DEPTH; n++) {
		p = py_copy_chunk_of(w->copy, at) == 0 || at == 0 ? NULL
		    : py_links_recall(w, at, py_copy_frame(w->copy, at),
		          &is_doubtful);
		if (p == NULL) {
			if (w->n_frame == 0)
				return BOB_LOST_MOVED;
			w->frame[w->n_frame - 1].is_guessed = 1;
			if (py_links_is_on_c_stack(w, at))
				w->frame[w->n_frame - 1].is_entry = 1;
			return WALK_OK;
		}
		owner = py_frame_owner(w->o, p);
		if (owner != PY_OWNER_GENERATOR && owner < PY_OWNER_C)
			return BOB_LOST_MOVED;
		if (is_doubtful && w->n_frame > 0)
			w->frame[w->n_frame - 1].is_guessed = 1;
		r = py_frames_take(w, p, at, owner);
		if (r != WALK_OK)
			return r;
		at = py_frame_previous(w->o, p);
	}
	return at == below ? WALK_OK : BOB_LOST_DEPTH;
}

/* For bytes that were not taken for a generator: returns WALK_OK if they are
 * none; BOB_LOST_READ if they may be one whose code could not be read. */
static int
check_no_generator(struct py_walk *w, const uint8_t *p)
{
	uint64_t code = py_frame_code(w->o, p);
	uint32_t index;
	int r = CODE_STRANGE;

	if (py_frame_owner(w->o, p) == PY_OWNER_GENERATOR && code != 0)
		r = py_codes_find(w->codes, code, &index);
	if (r == CODE_FATAL)
		return WALK_FATAL;
	return r == CODE_READ || (r == CODE_OK &&
	        (w->codes->code[index].flags & PY_CO_GENERATORS) != 0)
	    ? BOB_LOST_READ : WALK_OK;
}

/* Appends the generators on top of the chunk, as the thread told them a moment
 * later. One that was just left then is as good as one that was about to be
 * left. */
static int
collect_top(struct py_walk *w, uint64_t current)
{
	uint64_t top = w->scan[w->n_scan - 1];
	const uint8_t *p, *copied;
	int is_doubtful;

	if (current == 0)
		return BOB_LOST_READ;
	if (py_copy_chunk_of(w->copy, current) == 0) {
		p = current > top ? py_copy_frame(w->copy, w->scan_end) : NULL;
		current = p != NULL ? py_frame_previous(w->o, p) : 0;
	}
	if (current == 0 || current == top ||
	    py_copy_chunk_of(w->copy, current) >= 0)
		return WALK_OK;
	copied = py_copy_frame(w->copy, current);
	if (copied == NULL)
		return BOB_LOST_READ;
	p = py_links_recall(w, current, copied, &is_doubtful);
	if (p == NULL)
		return check_no_generator(w, copied);
	if (py_frame_owner(w->o, p) != PY_OWNER_GENERATOR)
		return WALK_OK;
	return collect_between(w, current, top);
}

int
py_chunk_collect(struct py_walk *w, uint64_t current)
{
	size_t i = w->n_scan;
	const uint8_t *p;
	int r;

	assert(w->n_scan > 0);
	w->n_frame = 0;
	w->is_repaired = 0;
	r = collect_top(w, current);
	if (r == BOB_LOST_READ)
		return r;
	if (r >= 0)
		w->n_frame = 0;
	w->n_loose = w->n_frame;
	w->has_looked = 0;
	while (r != WALK_FATAL && --i > 0) {
		p = py_copy_frame(w->copy, w->scan[i]);
		assert(p != NULL); /* py_chunk_scan() has seen it */
		r = py_frames_take(w, p, w->scan[i], PY_OWNER_THREAD);
		if (r == WALK_OK)
			r = collect_between(w, py_frame_previous(w->o, p),
			    w->scan[i - 1]);
		if (r != WALK_OK)
			return r;
	}
	return r != WALK_FATAL ? py_frames_collect_on(w, w->scan[0]) : r;
}

/* Returns 1 if bytes of a frame are as it was collected. The top one runs: its
 * instruction may differ. */
static int
is_as_taken(const struct py_walk *w, const struct py_walk_frame *f,
    const uint8_t *p)
{
	return py_frame_code(w->o, p) == f->code &&
	    py_frame_previous(w->o, p) == f->previous &&
	    (f == w->frame || py_frame_instr(w->o, p) == f->instr);
}

/* The same for n frames from the i-th on, which are read again; n is at most
 * MEM_MAX_SPANS. */
static int
are_as_taken(struct py_walk *w, size_t i, size_t n)
{
	uint8_t bytes[MEM_MAX_SPANS][PY_MAX_FRAME];
	struct mem_span v[MEM_MAX_SPANS];
	size_t size = w->o->fr_size, k;

	assert(n <= MEM_MAX_SPANS && i + n <= w->n_frame);
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
loose_frames_stay(struct py_walk *w)
{
	size_t end = w->n_loose + 1, n, i;

	if (end > w->n_frame || w->o->fr_size > PY_MAX_FRAME)
		return 0;
	for (i = 0; i < end; i += n) {
		n = end - i < MEM_MAX_SPANS ? end - i : MEM_MAX_SPANS;
		if (!are_as_taken(w, i, n))
			return 0;
	}
	return py_copy_is_still(w->copy, w->frame[0].at);
}

int
py_chunk_loose_stay(struct py_walk *w)
{
	if (!w->has_looked)
		w->has_stayed = loose_frames_stay(w);
	w->has_looked = 1;
	return w->has_stayed;
}

int
py_chunk_stands_still(const struct py_walk *w)
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
