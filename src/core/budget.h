/*
 * Budgets: limits for the handles of a context (bob_ctx_set_limits), and counts
 * of what they hold. The context of a worker thread shares the budget of its
 * owner, so the counts are atomic. They change when arrays grow, not per
 * sample.
 *
 * Invariant: a count is the sum of what was taken and not given back.
 */
#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include <bobbin/status.h>

struct budget {
	struct bob_limits limits; /* none of them 0 */
	int has_max_output;       /* max_output was set by the caller, so it
	                           * applies to live outputs too */
	_Atomic uint64_t memory, temp; /* bytes held */
	atomic_int is_refused; /* a request for memory was above the limit */
};

void budget_init(struct budget *b);

/* Take n bytes. Return 1; 0 if that is above the limit: nothing is taken. */
int budget_take_memory(struct budget *b, uint64_t n);
int budget_take_temp(struct budget *b, uint64_t n);

/* Gives back bytes that were taken. */
static inline void
budget_give_memory(struct budget *b, uint64_t n)
{
	uint64_t held = atomic_fetch_sub_explicit(&b->memory, n,
	    memory_order_relaxed);

	assert(n <= held);
	(void)held;
}

static inline void
budget_give_temp(struct budget *b, uint64_t n)
{
	uint64_t held = atomic_fetch_sub_explicit(&b->temp, n,
	    memory_order_relaxed);

	assert(n <= held);
	(void)held;
}

/* Moves n bytes from one budget to another, even above the other's limit. */
static inline void
budget_move_memory(struct budget *from, struct budget *to, uint64_t n)
{
	budget_give_memory(from, n);
	(void)atomic_fetch_add_explicit(&to->memory, n, memory_order_relaxed);
}

/* True if memory was refused because of the limit. */
static inline int
budget_is_refused(struct budget *b)
{
	return atomic_load_explicit(&b->is_refused, memory_order_relaxed);
}

#endif
