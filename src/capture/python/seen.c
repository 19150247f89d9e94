/* Read twice; see the header. */
#include "capture/python/seen.h"

#include <errno.h>
#include <string.h>

/* All spans, or nothing: a part of one proves nothing. */
static long
gather(struct mem *m, const struct mem_span *v, size_t n)
{
	struct seen *s = m->user;
	size_t total = mem_total(v, n), i;
	long k;

	if (n > SEEN_MAX_SPANS - s->n_span ||
	    total > SEEN_MAX_BYTES - s->n_bytes)
		return -E2BIG;
	k = mem_gather(s->from, v, n);
	if (k != (long)total)
		return k < 0 ? k : -EFAULT;
	for (i = 0; i < n; i++) {
		memcpy(s->bytes + s->n_bytes, v[i].to, v[i].n);
		s->span[s->n_span++] = (struct mem_span){ v[i].at,
			s->again + s->n_bytes, v[i].n };
		s->n_bytes += v[i].n;
	}
	return k;
}

void
seen_init(struct seen *s, struct mem *from)
{
	s->mem = *from;
	s->mem.gather = gather;
	s->mem.user = s;
	s->mem.has_limit = 0; /* `from` has one */
	s->from = from;
	seen_begin(s);
}

void
seen_begin(struct seen *s)
{
	s->n_span = s->n_bytes = 0;
}

int
seen_is_still(struct seen *s)
{
	size_t i, n;

	for (i = 0; i < s->n_span; i += n) {
		n = s->n_span - i < MEM_MAX_SPANS ? s->n_span - i
		                                  : MEM_MAX_SPANS;
		if (mem_gather(s->from, s->span + i, n) !=
		    (long)mem_total(s->span + i, n))
			return 0;
	}
	return memcmp(s->bytes, s->again, s->n_bytes) == 0;
}
