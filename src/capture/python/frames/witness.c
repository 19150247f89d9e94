/* Reads caller, callee and caller at once, and compares. */
#include "capture/python/frames/witness.h"

#include "capture/python/frames/frame_bytes.h"

/* Reads for one call. Each takes a microsecond, and a single one may hit by
 * chance. */
#define LOOKS 4

void
py_witness_doubt(struct py_walk *w, uint64_t caller, uint64_t callee)
{
	w->doubted = (struct py_walk_call){ caller, callee };
}

static int
has_stayed(const struct py_offsets *o, const uint8_t *p, const uint8_t *q)
{
	return py_frame_runs(o, p) && py_frame_runs(o, q) &&
	    py_frame_code(o, p) == py_frame_code(o, q) &&
	    py_frame_previous(o, p) == py_frame_previous(o, q) &&
	    py_frame_instr(o, p) == py_frame_instr(o, q);
}

static int
look_once(struct py_walk *w)
{
	uint8_t b[3][PY_MAX_FRAME];
	const struct py_offsets *o = w->o;
	const size_t n = o->fr_size;
	const struct mem_span v[] = { { w->watched.caller, b[0], n },
		{ w->watched.callee, b[1], n },
		{ w->watched.caller, b[2], n } };
	const uint32_t generation = w->codes->generation;
	uint32_t from, to;
	int64_t unit;
	int r;

	if (mem_gather(w->copy->mem, v, 3) != (long)(3 * n) ||
	    !has_stayed(o, b[0], b[2]) || !py_frame_runs(o, b[1]) ||
	    py_frame_previous(o, b[1]) != w->watched.caller)
		return WALK_OK;
	r = py_codes_find(w->codes, py_frame_code(o, b[0]), &from);
	if (r == CODE_OK)
		r = py_codes_unit(w->codes, from, py_frame_instr(o, b[0]),
		    py_frame_copy(o, b[0]), &unit);
	if (r == CODE_OK)
		r = py_codes_find(w->codes, py_frame_code(o, b[1]), &to);
	/* If the cache of code was emptied meanwhile, `from` is void. */
	if (r == CODE_OK && generation == w->codes->generation &&
	    calls_note(w->ctx, &w->codes->calls, from, (uint32_t)(unit + 1),
	        to) < 0)
		r = CODE_FATAL;
	return r == CODE_FATAL ? WALK_FATAL : WALK_OK;
}

int
py_witness_look(struct py_walk *w)
{
	int i, r = WALK_OK;

	for (i = 0; i < LOOKS && r == WALK_OK && w->watched.caller != 0; i++)
		r = look_once(w);
	w->watched = w->doubted;
	w->doubted.caller = 0;
	return r;
}
