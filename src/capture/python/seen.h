/*
 * Memory that remembers what was read from it, so that all of it can be read
 * once more: what is the same both times was so at one moment between them.
 *
 * For values that are made of several objects, which other threads may change
 * meanwhile. What is remembered has limits; beyond them nothing can be read.
 */
#ifndef CAPTURE_PYTHON_SEEN_H
#define CAPTURE_PYTHON_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

#define SEEN_MAX_SPANS 512
#define SEEN_MAX_BYTES ((size_t)64 << 10)

struct seen {
	struct mem mem;   /* reads through this are remembered */
	struct mem *from;
	struct mem_span span[SEEN_MAX_SPANS]; /* in `again`, when read so */
	size_t n_span, n_bytes;
	uint8_t bytes[SEEN_MAX_BYTES];
	uint8_t again[SEEN_MAX_BYTES];
};

void seen_init(struct seen *s, struct mem *from);

/* Forgets everything. */
void seen_begin(struct seen *s);

/* Whether all of it is still as it was read. */
int seen_is_still(struct seen *s);

#endif
