/*
 * Counts of callees by slot; see slots.h. A slot keeps the SLOT_CALLEES most
 * frequent callees: a new one takes the entry of the rarest.
 */
#include "capture/php/frames/slots.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* When a count gets here all counts of the slot are halved, so that recent
 * calls count more. */
#define MANY 1024

/* Distances and sizes are multiples of 16 and less than a page. */
#define BITS 17
#define MAX_BYTES ((uint64_t)16 << BITS)

/* Returns the key of a slot in by_key; 0 if it is too large to be
 * remembered. */
static uint64_t
slot_pack(const struct slot_key *k)
{
	if (k->distance >= MAX_BYTES || k->size >= MAX_BYTES)
		return 0;
	return ((uint64_t)k->caller << 2 * BITS | k->distance / 16 << BITS |
	        k->size / 16) + 1;
}

static void
slot_age(struct slot *s)
{
	size_t i;

	for (i = 0; i < SLOT_CALLEES; i++)
		s->callee[i].n /= 2;
}

/* Returns the entry of a function, or else that of the rarest, cleared. */
static struct slot_callee *
slot_entry(struct slot *s, uint32_t function)
{
	struct slot_callee *rarest = &s->callee[0];
	size_t i;

	for (i = 0; i < SLOT_CALLEES; i++) {
		struct slot_callee *c = &s->callee[i];

		if (c->n > 0 && c->place.function == function)
			return c;
		if (c->n < rarest->n)
			rarest = c;
	}
	rarest->n = 0;
	return rarest;
}

int
slots_note(struct bob_ctx *ctx, struct slots *s, const struct slot_key *key,
    bob_fid caller, const struct php_place *callee)
{
	uint64_t packed = slot_pack(key);
	uint32_t i = packed != 0 ? ptrmap_get(&s->by_key, packed) : 0;
	struct slot_callee *c;

	if (packed == 0)
		return BOB_OK;
	if (i == PTRMAP_NONE) {
		if (s->n_slot >= SLOTS_MAX)
			slots_forget(s);
		if (MEM_GROW(ctx, s, slot, s->n_slot + 1) < 0 ||
		    ptrmap_put(ctx, &s->by_key, packed,
		        (uint32_t)s->n_slot) < 0)
			return BOB_FATAL;
		i = (uint32_t)s->n_slot++;
		memset(&s->slot[i], 0, sizeof(s->slot[i]));
	}
	c = slot_entry(&s->slot[i], callee->function);
	c->place = *callee;
	c->caller = caller;
	if (++c->n >= MANY)
		slot_age(&s->slot[i]);
	return BOB_OK;
}

/* Returns a pseudo-random number below n. */
static uint32_t
slots_draw(struct slots *s, uint32_t n)
{
	s->seed = s->seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)s->seed * n >> 32);
}

/* Returns the callees of a slot, or NULL. */
static const struct slot_callee *
slots_look_up(const struct slots *s, const struct slot_key *key)
{
	uint64_t packed = slot_pack(key);
	uint32_t i = packed != 0 ? ptrmap_get(&s->by_key, packed)
	                         : PTRMAP_NONE;

	return i != PTRMAP_NONE ? s->slot[i].callee : NULL;
}

const struct slot_callee *
slots_find_of(const struct slots *s, const struct slot_key *key,
    uint32_t function)
{
	const struct slot_callee *c = slots_look_up(s, key);
	size_t k;

	for (k = 0; c != NULL && k < SLOT_CALLEES; k++)
		if (c[k].n > 0 && c[k].place.function == function)
			return &c[k];
	return NULL;
}

const struct slot_callee *
slots_find(struct slots *s, const struct slot_key *key)
{
	const struct slot_callee *c = slots_look_up(s, key);
	uint32_t all = 0, drawn;
	size_t k;

	if (c == NULL)
		return NULL;
	for (k = 0; k < SLOT_CALLEES; k++)
		all += c[k].n;
	drawn = slots_draw(s, all);
	for (k = 0; k < SLOT_CALLEES; k++) {
		if (drawn < c[k].n)
			return &c[k];
		drawn -= c[k].n;
	}
	return NULL;
}

void
slots_forget(struct slots *s)
{
	ptrmap_clear(&s->by_key);
	s->n_slot = 0;
}

void
slots_free(struct slots *s)
{
	ptrmap_free(&s->by_key);
	free(s->slot);
}
