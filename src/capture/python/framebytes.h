/*
 * What the bytes of a frame say, in whatever version.
 */
#ifndef CAPTURE_PYTHON_FRAMEBYTES_H
#define CAPTURE_PYTHON_FRAMEBYTES_H

#include <assert.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/offsets.h"

/* From 3.11 to 3.13 _PyInterpreterFrame.stacktop, right behind the instruction,
 * is negative while a frame's own code runs. */
#define PY_LAST_WITH_STACK_TOP 13

/*
 * Up to 3.10 a frame is an object. One that nothing refers to was freed, and
 * all of a stack are running, except one on top that is about to begin or has
 * just returned: then its caller is on top.
 */
enum py_life { PY_FREED, PY_RESTING, PY_RUNNING };

static inline enum py_life
py_frame_life(const struct py_offsets *o, const uint8_t *p)
{
	if (o->fr_state == PY_NONE)
		return PY_RUNNING;
	if (mem_u64(p, 0) == 0)
		return PY_FREED;
	return mem_u8(p, o->fr_state) == o->fr_runs ? PY_RUNNING : PY_RESTING;
}

static inline int
py_frame_runs(const struct py_offsets *o, const uint8_t *p)
{
	return py_frame_life(o, p) == PY_RUNNING;
}

static inline uint64_t
py_frame_code(const struct py_offsets *o, const uint8_t *p)
{
	assert(o->fr_code + 8 <= o->fr_size);
	return mem_u64(p, o->fr_code) & o->code_mask;
}

/* What f_lasti is, or an address. */
static inline uint64_t
py_frame_instr(const struct py_offsets *o, const uint8_t *p)
{
	assert(o->fr_instr + 8 <= o->fr_size);
	return o->minor <= 10 ? mem_u32(p, o->fr_instr)
	                      : mem_u64(p, o->fr_instr);
}

/* Which copy of its code it runs. */
static inline uint32_t
py_frame_copy(const struct py_offsets *o, const uint8_t *p)
{
	return o->fr_copy != PY_NONE ? mem_u32(p, o->fr_copy) : 0;
}

static inline uint64_t
py_frame_previous(const struct py_offsets *o, const uint8_t *p)
{
	assert(o->fr_previous + 8 <= o->fr_size);
	return mem_u64(p, o->fr_previous);
}

static inline uint8_t
py_frame_owner(const struct py_offsets *o, const uint8_t *p)
{
	return o->fr_owner == PY_NONE ? PY_OWNER_THREAD
	                              : mem_u8(p, o->fr_owner);
}

/* Whether its own code runs, and no other that it calls; 0 where nothing tells
 * that. */
static inline int
py_frame_is_active(const struct py_offsets *o, const uint8_t *p)
{
	assert(o->minor > PY_LAST_WITH_STACK_TOP || o->ts_chunk == PY_NONE ||
	    o->fr_instr + 12 <= o->fr_size);
	return o->ts_chunk != PY_NONE && o->minor <= PY_LAST_WITH_STACK_TOP &&
	    (int32_t)mem_u32(p, o->fr_instr + 8) < 0;
}

#endif
