/* A struct mem on top of another one, which remembers what was read. */
#include "capture/python/values/reread.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* Reads all spans or fails: a part of a span proves nothing. */
static long
reread_gather(struct mem *m, const struct mem_span *v, size_t n)
{
	struct reread *r = m->user;
	size_t total = mem_total(v, n), i;
	long k;

	assert(r->n_span <= REREAD_MAX_SPANS);
	assert(r->n_bytes <= REREAD_MAX_BYTES);
	if (n > REREAD_MAX_SPANS - r->n_span ||
	    total > REREAD_MAX_BYTES - r->n_bytes)
		return -E2BIG;
	k = mem_gather(r->from, v, n);
	if (k != (long)total)
		return k < 0 ? k : -EFAULT;
	for (i = 0; i < n; i++) {
		memcpy(r->bytes + r->n_bytes, v[i].to, v[i].n);
		r->span[r->n_span++] = (struct mem_span){ v[i].at,
			r->again + r->n_bytes, v[i].n };
		r->n_bytes += v[i].n;
	}
	return k;
}

void
reread_init(struct reread *r, struct mem *from)
{
	r->mem = *from;
	r->mem.gather = reread_gather;
	r->mem.user = r;
	r->mem.has_limit = 0; /* `from` has one */
	r->from = from;
	reread_begin(r);
}

void
reread_begin(struct reread *r)
{
	r->n_span = r->n_bytes = 0;
}

int
reread_is_same(struct reread *r)
{
	size_t i, n;

	for (i = 0; i < r->n_span; i += n) {
		n = r->n_span - i < MEM_MAX_SPANS ? r->n_span - i
		                                  : MEM_MAX_SPANS;
		if (mem_gather(r->from, r->span + i, n) !=
		    (long)mem_total(r->span + i, n))
			return 0;
	}
	return memcmp(r->bytes, r->again, r->n_bytes) == 0;
}
