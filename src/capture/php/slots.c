/* Counts of functions, by place and size; see the header. */
#include "capture/php/slots.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* Where counting ends: then all counts are halved, so that what was long ago
 * matters less. */
#define MANY 1024

/* Distances and sizes are multiples of 16 and less than a page. */
#define BITS 17
#define MAX_BYTES ((uint64_t)16 << BITS)

/* 0: not one that can be remembered. */
static uint64_t
pack(const struct slot_key *k)
{
	if (k->distance >= MAX_BYTES || k->size >= MAX_BYTES)
		return 0;
	return ((uint64_t)k->caller << 2 * BITS | k->distance / 16 << BITS |
	        k->size / 16) + 1;
}

static void
age(struct slot *s)
{
	size_t i;

	for (i = 0; i < SLOT_CALLEES; i++)
		s->callee[i].n /= 2;
}

/* The one of a function, or that of the rarest. */
static struct slot_callee *
entry_of(struct slot *s, uint32_t function)
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
	uint64_t packed = pack(key);
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
	c = entry_of(&s->slot[i], callee->function);
	c->place = *callee;
	c->caller = caller;
	if (++c->n >= MANY)
		age(&s->slot[i]);
	return BOB_OK;
}

/* A number below n; which one does not matter as long as it is not always the
 * same. */
static uint32_t
draw(struct slots *s, uint32_t n)
{
	s->lot = s->lot * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)s->lot * n >> 32);
}

/* The callees of a slot, or NULL. */
static const struct slot_callee *
look_up(const struct slots *s, const struct slot_key *key)
{
	uint64_t packed = pack(key);
	uint32_t i = packed != 0 ? ptrmap_get(&s->by_key, packed)
	                         : PTRMAP_NONE;

	return i != PTRMAP_NONE ? s->slot[i].callee : NULL;
}

const struct slot_callee *
slots_find_of(const struct slots *s, const struct slot_key *key,
    uint32_t function)
{
	const struct slot_callee *c = look_up(s, key);
	size_t k;

	for (k = 0; c != NULL && k < SLOT_CALLEES; k++)
		if (c[k].n > 0 && c[k].place.function == function)
			return &c[k];
	return NULL;
}

const struct slot_callee *
slots_find(struct slots *s, const struct slot_key *key)
{
	const struct slot_callee *c = look_up(s, key);
	uint32_t all = 0, lot;
	size_t k;

	if (c == NULL)
		return NULL;
	for (k = 0; k < SLOT_CALLEES; k++)
		all += c[k].n;
	lot = draw(s, all);
	for (k = 0; k < SLOT_CALLEES; k++) {
		if (lot < c[k].n)
			return &c[k];
		lot -= c[k].n;
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
