/*
 * A table from pointers of a process to numbers, for what was learned about
 * them. Open addressing; key 0 is free. Keys come from the process, so the
 * caller bounds how many there are.
 */
#ifndef CAPTURE_PTRMAP_H
#define CAPTURE_PTRMAP_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

struct ptrmap_slot {
	uint64_t key;
	uint32_t value;
	uint32_t zero;
};

struct ptrmap {
	struct ptrmap_slot *slot;
	size_t mask; /* slots - 1; 0: none yet */
	size_t used;
	uint64_t seed; /* odd, so that nobody can choose keys that collide */
};

#define PTRMAP_NONE UINT32_MAX

/* Two pointers as one key. */
static inline uint64_t
ptrmap_mix(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15ull) ^ b;
}

uint32_t ptrmap_get(const struct ptrmap *m, uint64_t key);
int ptrmap_put(struct bob_ctx *ctx, struct ptrmap *m, uint64_t key,
    uint32_t value);
void ptrmap_clear(struct ptrmap *m);
void ptrmap_free(struct ptrmap *m);

#endif
