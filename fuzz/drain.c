/* Reading all of an input; see the header. */
#include "drain.h"

#include "digest.h"

int
drain(struct in *in, const struct pieces *s, size_t want, struct bytes *to)
{
	size_t left = s->n, n;
	const uint8_t *p;
	int r, idle = 0;

	while (to->n < DRAIN_MAX) {
		PROMISE(in->pos == to->n);
		r = in_peek(in, want, &p, &n);
		PROMISE(r != BOB_OK || n >= want);
		if (r == BOB_AGAIN) {
			idle = s->n != left ? 0 : idle + 1;
			left = s->n;
			PROMISE(idle < 4);
			continue;
		}
		if (r != BOB_OK && n == 0)
			return r;
		n = n < want ? n : want;
		n = n < DRAIN_MAX - to->n ? n : DRAIN_MAX - to->n;
		bytes_append(to, p, n);
		in_consume(in, n);
	}
	return BOB_OK;
}
