/* Finding the row of a sample; see the header. */
#include "analyze/rows.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"
#include "pipeline/memo.h"

#define KEY_SIZE offsetof(struct row, samples)

void
rows_init(struct rows *r, struct bob_ctx *ctx, uint64_t seed)
{
	memset(r, 0, sizeof(*r));
	r->ctx = ctx;
	r->seed = seed;
}

void
rows_done(struct rows *r)
{
	free(r->row);
	free(r->of_stack);
	intern_free(&r->by_key);
}

static uint32_t
add(struct rows *r, const struct row *key, uint64_t hash, uint32_t at)
{
	if (r->n >= BOB_MAX_IDS) {
		(void)err_set(r->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "too many distinct samples");
		return BOB_NO_ID;
	}
	if (MEM_GROW(r->ctx, r, row, (size_t)r->n + 1) < 0)
		return BOB_NO_ID;
	r->row[r->n] = *key;
	intern_add(&r->by_key, hash, at, r->n + 1);
	return r->n++;
}

uint32_t
rows_find(struct rows *r, const struct row *key)
{
	uint64_t hash;
	uint32_t at, id;

	/* What a stack had before it mostly has again. */
	if (key->stack < r->cap_of_stack) {
		id = r->of_stack[key->stack];
		if (id != 0 && memcmp(&r->row[id - 1], key, KEY_SIZE) == 0)
			return id - 1;
	} else if (MEMO_GROW(r->ctx, r, of_stack,
	    (size_t)key->stack + 1) < 0) {
		return BOB_NO_ID;
	}
	if (intern_reserve(r->ctx, &r->by_key) < 0)
		return BOB_NO_ID;
	hash = XXH3_64bits_withSeed(key, KEY_SIZE, r->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&r->by_key, hash, &at)) != 0)
		if (memcmp(&r->row[id - 1], key, KEY_SIZE) == 0)
			break;
	if (id == 0) {
		id = add(r, key, hash, at);
		if (id == BOB_NO_ID)
			return BOB_NO_ID;
		id++;
	}
	r->of_stack[key->stack] = id;
	return id - 1;
}
