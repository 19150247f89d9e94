/*
 * Coroutines that wait: the chain from the first to the innermost, each
 * awaiting the next. Their frames are in them, not on the stack of a thread.
 */
#ifndef CAPTURE_PYTHON_CORO_H
#define CAPTURE_PYTHON_CORO_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/code.h"

/* The first version whose chains can be read. */
#define PY_FIRST_CHAINS 14

/* Coroutines of one chain. */
#define CORO_MAX_CHAIN 1024u

/* What is read of one: its head, and a frame. */
#define CORO_MAX_SIZE 256u

#define CORO_MAX_TYPES 32u

struct py_coros {
	struct bob_ctx *ctx;
	struct mem *mem;
	struct py_codes *codes;
	const struct py_offsets *o;
	struct {
		uint64_t at;
		int kind;
	} type[CORO_MAX_TYPES]; /* that were met */
	unsigned n_type;
	bob_fid *fid; /* of the last chain, outermost first */
	size_t n_fid, cap_fid;
};

void py_coros_init(struct py_coros *c, struct py_codes *codes);
void py_coros_done(struct py_coros *c);

/* Where the frame of a coroutine is. */
uint64_t py_coros_frame(const struct py_coros *c, uint64_t coro);

/* The frames of a chain. 0; -EAGAIN when it moved meanwhile; -ENOENT when it
 * has ended, or is none; -ENOMEM, recorded. */
int py_coros_read(struct py_coros *c, uint64_t coro);

/* What the type of an object is called, cut to cap - 1 bytes: 0, or -errno. */
int py_type_name(struct mem *m, const struct py_offsets *o, uint64_t object,
    char *buf, size_t cap);

#endif
