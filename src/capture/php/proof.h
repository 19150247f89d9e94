/*
 * What the address of a value depends on.
 *
 * The process runs on while a variable is looked up through tables and
 * pointers. Everything that the way went by is noted here, and compared again
 * together with the value itself: when all of it is as it was, the value was
 * the variable's at that moment. It also is the fast way the next time: as
 * long as the proof holds, the variable is where it was.
 */
#ifndef CAPTURE_PHP_PROOF_H
#define CAPTURE_PHP_PROOF_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

/* A class and its property, references, and a table per step. */
#define PROOF_MAX 48
#define PROOF_BYTES 16

struct proof_part {
	uint64_t at;
	uint32_t n; /* bytes */
	uint8_t was[PROOF_BYTES];
};

struct proof {
	struct mem *mem;
	struct proof_part part[PROOF_MAX];
	size_t n;
};

void proof_begin(struct proof *p, struct mem *mem);

/* Notes n <= PROOF_BYTES bytes that were read. 0; -1 when there is no room. */
int proof_note(struct proof *p, uint64_t at, const void *was, size_t n);

/* Reads a word and notes it. 0, or -1. */
int proof_word(struct proof *p, uint64_t at, uint64_t *ret);

/* Reads the spans, together with everything that was noted: 1 when that is as
 * it was. At most MEM_MAX_SPANS - PROOF_MAX spans. */
int proof_holds(struct proof *p, const struct mem_span *v, size_t n);

#endif
