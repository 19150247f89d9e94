/* Notes and their comparison; see the header. */
#include "capture/php/proof.h"

#include <assert.h>

void
proof_begin(struct proof *p, struct mem *mem)
{
	p->mem = mem;
	p->n = 0;
}

int
proof_note(struct proof *p, uint64_t at, const void *was, size_t n)
{
	struct proof_part *part;

	assert(n <= PROOF_BYTES);
	if (p->n == PROOF_MAX)
		return -1;
	part = &p->part[p->n++];
	part->at = at;
	part->n = (uint32_t)n;
	memcpy(part->was, was, n);
	return 0;
}

int
proof_word(struct proof *p, uint64_t at, uint64_t *ret)
{
	return mem_read_u64(p->mem, at, ret) < 0
	    ? -1 : proof_note(p, at, ret, sizeof(*ret));
}

int
proof_holds(struct proof *p, const struct mem_span *v, size_t n)
{
	struct mem_span all[MEM_MAX_SPANS];
	uint8_t is[PROOF_MAX][PROOF_BYTES];
	size_t i;

	assert(n <= MEM_MAX_SPANS - PROOF_MAX);
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
