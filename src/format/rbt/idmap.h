/*
 * A map from the ids of a file to values. Real writers count from 0, so ids
 * index an array. A file may legally use any 64-bit id, so ids that are far off
 * go to a hash table: a crafted id cannot make the array large.
 */
#ifndef FORMAT_RBT_IDMAP_H
#define FORMAT_RBT_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/mem.h"
#include "model/intern.h"

#define IDMAP_NONE UINT32_MAX

struct idmap {
	struct bob_ctx *ctx; /* of its memory; NULL: none yet */
	uint32_t *dense; /* IDMAP_NONE where undefined */
	size_t cap_dense;
	size_t n_dense; /* ids below this are looked up in dense */
	size_t n_set;
	size_t top; /* no id from here on is set in dense */
	struct intern far;
	uint64_t *far_key; /* by entry of far; entry 0 is unused */
	uint32_t *far_value;
	size_t cap_far_key, cap_far_value;
	uint64_t seed;
};

int idmap_set(struct bob_ctx *ctx, struct idmap *m, uint64_t id, uint32_t v);
uint32_t idmap_get_far(const struct idmap *m, uint64_t id);

static inline uint32_t
idmap_get(const struct idmap *m, uint64_t id)
{
	return id < m->n_dense ? m->dense[id] : idmap_get_far(m, id);
}

/* Forgets all ids, keeps the memory. */
void idmap_clear(struct idmap *m);
void idmap_free(struct idmap *m);

#endif
