/* Counts calls, by caller, callee and place; see calls.h. */
#include "capture/calls.h"

#include <stdlib.h>

#include "core/mem.h"

/* Where counting ends. */
#define MANY (1u << 24)

/* calls_knows(): a place is a mistake if it was seen RARE times less often than
 * the most frequent one, and fewer than NO_CHANCE times. */
#define RARE 8
#define NO_CHANCE 512
_Static_assert(MANY <= UINT32_MAX / RARE, "counts times RARE must fit");

/* calls_find_only(): the only place was seen OFTEN times, and SELDOM times as
 * often as all others. */
#define OFTEN 4
#define SELDOM 4

static uint64_t
pair_key(uint32_t caller, uint32_t callee)
{
	return ((uint64_t)caller << 32 | callee) + 1;
}

static uint32_t
place_count(const struct ptrmap *m, uint64_t key)
{
	uint32_t n = ptrmap_get(m, key);

	return n == PTRMAP_NONE ? 0 : n;
}

static struct call *
calls_look_up(const struct calls *c, uint64_t key)
{
	uint32_t i = ptrmap_get(&c->pairs, key);

	return i == PTRMAP_NONE ? NULL : &c->call[i];
}

uint32_t
calls_find(const struct calls *c, uint32_t caller, uint32_t callee)
{
	const struct call *k = calls_look_up(c, pair_key(caller, callee));

	return k == NULL || k->n < 2 ? CALLS_NONE : k->place;
}

uint32_t
calls_find_only(const struct calls *c, uint32_t caller, uint32_t callee)
{
	const struct call *k = calls_look_up(c, pair_key(caller, callee));

	return k != NULL && k->n_there >= OFTEN &&
	        k->n - k->n_there <= k->n_there / SELDOM
	    ? k->place : CALLS_NOWHERE;
}

int
calls_knows(const struct calls *c, uint32_t caller, uint32_t place,
    uint32_t callee)
{
	uint64_t key = pair_key(caller, callee);
	const struct call *k = calls_look_up(c, key);
	uint32_t n;

	if (k == NULL)
		return 0;
	n = place == k->place ? k->n_there
	                      : place_count(&c->places, ptrmap_mix(key, place));
	return n >= 2 && (n >= NO_CHANCE || n * RARE >= k->n_there);
}

static struct call *
calls_add(struct bob_ctx *ctx, struct calls *c, uint64_t key)
{
	if (MEM_GROW(ctx, c, call, c->n_call + 1) < 0 ||
	    ptrmap_put(ctx, &c->pairs, key, (uint32_t)c->n_call) < 0)
		return NULL;
	c->call[c->n_call] = (struct call){ .place = CALLS_NOWHERE };
	return &c->call[c->n_call++];
}

/* Counts a place that was not the most frequent one; it may become that. */
static int
note_elsewhere(struct bob_ctx *ctx, struct calls *c, uint64_t key,
    struct call *k, uint32_t place)
{
	uint32_t n = place_count(&c->places, ptrmap_mix(key, place)) + 1;
	struct call was = *k;

	if (n <= was.n_there)
		return ptrmap_put(ctx, &c->places, ptrmap_mix(key, place), n);
	k->place = place;
	k->n_there = n;
	return was.n_there == 0 ? BOB_OK
	    : ptrmap_put(ctx, &c->places, ptrmap_mix(key, was.place),
	          was.n_there);
}

int
calls_note(struct bob_ctx *ctx, struct calls *c, uint32_t caller,
    uint32_t place, uint32_t callee)
{
	uint64_t key = pair_key(caller, callee);
	struct call *k = calls_look_up(c, key);

	if (c->pairs.used + c->places.used > CALLS_MAX) {
		calls_forget(c);
		k = NULL;
	}
	if (k == NULL)
		k = calls_add(ctx, c, key);
	if (k == NULL)
		return BOB_FATAL;
	if (k->n == MANY)
		return BOB_OK;
	k->n++;
	if (place == CALLS_NOWHERE)
		return BOB_OK;
	if (place != k->place)
		return note_elsewhere(ctx, c, key, k, place);
	k->n_there++;
	return BOB_OK;
}

void
calls_forget(struct calls *c)
{
	ptrmap_clear(&c->pairs);
	ptrmap_clear(&c->places);
	c->n_call = 0;
}

void
calls_free(struct calls *c)
{
	ptrmap_free(&c->pairs);
	ptrmap_free(&c->places);
	free(c->call);
	*c = (struct calls){ 0 };
}
