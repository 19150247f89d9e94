/*
 * A buffer that is read as if it were the memory of a process. A test or a
 * fuzz program may change it between two reads.
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
	/* Unless NULL: called before span i of a read of n spans. */
	void (*before)(struct fakemem *m, size_t i, size_t n);
	void *user;
};

/* Borrows the bytes. */
void fakemem_init(struct fakemem *m, uint64_t at, uint8_t *bytes, size_t n);

/* Writes the n low bytes of v at `offset`. */
void fakemem_put(struct fakemem *m, size_t offset, uint64_t v, size_t n);

#endif
