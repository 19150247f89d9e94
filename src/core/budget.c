/* Setting limits, and counting against them; see the header. */
#include "core/budget.h"

#include <string.h>

#include <bobbin/limits.h>

#include "core/error.h"

void
budget_init(struct budget *b)
{
	b->limits = (struct bob_limits){ .size = sizeof(b->limits),
		.max_output = BOB_MAX_OUTPUT, .max_memory = BOB_UNLIMITED,
		.max_temp = BOB_MAX_TEMP };
	b->has_max_output = 0;
	atomic_init(&b->memory, 0);
	atomic_init(&b->temp, 0);
	atomic_init(&b->is_refused, 0);
}

void
bob_ctx_set_limits(struct bob_ctx *ctx, const struct bob_limits *limits)
{
	struct budget *b = ctx->budget;
	struct bob_limits l = { .size = 0 };

	memcpy(&l, limits, limits->size < sizeof(l) ? limits->size :
	    sizeof(l));
	b->has_max_output = l.max_output != 0;
	if (l.max_output == 0)
		l.max_output = BOB_MAX_OUTPUT;
	if (l.max_memory == 0)
		l.max_memory = BOB_UNLIMITED;
	if (l.max_temp == 0)
		l.max_temp = BOB_MAX_TEMP;
	b->limits = l;
	atomic_store_explicit(&b->is_refused, 0, memory_order_relaxed);
}

void
bob_ctx_used(const struct bob_ctx *ctx, struct bob_limits *ret)
{
	struct budget *b = ctx->budget;
	struct bob_limits l = { .size = ret->size,
		.max_memory = atomic_load_explicit(&b->memory,
		    memory_order_relaxed),
		.max_temp = atomic_load_explicit(&b->temp,
		    memory_order_relaxed) };

	memcpy(ret, &l, l.size < sizeof(l) ? l.size : sizeof(l));
}

static int
budget_take(_Atomic uint64_t *count, uint64_t max, uint64_t n)
{
	uint64_t old = atomic_fetch_add_explicit(count, n,
	    memory_order_relaxed);

	if (n <= max && old <= max - n)
		return 1;
	(void)atomic_fetch_sub_explicit(count, n, memory_order_relaxed);
	return 0;
}

int
budget_take_memory(struct budget *b, uint64_t n)
{
	if (budget_take(&b->memory, b->limits.max_memory, n))
		return 1;
	atomic_store_explicit(&b->is_refused, 1, memory_order_relaxed);
	return 0;
}

int
budget_take_temp(struct budget *b, uint64_t n)
{
	return budget_take(&b->temp, b->limits.max_temp, n);
}
