/* Finding the row of a sample; see the header. */
#include "analyze/rows.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"

#define KEY_SIZE offsetof(struct row, samples)

void
rows_init(struct rows *r, struct bob_ctx *ctx, uint64_t seed)
{
	memset(r, 0, sizeof(*r));
	r->ctx = ctx;
	r->seed = seed;
}

static size_t
n_guesses(const struct rows *r)
{
	return r->guess == NULL ? 0 : (size_t)r->guess_mask + 1;
}

void
rows_done(struct rows *r)
{
	MEM_FREE_BIG(r, row);
	big_free(r->guess, n_guesses(r) * sizeof(*r->guess));
	intern_free(&r->by_key);
}

/* Makes the guesses four times as many as rows. They are forgotten. */
static int
grow_guess(struct rows *r)
{
	uint32_t n = 1024;
	uint32_t *guess;

	while (n / 4 < r->n && n < 1u << 30)
		n *= 2;
	guess = big_zeroed(n, sizeof(*guess));
	if (guess == NULL)
		return err_nomem(r->ctx);
	big_free(r->guess, n_guesses(r) * sizeof(*guess));
	r->guess = guess;
	r->guess_mask = n - 1;
	return BOB_OK;
}

static uint32_t
add(struct rows *r, const struct row *key, uint64_t hash, uint32_t at)
{
	if (r->n >= BOB_MAX_IDS) {
		(void)err_set(r->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "too many distinct samples");
		return BOB_NO_ID;
	}
	if (MEM_GROW_BIG(r->ctx, r, row, (size_t)r->n + 1) < 0)
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

	uint32_t *guess;

	if ((r->guess == NULL || r->guess_mask / 4 < r->n) &&
	    r->guess_mask < (1u << 30) - 1 && grow_guess(r) < 0)
		return BOB_NO_ID;
	guess = &r->guess[rows_guess_at(r, key->stack, key->track,
	    key->annot)];
	if (*guess != 0 &&
	    memcmp(&r->row[*guess - 1], key, KEY_SIZE) == 0)
		return *guess - 1;
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
	*guess = id;
	return id - 1;
}
