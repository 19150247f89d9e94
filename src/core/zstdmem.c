/*
 * Memory of libzstd; see the header. Custom allocators are not part of
 * libzstd's stable interface, so the build checks whether they are there.
 */
#ifdef HAVE_ZSTD_MEMORY
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_customMem */
#endif
#include "core/zstdmem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/bigmem.h"

#ifdef HAVE_ZSTD_MEMORY

/* In front of each block, because libzstd does not pass its size when it frees
 * it. Only the window is large, and it holds no pointers. */
struct head {
	size_t size;
	_Alignas(max_align_t) unsigned char data[];
};

static void *
zstd_alloc(void *user, size_t n)
{
	struct budget *budget = user;
	struct head *h;

	if (n > SIZE_MAX - sizeof(*h))
		return NULL;
	n += sizeof(*h);
	if (!budget_take_memory(budget, n))
		return NULL;
	h = big_grow(NULL, 0, n);
	if (h == NULL) {
		budget_give_memory(budget, n);
		return NULL;
	}
	h->size = n;
	return h->data;
}

static void
zstd_release(void *user, void *p)
{
	struct head *h;

	if (p == NULL)
		return;
	h = (void *)((unsigned char *)p - sizeof(*h));
	budget_give_memory(user, h->size);
	big_free(h, h->size);
}

ZSTD_DCtx *
zstd_decoder_new(struct budget *budget)
{
	return ZSTD_createDCtx_advanced((ZSTD_customMem){ zstd_alloc,
	    zstd_release, budget });
}

#else

ZSTD_DCtx *
zstd_decoder_new(struct budget *budget)
{
	(void)budget;
	return ZSTD_createDCtx();
}

#endif
