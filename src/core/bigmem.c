/*
 * Large arrays on pages of their own; see the header.
 *
 * Invariant: a mapping begins at a multiple of LARGE_PAGE and is a multiple of
 * it long, so that all of it can be large pages and stays so when it moves.
 */
#define _GNU_SOURCE /* mremap */
#include "core/bigmem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where large pages have another size, they are not used; nothing fails. */
#define LARGE_PAGE ((size_t)2 << 20)

/* The length of the mapping for `size` bytes; 0 when there is none so long. */
static size_t
length(size_t size)
{
	return size > SIZE_MAX / 2 ? 0 :
	    (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

/* Fresh zero pages, or NULL. `len` is a multiple of LARGE_PAGE. */
static void *
map(size_t len)
{
	size_t before;
	char *p;

	if (len == 0)
		return NULL;
	/* Too long by one, to cut it at the right places. */
	p = mmap(NULL, len + LARGE_PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (LARGE_PAGE - 1);
	if (before > 0)
		(void)munmap(p, before);
	p += before;
	(void)munmap(p + len, LARGE_PAGE - before);
	(void)madvise(p, len, MADV_HUGEPAGE);
	return p;
}

/* Makes a mapping longer. The pages go to a place that has room for all. */
static void *
remap(void *p, size_t old_len, size_t len)
{
	void *to = map(len);

	if (to == NULL)
		return NULL;
	if (mremap(p, old_len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to) !=
	    MAP_FAILED)
		return to;
	(void)munmap(to, len);
	return NULL;
}

void *
big_grow(void *p, size_t old, size_t size)
{
	void *to;

	if (size < BIG_MIN)
		return realloc(p, size);
	if (old >= BIG_MIN)
		return length(old) == length(size) ? p :
		    remap(p, length(old), length(size));
	to = map(length(size));
	if (to != NULL && old > 0)
		memcpy(to, p, old);
	if (to != NULL)
		free(p);
	return to;
}

void *
big_zeroed(size_t n, size_t size)
{
	if (n > SIZE_MAX / size)
		return NULL;
	return n * size < BIG_MIN ? calloc(n, size) : map(length(n * size));
}

void
big_free(void *p, size_t size)
{
	if (size < BIG_MIN)
		free(p);
	else
		(void)munmap(p, length(size));
}
