/* Open addressing with linear probing; single keys are never removed. */
#include "capture/ptrmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SIZE 256

/* Returns the hash of a key. The high bits of a product depend on all bits of
 * its factors. */
static size_t
ptrmap_hash(const struct ptrmap *m, uint64_t key)
{
	key *= m->seed;
	key ^= key >> 32;
	key *= m->seed;
	return (size_t)(key >> 24);
}

static uint64_t
new_seed(const void *p)
{
	uint64_t seed;

	/* Without random numbers an address has to do: other processes do not
	 * know it. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint64_t)(uintptr_t)p * 0xbf58476d1ce4e5b9ull;
	return seed | 1;
}

static struct ptrmap_slot *
ptrmap_find_slot(const struct ptrmap *m, uint64_t key)
{
	size_t i = ptrmap_hash(m, key) & m->mask;

	while (m->slot[i].key != 0 && m->slot[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

uint32_t
ptrmap_get(const struct ptrmap *m, uint64_t key)
{
	const struct ptrmap_slot *s;

	if (m->mask == 0 || key == 0)
		return PTRMAP_NONE;
	s = ptrmap_find_slot(m, key);
	return s->key == key ? s->value : PTRMAP_NONE;
}

static int
ptrmap_grow(struct bob_ctx *ctx, struct ptrmap *m)
{
	size_t n = m->mask == 0 ? FIRST_SIZE : 2 * (m->mask + 1), i;
	struct ptrmap bigger = { calloc(n, sizeof(*m->slot)), n - 1, m->used,
		m->seed };

	if (bigger.slot == NULL)
		return err_nomem(ctx);
	if (bigger.seed == 0)
		bigger.seed = new_seed(bigger.slot);
	for (i = 0; m->mask != 0 && i <= m->mask; i++)
		if (m->slot[i].key != 0)
			*ptrmap_find_slot(&bigger, m->slot[i].key) = m->slot[i];
	free(m->slot);
	*m = bigger;
	return BOB_OK;
}

int
ptrmap_put(struct bob_ctx *ctx, struct ptrmap *m, uint64_t key,
    uint32_t value)
{
	struct ptrmap_slot *s;
	int r;

	if (key == 0)
		return BOB_OK;
	if (4 * (m->used + 1) > 3 * (m->mask + 1) || m->mask == 0) {
		r = ptrmap_grow(ctx, m);
		if (r < 0)
			return r;
	}
	s = ptrmap_find_slot(m, key);
	m->used += s->key == 0;
	s->key = key;
	s->value = value;
	return BOB_OK;
}

void
ptrmap_clear(struct ptrmap *m)
{
	if (m->mask != 0)
		memset(m->slot, 0, (m->mask + 1) * sizeof(*m->slot));
	m->used = 0;
}

void
ptrmap_free(struct ptrmap *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}
