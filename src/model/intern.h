/*
 * An open-addressing hash table from hash to id. The entries themselves are in
 * an array of the caller, who compares them.
 *
 *     at = (uint32_t)(hash >> 32);
 *     while ((id = intern_probe(t, hash, &at)) != 0)
 *             if (entry[id] equals the new one)
 *                     return id;
 *     intern_add(t, hash, at, new_id);
 *
 * A slot holds the upper half of the hash and the id, so that most misses are
 * found without reading the entry. Id 0 (none) marks an empty slot.
 */
#ifndef MODEL_INTERN_H
#define MODEL_INTERN_H

#include <assert.h>
#include <stdint.h>

#include "core/error.h"

struct intern {
	uint64_t *slot; /* hash >> 32 << 32 | id */
	uint32_t mask;  /* slots - 1; 0: none yet */
	uint32_t used;
	struct budget *budget; /* the slots count against it */
};

/* Grows the table so that one more id fits. Call it before probing. Returns
 * BOB_OK or FATAL. */
int intern_reserve(struct bob_ctx *ctx, struct intern *t);

void intern_free(struct intern *t);

/* Returns the next id whose hash may be equal; 0 if there is none: *at is then
 * the slot for a new one. */
static inline uint32_t
intern_probe(const struct intern *t, uint64_t hash, uint32_t *at)
{
	uint32_t i = *at;

	for (;;) {
		uint64_t s = t->slot[i & t->mask];

		if ((uint32_t)s == 0) {
			*at = i & t->mask;
			return 0;
		}
		i++;
		if ((s ^ hash) >> 32 == 0) {
			*at = i;
			return (uint32_t)s;
		}
	}
}

static inline void
intern_add(struct intern *t, uint64_t hash, uint32_t at, uint32_t id)
{
	assert(id != 0 && (uint32_t)t->slot[at] == 0);
	t->slot[at] = (hash >> 32 << 32) | id;
	t->used++;
}

#endif
