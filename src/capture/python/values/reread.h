/*
 * Reads memory and remembers the bytes, so that all of it can be read a second
 * time: what is the same both times was in memory at one moment between the
 * two.
 *
 * This is for values that are made of several objects, which other threads may
 * change meanwhile. A read that would exceed the limits fails with -E2BIG.
 */
#ifndef CAPTURE_PYTHON_VALUES_REREAD_H
#define CAPTURE_PYTHON_VALUES_REREAD_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

#define REREAD_MAX_SPANS 512
#define REREAD_MAX_BYTES ((size_t)64 << 10)

struct reread {
	struct mem mem;   /* reads through it are remembered */
	struct mem *from;
	struct mem_span span[REREAD_MAX_SPANS]; /* each points into `again` */
	size_t n_span, n_bytes;
	uint8_t bytes[REREAD_MAX_BYTES]; /* as they were read */
	uint8_t again[REREAD_MAX_BYTES];
};

void reread_init(struct reread *r, struct mem *from);

/* Forgets all reads. */
void reread_begin(struct reread *r);

/* Reads everything once more. Returns 1 if all bytes are as before. */
int reread_is_same(struct reread *r);

#endif
