/*
 * A hash table from 64-bit keys, mostly pointers of a process, to 32-bit
 * numbers. Keys come from the process, so the caller limits how many there are.
 * Key 0 means an empty slot and cannot be stored.
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
	uint64_t seed; /* random, so that a process cannot make keys collide */
};

#define PTRMAP_NONE UINT32_MAX

/* Makes one key of two. */
static inline uint64_t
ptrmap_mix(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15ull) ^ b;
}

/* Returns the number of a key, or PTRMAP_NONE. */
uint32_t ptrmap_get(const struct ptrmap *m, uint64_t key);

/* Sets the number of a key; nothing happens for key 0. Returns BOB_OK, or FATAL
 * if memory is out. */
int ptrmap_put(struct bob_ctx *ctx, struct ptrmap *m, uint64_t key,
    uint32_t value);

/* Removes all keys, and keeps the memory. */
void ptrmap_clear(struct ptrmap *m);
void ptrmap_free(struct ptrmap *m);

#endif
