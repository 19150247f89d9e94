/* Finding the row of a sample; see the header. */
#include "analyze/rows.h"

#include <stdlib.h>

#include "core/mem.h"

void
rows_init(struct rows *r, struct bob_ctx *ctx, uint64_t seed)
{
	memset(r, 0, sizeof(*r));
	r->ctx = ctx;
	r->seed[0] = seed;
	/* A second seed, derived from the first. */
	r->seed[1] = rows_mix(seed ^ 0x9e3779b97f4a7c15u,
	    0xc2b2ae3d27d4eb4fu);
}

void
rows_done(struct rows *r)
{
	MEM_DROP_BIG(r->ctx, r, row);
	intern_free(&r->by_key);
}

static uint32_t
rows_add(struct rows *r, const struct row_key *key, uint64_t hash, uint32_t at)
{
	if (r->n >= BOB_MAX_IDS) {
		(void)err_set(r->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "too many distinct samples");
		return BOB_NO_ID;
	}
	if (MEM_GROW_BIG(r->ctx, r, row, (size_t)r->n + 1) < 0)
		return BOB_NO_ID;
	r->row[r->n] = (struct row){ .key = *key };
	intern_add(&r->by_key, hash, at, r->n + 1);
	return r->n++;
}

uint32_t
rows_of_key(struct rows *r, const struct row_key *key, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32), id;

	if (intern_reserve(r->ctx, &r->by_key) < 0)
		return BOB_NO_ID;
	while ((id = intern_probe(&r->by_key, hash, &at)) != 0)
		if (memcmp(&r->row[id - 1].key, key, sizeof(*key)) == 0)
			return id - 1;
	return rows_add(r, key, hash, at);
}
