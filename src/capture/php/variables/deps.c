/* Notes memory, and reads it again to compare; see deps.h. */
#include "capture/php/variables/deps.h"

#include <assert.h>

void
deps_init(struct deps *p, struct mem *mem)
{
	p->mem = mem;
	p->n = 0;
}

int
deps_note(struct deps *p, uint64_t at, const void *was, size_t n)
{
	struct deps_part *part;

	assert(n <= DEPS_BYTES);
	if (p->n == DEPS_MAX)
		return -1;
	part = &p->part[p->n++];
	part->at = at;
	part->n = (uint32_t)n;
	memcpy(part->was, was, n);
	return 0;
}

int
deps_read_word(struct deps *p, uint64_t at, uint64_t *ret)
{
	return mem_read_u64(p->mem, at, ret) < 0
	    ? -1 : deps_note(p, at, ret, sizeof(*ret));
}

int
deps_unchanged(struct deps *p, const struct mem_span *v, size_t n)
{
	struct mem_span all[MEM_MAX_SPANS];
	uint8_t is[DEPS_MAX][DEPS_BYTES];
	size_t i;

	assert(n <= MEM_MAX_SPANS - DEPS_MAX);
	for (i = 0; i < p->n; i++)
		all[i] = (struct mem_span){ p->part[i].at, is[i],
			p->part[i].n };
	if (n > 0)
		memcpy(all + i, v, n * sizeof(*v));
	if (mem_gather(p->mem, all, i + n) != (long)mem_total(all, i + n))
		return 0;
	for (i = 0; i < p->n; i++)
		if (memcmp(is[i], p->part[i].was, p->part[i].n) != 0)
			return 0;
	return 1;
}
