/*
 * Coroutines that wait: the chain from the first to the innermost, each
 * awaiting the next. Their frames are in them (up to 3.10 beside them), not on
 * the stack of a thread.
 */
#ifndef CAPTURE_PYTHON_CORO_H
#define CAPTURE_PYTHON_CORO_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/code.h"

/* Coroutines of one chain. */
#define CORO_MAX_CHAIN 1024u

/* What is read of one, or of its frame, at once: mostly with the values on its
 * stack, which are at the end. Known versions need 200. */
#define CORO_MAX_SIZE 512u

#define CORO_MAX_TYPES 32u

/* Chains that are read ahead, together, and how many objects of each. */
#define CORO_AHEAD MEM_MAX_SPANS
#define CORO_AHEAD_DEPTH 6u

struct py_coro_layout;

/* Bytes of an object, as many as there are. */
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
	const struct py_coro_layout *layout; /* NULL: the process tells it */
	struct {
		uint64_t at;
		int kind;
	} type[CORO_MAX_TYPES]; /* that were met */
	unsigned n_type;
	struct ptrmap awaits; /* instructions that were looked at */
	struct py_coro_block *ahead;
	size_t n_ahead, cap_ahead;
	struct ptrmap ahead_at;
	bob_fid *fid; /* of the last chain, outermost first */
	size_t n_fid, cap_fid;
	int is_running; /* the last chain was one that runs */
};

void py_coros_init(struct py_coros *c, struct py_codes *codes);
void py_coros_done(struct py_coros *c);

/* What may have changed since the last sample is forgotten. */
void py_coros_begin(struct py_coros *c);

/* Where the frame of a coroutine is; 0: not known. */
uint64_t py_coros_frame(struct py_coros *c, uint64_t coro);

/* The qualified name of a coroutine, as text.h reads it; 3.7 to 3.13. */
int py_coros_name(struct py_coros *c, uint64_t coro, char *buf);

/*
 * The frames of a chain. 0; -EAGAIN when it moved meanwhile; -ENOENT when it
 * has ended, or is none; -ENOMEM, recorded. Of a coroutine that runs there is
 * only the first frame.
 */
int py_coros_read(struct py_coros *c, uint64_t coro);

/*
 * Reads the beginnings of up to CORO_AHEAD chains with few calls, for the next
 * calls of py_coros_read; which still sees when they have moved since. Without
 * any, what was read ahead is forgotten. 0, or -ENOMEM, recorded.
 */
int py_coros_look_ahead(struct py_coros *c, const uint64_t *coro, size_t n);

/* What the type at an address is called, cut to cap - 1 bytes: 0, or
 * -errno. */
int py_type_name(struct mem *m, const struct py_offsets *o, uint64_t type,
    char *buf, size_t cap);

#endif
