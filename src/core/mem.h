/*
 * Memory: vectors that grow by doubling and arenas that are freed at once.
 * All of it reports failure to the context and never aborts.
 */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/limits.h>

#include "core/bigmem.h"
#include "core/error.h"

/*
 * Makes room for at least `need` elements of `size` bytes in *p, which holds
 * *cap of them. BOB_OK, or FATAL with *p and *cap as they were.
 */
int mem_grow(struct bob_ctx *ctx, void *p, size_t *cap, size_t need,
    size_t size);

/* Grows `v->NAME` with capacity `v->cap_NAME`. */
#define MEM_GROW(ctx, v, name, need)                                         \
	((need) <= (v)->cap_##name                                           \
	        ? BOB_OK                                                     \
	        : mem_grow((ctx), &(v)->name, &(v)->cap_##name, (need),      \
	              sizeof(*(v)->name)))

/*
 * The same, counted against the context's budget (max_memory): for what grows
 * with the input and stays. Freed by MEM_DROP. The context may be another one
 * that shares the budget.
 */
int mem_take(struct bob_ctx *ctx, void *p, size_t *cap, size_t need,
    size_t size);

#define MEM_TAKE(ctx, v, name, need)                                         \
	((need) <= (v)->cap_##name                                           \
	        ? BOB_OK                                                     \
	        : mem_take((ctx), &(v)->name, &(v)->cap_##name, (need),      \
	              sizeof(*(v)->name)))

/* Frees an array of `size` bytes that mem_take made. p may be NULL; then the
 * context may be, too. */
void mem_drop(struct bob_ctx *ctx, void *p, size_t size);

#define MEM_DROP(ctx, v, name)                                               \
	mem_drop((ctx), (v)->name, (v)->cap_##name * sizeof(*(v)->name))

/* The same for arrays of core/bigmem.h. */
int mem_grow_big(struct bob_ctx *ctx, void *p, size_t *cap, size_t need,
    size_t size);
void mem_drop_big(struct bob_ctx *ctx, void *p, size_t size);

#define MEM_GROW_BIG(ctx, v, name, need)                                     \
	((need) <= (v)->cap_##name                                           \
	        ? BOB_OK                                                     \
	        : mem_grow_big((ctx), &(v)->name, &(v)->cap_##name, (need),  \
	              sizeof(*(v)->name)))

#define MEM_DROP_BIG(ctx, v, name)                                           \
	mem_drop_big((ctx), (v)->name, (v)->cap_##name * sizeof(*(v)->name))

/*
 * For a large local array of a loop that counts instructions, all of which is
 * written before it is read: release builds set other variables to zero, see
 * hardening/meson.build. Never for what a target or a file fills.
 */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define MEM_UNSET __attribute__((uninitialized))
#endif
#endif
#ifndef MEM_UNSET
#define MEM_UNSET
#endif

/* Adds saturating at BOB_MAX_COUNT: sums of samples cannot wrap. */
static inline uint64_t
count_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum) || sum > BOB_MAX_COUNT)
		return BOB_MAX_COUNT;
	return sum;
}

/* a * b saturating at BOB_MAX_COUNT. */
static inline uint64_t
count_mul(uint64_t a, uint64_t b)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product) || product > BOB_MAX_COUNT)
		return BOB_MAX_COUNT;
	return product;
}

/* The greatest common divisor; that of 0 and a number is the number. */
static inline uint64_t
count_gcd(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * An arena: bytes that stay where they are until all are dropped. They count
 * against the budget of the context that they were made with. The first
 * block is kept by arena_reset, so that a segment's arena costs nothing for
 * the next one.
 */
struct arena {
	struct arena_block *head; /* the block being filled */
	size_t used;              /* bytes of it in use */
};

/* n bytes aligned to 8, or NULL (the context has the error). */
void *arena_alloc(struct bob_ctx *ctx, struct arena *a, size_t n);
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

/* Takes over all of another one, which is empty then; it may be of another
 * context, and count to that one's budget so far. */
void arena_join(struct bob_ctx *ctx, struct arena *a, struct arena *from);

#endif
