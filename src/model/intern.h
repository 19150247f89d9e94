/*
 * An open-addressing table from hash to id; the things themselves live in the
 * caller's array, and the caller compares them.
 *
 *     at = (uint32_t)(hash >> 32);
 *     while ((id = intern_probe(t, hash, &at)) != 0)
 *             if (thing[id] equals the new one)
 *                     return id;
 *     intern_add(t, hash, at, new_id);
 *
 * A slot holds the upper half of the hash and the id, so that most misses are
 * decided without touching the thing. Id 0 (none) marks an empty slot.
 */
#ifndef MODEL_INTERN_H
#define MODEL_INTERN_H

#include <stdint.h>

#include "core/error.h"

struct intern {
	uint64_t *slot; /* hash >> 32 << 32 | id */
	uint32_t mask;  /* slots - 1; 0: none yet */
	uint32_t used;
	struct budget *budget; /* that the slots count against */
};

/* Grows the table so that one more id fits. Call before probing. */
int intern_reserve(struct bob_ctx *ctx, struct intern *t);

void intern_free(struct intern *t);

/* Probing: ids whose hash may be equal, in order; 0 at the end, then *at is
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
	t->slot[at] = (hash >> 32 << 32) | id;
	t->used++;
}

#endif
