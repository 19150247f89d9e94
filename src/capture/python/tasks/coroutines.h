/*
 * Reads chains of coroutines that wait: from the first, each awaits the next.
 * Their frames are in the coroutine objects (up to 3.10 the objects point to
 * them), not on the stack of a thread.
 */
#ifndef CAPTURE_PYTHON_TASKS_COROUTINES_H
#define CAPTURE_PYTHON_TASKS_COROUTINES_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/code/code.h"

/* Coroutines of one chain, at most. */
#define CORO_MAX_CHAIN 1024u

/* Bytes that are read of a coroutine, or of its frame, at once: mostly
 * including the values on its stack, which are at the end. Known versions need
 * 200. */
#define CORO_MAX_SIZE 512u

/* Types that are remembered. */
#define CORO_MAX_TYPES 32u

/* Chains whose beginnings are read together, and how many objects of each. */
#define CORO_AHEAD MEM_MAX_SPANS
#define CORO_AHEAD_DEPTH 6u

struct py_coro_layout;

/* The first n bytes of an object. */
struct py_coro_block {
	uint64_t at;
	size_t n;
	uint8_t bytes[CORO_MAX_SIZE];
};

struct py_coros {
	struct bob_ctx *ctx;
	struct mem *mem;
	struct py_codes *codes;
	const struct py_offsets *o;
	const struct py_coro_layout *layout; /* NULL: `o` has it (3.14 on) */
	struct {
		uint64_t at;
		int kind;
	} type[CORO_MAX_TYPES]; /* that were seen */
	unsigned n_type;
	struct ptrmap awaits; /* by address of an instruction: does it await */
	struct py_coro_block *ahead; /* blocks that were read ahead */
	size_t n_ahead, cap_ahead;
	struct ptrmap ahead_at; /* indices in `ahead`, by address */
	bob_fid *fid; /* frames of the last chain, outermost first */
	size_t n_fid, cap_fid;
	int is_running; /* the first coroutine of the last chain runs */
	uint32_t root_code;  /* index of the code of its first frame */
	uint64_t root_frame; /* address of that frame */
};

void py_coros_init(struct py_coros *c, struct py_codes *codes);
void py_coros_done(struct py_coros *c);

/* A sample begins: forgets what may have changed. */
void py_coros_begin(struct py_coros *c);

/* The address of the frame of a coroutine. 0 if it cannot be read. */
uint64_t py_coros_frame(struct py_coros *c, uint64_t coro);

/* Reads the qualified name of a coroutine, as py_text_read(); 3.7 to 3.13. */
int py_coros_name(struct py_coros *c, uint64_t coro, char *buf);

/*
 * Reads the frames of a chain: c->fid. 0; -EAGAIN if it moved meanwhile;
 * -ENOENT if it has ended, or is not a coroutine; -ENOMEM, recorded. If the
 * coroutine runs, only its first frame is read.
 */
int py_coros_read(struct py_coros *c, uint64_t coro);

/*
 * Reads the beginnings of n chains, at most CORO_AHEAD, with few calls. The
 * next calls of py_coros_read() use them, and still see if a chain has moved
 * since. With n = 0 what was read ahead is forgotten. 0; -ENOMEM, recorded.
 */
int py_coros_look_ahead(struct py_coros *c, const uint64_t *coro, size_t n);

#endif
