/* Who is connected, and since when; see the header. */
#include "visitors.h"

#include <stddef.h>
#include <sys/socket.h>

#include "system/clock.h"

/* Time for the first request of a connection. A page on this machine needs a
 * millisecond; one behind a slow line that was forwarded, some more. */
#define PATIENCE_US (5 * 1000000ULL)

/* The same when others wait for a place. */
#define HASTE_US 250000ULL

void
visitors_init(struct visitors *v)
{
	size_t i;

	for (i = 0; i < VISITORS; i++)
		v->at[i].fd = -1;
	v->n = 0;
}

struct visitor *
visitors_add(struct visitors *v, int fd)
{
	size_t i;

	for (i = 0; i < VISITORS; i++) {
		if (v->at[i].fd >= 0)
			continue;
		v->at[i] = (struct visitor){ .fd = fd, .since_us = now_us() };
		v->n++;
		return &v->at[i];
	}
	return NULL;
}

void
visitors_remove(struct visitors *v, struct visitor *one)
{
	if (one == NULL)
		return;
	one->fd = -1;
	v->n--;
}

/* The server finds a connection at its end, and closes it. */
void
visitors_tend(struct visitors *v)
{
	uint64_t now = now_us();
	uint64_t most = v->n == VISITORS ? HASTE_US : PATIENCE_US;
	size_t i;

	for (i = 0; i < VISITORS; i++)
		if (v->at[i].fd >= 0 && !v->at[i].is_known &&
		    now - v->at[i].since_us > most)
			(void)shutdown(v->at[i].fd, SHUT_RDWR);
}
