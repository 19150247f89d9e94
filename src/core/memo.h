/*
 * Facts by id: a flat array that grows with a dictionary. New entries are zero,
 * so zero must mean "not known yet".
 */
#ifndef CORE_MEMO_H
#define CORE_MEMO_H

#include <string.h>

#include "core/mem.h"

static inline int
memo_grow(struct bob_ctx *ctx, void *p, size_t *cap, size_t need, size_t size)
{
	size_t old = *cap;
	char *v;

	if (mem_grow(ctx, p, cap, need, size) < 0)
		return BOB_FATAL;
	memcpy(&v, p, sizeof(v));
	memset(v + old * size, 0, (*cap - old) * size);
	return BOB_OK;
}

/* Makes room for `need` entries of `v->NAME`, as MEM_GROW does. */
#define MEMO_GROW(ctx, v, name, need)                                        \
	((need) <= (v)->cap_##name                                           \
	        ? BOB_OK                                                     \
	        : memo_grow((ctx), &(v)->name, &(v)->cap_##name, (need),     \
	              sizeof(*(v)->name)))

#endif
