/* Large arrays without pages: memory of a module only grows, so all of them are
 * on the heap. */
#include "core/bigmem.h"

#include <stdlib.h>

void *
big_grow(void *p, size_t old, size_t size)
{
	(void)old;
	return realloc(p, size);
}

void *
big_zeroed(size_t n, size_t size)
{
	return calloc(n, size);
}

void
big_free(void *p, size_t size)
{
	(void)size;
	free(p);
}
