/*
 * Fields of a frame, from o->fr_size bytes of it, in the layout of any version.
 */
#ifndef CAPTURE_PYTHON_FRAMES_FRAME_BYTES_H
#define CAPTURE_PYTHON_FRAMES_FRAME_BYTES_H

#include <assert.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/offsets.h"

/* From 3.11 to 3.13 a frame has _PyInterpreterFrame.stacktop, right behind the
 * instruction. It is negative while the frame's own code runs. */
#define PY_LAST_WITH_STACK_TOP 13

/*
 * Up to 3.10 a frame is an object. It is freed if its reference count is 0. All
 * frames of a stack are running, except that the top one may be resting: it is
 * about to begin or has just returned, and its caller is the real top.
 */
enum py_life { PY_FREED, PY_RESTING, PY_RUNNING };

static inline enum py_life
py_frame_life(const struct py_offsets *o, const uint8_t *p)
{
	if (o->fr_state == PY_NONE)
		return PY_RUNNING;
	/* NOLINT(-Wanalyzer-use-of-uninitialized-value): gcc does not see that
	 * a gather fills what its spans point to. */
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

/* f_lasti up to 3.10; from 3.11 on the address of the instruction. */
static inline uint64_t
py_frame_instr(const struct py_offsets *o, const uint8_t *p)
{
	assert(o->fr_instr + 8 <= o->fr_size);
	return o->minor <= 10 ? mem_u32(p, o->fr_instr)
	                      : mem_u64(p, o->fr_instr);
}

/* Index in co_tlbc of the copy of the code that it runs; 0: the code itself. */
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

/* Returns 1 if its own code runs, and not that of a callee. Always 0 in
 * versions that do not tell. */
static inline int
py_frame_is_active(const struct py_offsets *o, const uint8_t *p)
{
	assert(o->minor > PY_LAST_WITH_STACK_TOP || o->ts_chunk == PY_NONE ||
	    o->fr_instr + 12 <= o->fr_size);
	return o->ts_chunk != PY_NONE && o->minor <= PY_LAST_WITH_STACK_TOP &&
	    (int32_t)mem_u32(p, o->fr_instr + 8) < 0;
}

#endif
