/*
 * Copies the state and all frames of one thread with one gathering read.
 *
 * From 3.11 on frames lie in chunks, one behind the other, so most of a stack
 * is one span of memory whose address and size hardly change. Other frames lie
 * elsewhere: those of generators, the marks that C leaves on its own stack when
 * it enters the interpreter, and up to 3.10 all frames. Where chunks and other
 * spans are is predicted from the sample before. They are read in this order:
 *
 * chunk | a span | chunk | other spans, older chunks | thread | ... | thread
 *
 * The first read makes the moment of the sample: each read takes cache lines
 * away from the thread, which then waits where it needs them next. The newest
 * chunk is read twice, with one span in between: another span in each sample.
 * What is equal in both copies stayed while that span was read. Up to 3.10
 * there are no chunks: the state of the thread, which has the current frame, is
 * read first, and the spans take turns at being read twice.
 */
#ifndef CAPTURE_PYTHON_FRAMES_COPY_H
#define CAPTURE_PYTHON_FRAMES_COPY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/offsets.h"
#include "core/error.h"

/* Spans outside of chunks. Each takes half a microsecond. So a span that was
 * not used in COPY_IDLE samples is dropped, and spans at most COPY_GAP bytes
 * apart are joined. */
#define COPY_MAX_SPANS 512
#define COPY_IDLE 64
#define COPY_GAP 1024
#define COPY_MAX_SPAN ((size_t)256 << 10)

/* A chunk has 16 KiB, unless a frame needs more. */
#define COPY_MAX_CHUNKS 256
#define COPY_MAX_CHUNK ((size_t)1 << 20)

/* Bytes of one copy, at most. */
#define COPY_MAX_BYTES ((size_t)8 << 20)

struct py_copy_span {
	uint64_t at;
	size_t n;       /* bytes to copy */
	size_t n_read;  /* bytes that the last copy has */
	size_t offset;  /* of them in `bytes` */
	size_t limit;   /* of a chunk: its size */
	unsigned idle;  /* samples since it was used */
};

/* Bytes that all copies of a process have: BOB_MAX_CAPTURE_COPY at most. */
struct py_copy_room {
	size_t n_bytes;
};

struct py_copy {
	struct bob_ctx *ctx;
	struct py_copy_room *room; /* NULL: not counted */
	struct mem *mem;
	const struct py_offsets *o;
	uint64_t thread, interp;
	uint64_t gil;      /* its address, or 0 */
	size_t n_thread;   /* bytes of PyThreadState that are read */
	size_t interp_from, n_interp; /* the same of PyInterpreterState */
	uint64_t cframe;   /* 3.11 and 3.12: address of the _PyCFrame */
	uint64_t current;  /* the frame that it pointed to */
	/* What was copied. */
	uint8_t before[PY_MAX_THREAD], after[PY_MAX_THREAD];
	uint8_t cframe_after[16];
	uint8_t state[PY_MAX_INTERP];
	uint8_t lock[32];
	struct py_copy_span *span; /* outside of chunks */
	size_t n_span, cap_span;
	size_t n_sorted; /* the first ones are sorted by address */
	struct py_copy_span *chunk; /* newest first */
	size_t n_chunk, cap_chunk;
	uint8_t *bytes;
	size_t cap_bytes, n_bytes;
	size_t twice;    /* span that was read twice, up to 3.10 */
	size_t first;    /* span that was read in between */
	size_t turn;
	size_t again;    /* offset of the second copy */
	int has_missed;  /* a frame was not in the copy, and read later */
	int is_primed;
};

void py_copy_init(struct py_copy *c, struct bob_ctx *ctx, struct mem *mem,
    const struct py_offsets *o, uint64_t thread, uint64_t interp,
    uint64_t gil);
void py_copy_done(struct py_copy *c);

/*
 * Takes a copy. 0; -EAGAIN if the prediction was wrong: it was corrected, try
 * again; -ENOMEM, recorded; another -errno if it cannot be read.
 */
int py_copy_take(struct py_copy *c);

/* The current frame by the first (0) or the second (1) copy of the thread's
 * state. 0 if there is none. */
uint64_t py_copy_current(const struct py_copy *c, int after);

/* Returns 1 if no function runs. */
int py_copy_is_idle(const struct py_copy *c);

/* Returns 0 if a frame was entered after the copy was begun: then the bytes at
 * its address are older than the frame. */
int py_copy_was_there(const struct py_copy *c, uint64_t frame);

/* Returns 0 if a frame had returned when the copy was done. */
int py_copy_is_there(const struct py_copy *c, uint64_t frame);

/* Returns 1 if a frame was copied between the two copies of the chunk or span
 * that is read twice. */
int py_copy_is_first(const struct py_copy *c, uint64_t frame);

/* A frame as it is in the second of these copies. NULL if that does not have
 * it. */
const uint8_t *py_copy_again(const struct py_copy *c, uint64_t frame);

/* Returns 1 if everything below a frame in the newest chunk, variables too, was
 * the same in both copies. Then the frame did not return and get called
 * again. */
int py_copy_is_one_call(const struct py_copy *c, uint64_t frame);

/* Reads the current frame of the thread again. Returns 1 if it is `frame`. */
int py_copy_is_still(struct py_copy *c, uint64_t frame);

/* The index of the chunk that a frame is in: 0 for the newest; -1 if it is in
 * none. */
int py_copy_chunk_of(const struct py_copy *c, uint64_t frame);

/*
 * o->fr_size bytes of a frame. If the copy does not have them, they are read
 * now: has_missed is set, and the next copy has them. NULL if they cannot be
 * read. Valid until the next call.
 */
const uint8_t *py_copy_frame(struct py_copy *c, uint64_t frame);

/* The bytes that py_copy_frame() read last are no frame: they are not part of
 * the next copy. */
void py_copy_dismiss(struct py_copy *c, uint64_t frame);

/* The sample is done: predicts the spans of the next one. 0; -ENOMEM,
 * recorded. */
int py_copy_learn(struct py_copy *c);

/* A field of the thread's state, in its first (0) or second (1) copy. bounds.c
 * has checked the offset. */
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

/* A field of the copied state of the interpreter. 0 if it was not copied. */
uint64_t py_copy_interp_u64(const struct py_copy *c, uint32_t offset);
/* The thread that held the GIL, as copied. 0 if none did. */
uint64_t py_copy_lock_holder(const struct py_copy *c);

#endif
