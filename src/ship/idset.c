/* A set of numbers; see the header. */
#include "ship/idset.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS ((size_t)2 * IDSET_MAX)

int
idset_init(struct idset *s, struct bob_ctx *ctx)
{
	s->n = 0;
	s->slot = calloc(SLOTS, sizeof(*s->slot));
	return s->slot == NULL ? err_nomem(ctx) : BOB_OK;
}

void
idset_done(struct idset *s)
{
	free(s->slot);
	s->slot = NULL;
}

void
idset_clear(struct idset *s)
{
	memset(s->slot, 0, SLOTS * sizeof(*s->slot));
	s->n = 0;
}

/* Returns the slot of an id, or the free one where it belongs. At least half of
 * the slots are free. */
static uint64_t *
find(const struct idset *s, uint64_t id)
{
	size_t i = id % SLOTS;

	while (s->slot[i] != 0 && s->slot[i] != id)
		i = (i + 1) % SLOTS;
	return &s->slot[i];
}

int
idset_has(const struct idset *s, uint64_t id)
{
	return id != 0 && *find(s, id) == id;
}

void
idset_add(struct idset *s, uint64_t id)
{
	uint64_t *slot;

	if (id == 0)
		return;
	if (s->n >= IDSET_MAX)
		idset_clear(s);
	slot = find(s, id);
	s->n += *slot == 0;
	*slot = id;
}
