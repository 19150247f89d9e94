/*
 * Arrays that may become large. Below BIG_MIN bytes they are on the heap; from
 * BIG_MIN on they have a mapping of their own, with large pages if the system
 * has them. Walking a tree of stacks touches another page with every step, and
 * filling a new table costs a page fault per page. With small pages both take
 * most of the time. Growing moves pages and copies no bytes.
 *
 * The size of an array says where it is, so the caller must pass its exact size
 * to big_grow and big_free. An array must not hold pointers to other memory,
 * because leak checkers do not look into it.
 */
#ifndef CORE_BIGMEM_H
#define CORE_BIGMEM_H

#include <stddef.h>

#define BIG_MIN ((size_t)512 << 10)

/*
 * Grows p, an array of `old` bytes (NULL, 0: none yet), to `size` > old bytes.
 * New bytes are not initialized. Returns the array, which may have moved, or
 * NULL without memory: p is then unchanged.
 */
void *big_grow(void *p, size_t old, size_t size);

/* Returns an array of n times `size` zero bytes, or NULL without memory. */
void *big_zeroed(size_t n, size_t size);

/* Frees an array of `size` bytes; p may be NULL. */
void big_free(void *p, size_t size);

#endif
