/* Reads from a buffer instead of a process; see the header. */
#include "fakemem.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static long
gather(struct mem *mem, const struct mem_span *v, size_t n)
{
	struct fakemem *m = mem->user;
	long sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t offset = v[i].at - m->at;

		if (m->before != NULL)
			m->before(m, i, n);
		if (v[i].at < m->at || offset > m->n || v[i].n > m->n - offset)
			return sum > 0 ? sum : -EFAULT;
		memcpy(v[i].to, m->bytes + offset, v[i].n);
		sum += (long)v[i].n;
	}
	return sum;
}

void
fakemem_init(struct fakemem *m, uint64_t at, uint8_t *bytes, size_t n)
{
	*m = (struct fakemem){ .mem = { .gather = gather, .user = m },
		.at = at,
		.bytes = bytes,
		.n = n };
}

void
fakemem_put(struct fakemem *m, size_t offset, uint64_t v, size_t n)
{
	assert(offset <= m->n && n <= m->n - offset);
	memcpy(m->bytes + offset, &v, n);
}
