/*
 * Large arrays on pages of their own; see the header.
 *
 * Invariant: a mapping begins at a multiple of LARGE_PAGE and is a multiple of
 * it long, so that all of it can be large pages and stays so when it moves.
 */
#define _GNU_SOURCE /* mremap */
#include "core/bigmem.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where large pages have another size, they are not used; nothing fails. */
#define LARGE_PAGE ((size_t)2 << 20)

/* Returns the length of the mapping for `size` bytes; 0 if it is too long. */
static size_t
map_length(size_t size)
{
	return size > SIZE_MAX / 2 ? 0 :
	    (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

/* Fresh zero pages, or NULL. `len` is a multiple of LARGE_PAGE. */
static void *
map_pages(size_t len)
{
	size_t before;
	char *p;

	if (len == 0)
		return NULL;
	/* One large page too long, so that both ends can be aligned. */
	p = mmap(NULL, len + LARGE_PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (LARGE_PAGE - 1);
	if (before > 0)
		(void)munmap(p, before);
	p += before;
	assert(len % LARGE_PAGE == 0 && (uintptr_t)p % LARGE_PAGE == 0);
	(void)munmap(p + len, LARGE_PAGE - before);
	(void)madvise(p, len, MADV_HUGEPAGE);
	return p;
}

/* Makes a mapping longer: moves its pages to a new place. */
static void *
remap_pages(void *p, size_t old_len, size_t len)
{
	void *to = map_pages(len);

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
		return map_length(old) == map_length(size) ? p :
		    remap_pages(p, map_length(old), map_length(size));
	to = map_pages(map_length(size));
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
	return n * size < BIG_MIN ? calloc(n, size) :
	    map_pages(map_length(n * size));
}

void
big_free(void *p, size_t size)
{
	if (size < BIG_MIN)
		free(p);
	else
		(void)munmap(p, map_length(size));
}
