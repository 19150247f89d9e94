/*
 * Budgets: what the handles of a context may use, and what they hold. A
 * context that works for another one shares its budget, so counts are atomic;
 * they change when arrays grow, not per sample.
 */
#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>

#include <bobbin/status.h>

struct budget {
	struct bob_limits limits; /* none of them 0 */
	int has_max_output;       /* it was set, and holds for live outputs */
	_Atomic uint64_t memory, temp;
	atomic_int is_refused; /* memory was asked for beyond the limit */
};

void budget_init(struct budget *b);

/* Adds n bytes to what is held. 1, or 0 when that is above the limit; then
 * nothing is added. */
int budget_take_memory(struct budget *b, uint64_t n);
int budget_take_temp(struct budget *b, uint64_t n);

/* Gives back what was taken. */
static inline void
budget_give_memory(struct budget *b, uint64_t n)
{
	(void)atomic_fetch_sub_explicit(&b->memory, n, memory_order_relaxed);
}

static inline void
budget_give_temp(struct budget *b, uint64_t n)
{
	(void)atomic_fetch_sub_explicit(&b->temp, n, memory_order_relaxed);
}

/* What one holds becomes another's, whatever the limit of that. */
static inline void
budget_move_memory(struct budget *from, struct budget *to, uint64_t n)
{
	budget_give_memory(from, n);
	(void)atomic_fetch_add_explicit(&to->memory, n, memory_order_relaxed);
}

/* True when memory is out because of the limit. */
static inline int
budget_is_refused(struct budget *b)
{
	return atomic_load_explicit(&b->is_refused, memory_order_relaxed);
}

#endif
