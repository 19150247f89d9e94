/*
 * Memory: arrays that grow by doubling, arenas that are freed at once, and
 * saturating counts. Failures are recorded in the context; nothing aborts.
 */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/limits.h>

#include "core/bigmem.h"
#include "core/error.h"

/*
 * Makes room for at least `need` elements of `size` bytes in the array *p,
 * which has room for *cap. New elements are not initialized. Returns BOB_OK;
 * FATAL without memory: *p and *cap are then unchanged.
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
 * The same, but counted against the context's budget (max_memory): for arrays
 * that grow with the input. Free them with MEM_DROP, with the same context or
 * one that shares its budget.
 */
int mem_take(struct bob_ctx *ctx, void *p, size_t *cap, size_t need,
    size_t size);

#define MEM_TAKE(ctx, v, name, need)                                         \
	((need) <= (v)->cap_##name                                           \
	        ? BOB_OK                                                     \
	        : mem_take((ctx), &(v)->name, &(v)->cap_##name, (need),      \
	              sizeof(*(v)->name)))

/* Frees an array of `size` bytes from mem_take. p may be NULL; then ctx may be
 * NULL too. */
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
 * For a large local array in a hot loop, all of which is written before it is
 * read. Release builds set all other variables to zero
 * (hardening/meson.build). Never use it for bytes from a process or a file.
 */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define MEM_UNSET __attribute__((uninitialized))
#endif
#endif
#ifndef MEM_UNSET
#define MEM_UNSET
#endif

/* a + b, saturating at BOB_MAX_COUNT: sums of samples cannot overflow. */
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
 * An arena: memory that stays where it is until all of it is freed. It counts
 * against the budget of the context that allocates. All zeros: empty.
 */
struct arena {
	struct arena_block *head; /* the block being filled */
	size_t used;              /* bytes of it in use */
};

/* Returns n bytes aligned to 8, or NULL (the context has the error). */
void *arena_alloc(struct bob_ctx *ctx, struct arena *a, size_t n);

/* Drops everything, but keeps one block for what comes next. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

/* Moves everything from another arena, which is empty then, and counts it
 * against the budget of ctx. */
void arena_join(struct bob_ctx *ctx, struct arena *a, struct arena *from);

#endif
