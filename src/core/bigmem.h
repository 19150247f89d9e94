/*
 * Arrays that may become large: like the heap's, but from BIG_MIN bytes on
 * they have pages of their own, large ones where the system has them. Walking
 * a tree of stacks touches another page with every step, and filling a table
 * for the first time costs a fault per page; both are most of the time when
 * pages are small. Growing moves pages, not bytes.
 *
 * Whoever holds such an array knows its size, which says where it lies: the
 * same size must be given back. It must not hold pointers to other memory:
 * leak checkers do not look into it.
 */
#ifndef CORE_BIGMEM_H
#define CORE_BIGMEM_H

#include <stddef.h>

#define BIG_MIN ((size_t)512 << 10)

/*
 * p, an array of `old` bytes (NULL, 0: none yet), with room for `size` > old.
 * What is new is not initialized. NULL, with p as it was, when memory is out.
 */
void *big_grow(void *p, size_t old, size_t size);

/* An array of n times `size` zero bytes, or NULL. */
void *big_zeroed(size_t n, size_t size);

/* Frees an array of `size` bytes; p may be NULL. */
void big_free(void *p, size_t size);

#endif
