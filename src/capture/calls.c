/* Counts, by functions and by places in them. */
#include "capture/calls.h"

/* Where counting ends. */
#define MANY 4096

#define RARE 8

static uint64_t
pair_key(uint32_t caller, uint32_t callee)
{
	return ((uint64_t)caller << 32 | callee) + 1;
}

static uint32_t
count(const struct ptrmap *m, uint64_t key)
{
	uint32_t n = ptrmap_get(m, key);

	return n == PTRMAP_NONE ? 0 : n;
}

uint32_t
calls_find(const struct calls *c, uint32_t caller, uint32_t callee)
{
	uint64_t key = pair_key(caller, callee);

	return count(&c->pairs, key) < 2 ? CALLS_NONE : count(&c->best, key);
}

int
calls_knows(const struct calls *c, uint32_t caller, uint32_t place,
    uint32_t callee)
{
	uint64_t key = pair_key(caller, callee);
	uint32_t n = count(&c->places, ptrmap_mix(key, place));
	uint32_t most = count(&c->places,
	    ptrmap_mix(key, count(&c->best, key)));

	return n >= 2 && n * RARE >= most;
}

int
calls_note(struct bob_ctx *ctx, struct calls *c, uint32_t caller,
    uint32_t place, uint32_t callee)
{
	uint64_t key = pair_key(caller, callee);
	uint64_t there = ptrmap_mix(key, place);
	uint32_t n = count(&c->places, there), all = count(&c->pairs, key);
	uint32_t best = count(&c->best, key);
	int r = BOB_OK;

	if (n == MANY || (place == CALLS_NOWHERE && all == MANY))
		return BOB_OK;
	if (c->pairs.used + c->places.used > CALLS_MAX) {
		calls_forget(c);
		n = all = best = 0;
	}
	if (all < MANY)
		r = ptrmap_put(ctx, &c->pairs, key, all + 1);
	if (r != BOB_OK || place == CALLS_NOWHERE)
		return r;
	n++;
	if (best != place &&
	    n > count(&c->places, ptrmap_mix(key, best)))
		r = ptrmap_put(ctx, &c->best, key, place);
	return r == BOB_OK ? ptrmap_put(ctx, &c->places, there, n) : r;
}

void
calls_forget(struct calls *c)
{
	ptrmap_clear(&c->pairs);
	ptrmap_clear(&c->best);
	ptrmap_clear(&c->places);
}

void
calls_free(struct calls *c)
{
	ptrmap_free(&c->pairs);
	ptrmap_free(&c->best);
	ptrmap_free(&c->places);
}
