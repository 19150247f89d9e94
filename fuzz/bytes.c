/* A growing buffer and input in pieces; see the header. */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

void
bytes_append(struct bytes *b, const void *p, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = (b->n + n) * 2;
		b->p = realloc(b->p, b->cap);
		if (b->p == NULL)
			exit(1);
	}
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

int
bytes_write(void *user, const void *p, size_t n)
{
	bytes_append(user, p, n);
	return 0;
}

long
pieces_read(void *user, void *buf, size_t cap)
{
	struct pieces *s = user;
	size_t n = s->step < cap ? s->step : cap;

	if (n > s->n)
		n = s->n;
	if (n == 0)
		return 0;
	s->has_given = !s->has_given;
	if (!s->has_given)
		return -2;
	memcpy(buf, s->p, n);
	s->p += n;
	s->n -= n;
	return (long)n;
}
