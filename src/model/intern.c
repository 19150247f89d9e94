/* The hash table behind the dictionary; see the header. */
#include "model/intern.h"

#include <string.h>

#include "core/bigmem.h"

/* The upper half of the hash is both the stored tag and the slot index, so that
 * growing needs only the slots. */
static uint32_t
home_slot(uint64_t hash, uint32_t mask)
{
	return (uint32_t)(hash >> 32) & mask;
}

static uint64_t
n_slots(const struct intern *t)
{
	return t->slot == NULL ? 0 : (uint64_t)t->mask + 1;
}

static uint64_t *
take_slots(struct bob_ctx *ctx, uint64_t n)
{
	uint64_t *slot;

	if (!budget_take_memory(ctx->budget, n * sizeof(*slot)))
		return NULL;
	slot = big_zeroed(n, sizeof(*slot));
	if (slot == NULL)
		budget_give_memory(ctx->budget, n * sizeof(*slot));
	return slot;
}

static void
give_slots(struct intern *t)
{
	uint64_t n = n_slots(t) * sizeof(*t->slot);

	if (n == 0)
		return;
	budget_give_memory(t->budget, n);
	big_free(t->slot, (size_t)n);
}

int
intern_reserve(struct bob_ctx *ctx, struct intern *t)
{
	uint64_t n_old = n_slots(t);
	uint64_t n_new, i;
	uint64_t *slot;
	uint32_t mask;

	/* At most 5/8 full keeps linear probing short. */
	if (n_old != 0 && (uint64_t)t->used + 1 <= n_old / 8 * 5)
		return BOB_OK;
	/* Small tables grow by 4, because each step costs new pages. */
	n_new = n_old == 0 ? 64 : n_old * (n_old < 65536 ? 4 : 2);
	if (n_new > (uint64_t)1 << 32)
		return err_set(ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "more distinct names than 32-bit ids can count");
	slot = take_slots(ctx, n_new);
	if (slot == NULL)
		return err_nomem(ctx);
	mask = (uint32_t)(n_new - 1);
	for (i = 0; i < n_old; i++) {
		uint64_t s = t->slot[i];
		uint32_t at;

		if ((uint32_t)s == 0)
			continue;
		at = home_slot(s, mask);
		while ((uint32_t)slot[at] != 0)
			at = (at + 1) & mask;
		slot[at] = s;
	}
	give_slots(t);
	t->slot = slot;
	t->mask = mask;
	t->budget = ctx->budget;
	return BOB_OK;
}

void
intern_free(struct intern *t)
{
	give_slots(t);
	memset(t, 0, sizeof(*t));
}
