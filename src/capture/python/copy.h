/*
 * A copy of what one thread runs, made by one gathering read.
 *
 * From 3.11 on frames lie in chunks, one upon the other, so that most of a
 * stack is one span of memory whose address and size hardly change. What lies
 * elsewhere did so a moment ago too: frames of generators, the marks that C
 * leaves on its own stack when it enters the interpreter, and up to 3.10 all
 * frames. Both are predicted from the sample before:
 *
 *     chunk | a span | chunk | elsewhere, older chunks | thread | ... | thread
 *
 * What is read first makes the moment of the sample: each read takes memory
 * away from the thread, which waits for it where it needs it next. The second
 * copy of the chunk tells what stayed while that span, another one each time,
 * was copied. Without chunks the state of the thread, which tells the current
 * frame, is the first, and spans take turns at being copied twice.
 */
#ifndef CAPTURE_PYTHON_COPY_H
#define CAPTURE_PYTHON_COPY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/offsets.h"
#include "core/error.h"

/* Spans elsewhere. Each takes half a microsecond, so those that were not used
 * for a while are left out, and those near to each other are one. */
#define COPY_MAX_SPANS 512
#define COPY_IDLE 64
#define COPY_GAP 1024
#define COPY_MAX_SPAN ((size_t)256 << 10)

/* Chunks of 16 KiB, unless a frame needs more. */
#define COPY_MAX_CHUNKS 256
#define COPY_MAX_CHUNK ((size_t)1 << 20)

/* All bytes of one copy. */
#define COPY_MAX_BYTES ((size_t)8 << 20)

struct py_copy_span {
	uint64_t at;
	size_t n;
	size_t offset;  /* of its bytes in `bytes` */
	size_t limit;   /* of a chunk: all it has */
	unsigned idle;  /* samples since it was of use */
};

/* What all copies of a process hold, in bytes: BOB_MAX_LIVE_COPY at most. */
struct py_copy_room {
	size_t n_bytes;
};

struct py_copy {
	struct bob_ctx *ctx;
	struct py_copy_room *room; /* NULL: nobody counts */
	struct mem *mem;
	const struct py_offsets *o;
	uint64_t thread, interp;
	uint64_t gil;      /* an address of its own, or 0 */
	size_t n_thread;   /* bytes of its state that are read */
	size_t interp_from, n_interp; /* of the interpreter's */
	uint64_t cframe;   /* 3.11 and 3.12: where it was */
	uint64_t current;  /* and what was in it */
	/* What was copied. */
	uint8_t before[PY_MAX_THREAD], after[PY_MAX_THREAD];
	uint8_t cframe_after[16];
	uint8_t state[PY_MAX_INTERP];
	uint8_t lock[32];
	struct py_copy_span *span; /* by address; what was missed is behind */
	size_t n_span, cap_span;
	size_t n_sorted;
	struct py_copy_span *chunk; /* newest first */
	size_t n_chunk, cap_chunk;
	uint8_t *bytes;
	size_t cap_bytes, n_bytes;
	size_t twice;    /* which span was copied twice; none with chunks */
	size_t first;    /* which one was copied in between */
	size_t turn;
	size_t again;    /* offset of the newest chunk, as it was at last */
	int has_missed;
	int is_primed;
};

void py_copy_init(struct py_copy *c, struct bob_ctx *ctx, struct mem *mem,
    const struct py_offsets *o, uint64_t thread, uint64_t interp,
    uint64_t gil);
void py_copy_done(struct py_copy *c);

/*
 * Takes a copy. 0; -errno when it cannot be read; -EAGAIN when the prediction
 * was wrong and has been put right: try again. -ENOMEM is recorded.
 */
int py_copy_take(struct py_copy *c);

/* The current frame, as the first (0) or the last (1) copy of the state of the
 * thread says; 0: none. */
uint64_t py_copy_current(const struct py_copy *c, int after);

/* True when no function runs. */
int py_copy_is_idle(const struct py_copy *c);

/* False when a frame was entered only after the copy was begun, so that what
 * is in its place is older. */
int py_copy_was_there(const struct py_copy *c, uint64_t frame);

/* False when a frame had returned when the copy was done. */
int py_copy_is_there(const struct py_copy *c, uint64_t frame);

/* True when a frame was copied between the two copies of something; and a frame
 * as it was in the second of them, NULL when that does not have it. */
int py_copy_is_first(const struct py_copy *c, uint64_t frame);
const uint8_t *py_copy_again(const struct py_copy *c, uint64_t frame);

/* True when all that lies below a frame in the newest chunk, variables too, was
 * the same in both copies: it has not returned and been called once more. */
int py_copy_is_one_call(const struct py_copy *c, uint64_t frame);

/* Looks once more: is that frame still the current one? */
int py_copy_is_still(struct py_copy *c, uint64_t frame);

/* Where in the chunks a frame is: 0 the newest, -1 elsewhere. */
int py_copy_chunk_of(const struct py_copy *c, uint64_t frame);

/*
 * o->fr_size bytes of a frame, from the copy, or read now: then has_missed is
 * set, and it is part of the next copy. NULL when they cannot be read. Valid
 * until the next call.
 */
const uint8_t *py_copy_frame(struct py_copy *c, uint64_t frame);

/* What was read last is no frame: it will not be copied again. */
void py_copy_dismiss(struct py_copy *c, uint64_t frame);

/* The sample is done: predicts the next one. -ENOMEM is recorded. */
int py_copy_learn(struct py_copy *c);

/* Fields of the state of the thread, as the first (0) or the last (1) copy of
 * it has them. Their offsets have passed bounds.h. */
static inline uint64_t
py_copy_thread_u64(const struct py_copy *c, int after, uint32_t offset)
{
	assert(offset <= PY_MAX_THREAD - 8);
	return mem_u64(after ? c->after : c->before, offset);
}

static inline uint32_t
py_copy_thread_u32(const struct py_copy *c, uint32_t offset)
{
	assert(offset <= PY_MAX_THREAD - 4);
	return mem_u32(c->before, offset);
}

/* Fields of the interpreter's state and of the lock, as copied. */
uint64_t py_copy_interp_u64(const struct py_copy *c, uint32_t offset);
uint64_t py_copy_lock_holder(const struct py_copy *c);

#endif
