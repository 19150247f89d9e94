/*
 * Bytes of ours that are read as if they were those of a process, and may
 * change while they are: for tests, and for fuzzing.
 */
#ifndef FUZZ_FAKEMEM_H
#define FUZZ_FAKEMEM_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

struct fakemem {
	struct mem mem;
	uint64_t at; /* of the first byte, in the process */
	uint8_t *bytes;
	size_t n;
	/* Called before span i of a read of n spans, when it is not NULL. */
	void (*before)(struct fakemem *m, size_t i, size_t n);
	void *user;
};

/* The bytes stay the caller's. */
void fakemem_init(struct fakemem *m, uint64_t at, uint8_t *bytes, size_t n);

/* The n low bytes of a number, `offset` bytes from the first. */
void fakemem_put(struct fakemem *m, size_t offset, uint64_t v, size_t n);

#endif
