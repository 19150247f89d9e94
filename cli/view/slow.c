/* Connections that wait for slow answers; see the header. */
#include "slow.h"

#include <string.h>
#include <sys/socket.h>

#include "system/clock.h"

#define TOO_LONG "{\"error\":\"it took too long, and was ended\"}\n"
#define TOO_MANY "{\"error\":\"too many slow questions at once\"}\n"
#define NO_ANSWER "{\"error\":\"the process that answers has failed\"}\n"

static int
has_gone(const struct slows *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = s->http->MHD_get_connection_info(
	    c, MHD_CONNECTION_INFO_CONNECTION_FD);
	char byte;

	return info == NULL || recv(info->connect_fd, &byte, 1, MSG_PEEK |
	    MSG_DONTWAIT) == 0;
}

static void
go_on(const struct slows *s, struct slow *one, const char *why)
{
	if (why != NULL)
		aside_end(&one->aside);
	one->why = why;
	one->has_waited = 1;
	s->http->MHD_resume_connection(one->connection);
}

static struct slow *
free_place(struct slows *s)
{
	size_t i;

	for (i = 0; i < SLOW; i++)
		if (s->at[i].connection == NULL)
			return &s->at[i];
	return NULL;
}

/* Its place is free once its connection has gone on. */
static void
end_oldest(struct slows *s)
{
	struct slow *old = NULL, *one;
	size_t i;

	for (i = 0; i < SLOW; i++) {
		one = &s->at[i];
		if (one->connection != NULL && !one->has_waited &&
		    one->limit_us != SERVER_UNLIMITED && (old == NULL ||
		    one->aside.start_us < old->aside.start_us))
			old = one;
	}
	if (old != NULL)
		go_on(s, old, TOO_MANY);
}

struct slow *
slow_add(struct slows *s, struct MHD_Connection *c,
    const struct server_opts *o, const struct request *rq, uint64_t limit_us)
{
	struct slow *one = free_place(s);

	if (one == NULL || aside_start(&one->aside, o, rq) < 0)
		return NULL;
	one->connection = c;
	one->limit_us = limit_us;
	one->has_waited = 0;
	s->http->MHD_suspend_connection(c);
	if (++s->n == SLOW)
		end_oldest(s);
	return one;
}

void
slow_tend(struct slows *s)
{
	struct slow *one;
	size_t i;

	for (i = 0; i < SLOW; i++) {
		one = &s->at[i];
		if (one->connection == NULL || one->has_waited)
			continue;
		if (aside_is_over(&one->aside))
			go_on(s, one, NULL);
		else if (has_gone(s, one->connection) || now_us() -
		    one->aside.start_us >= one->limit_us)
			go_on(s, one, TOO_LONG);
	}
}

void
slow_take(struct slows *s, struct slow *one, struct reply *ret)
{
	const char *why = one->why;

	if (why == NULL && aside_take(&one->aside, ret) < 0)
		why = NO_ANSWER;
	if (why != NULL)
		*ret = (struct reply){ .status = 503, .body = why,
			.type = "application/json; charset=utf-8",
			.n = strlen(why), .is_static = 1 };
	memset(one, 0, sizeof(*one));
	s->n--;
}

void
slow_left(struct slows *s, const struct MHD_Connection *c)
{
	size_t i;

	for (i = 0; i < SLOW; i++) {
		if (s->at[i].connection != c)
			continue;
		aside_end(&s->at[i].aside);
		memset(&s->at[i], 0, sizeof(s->at[i]));
		s->n--;
	}
}

void
slow_end(struct slows *s)
{
	size_t i;

	for (i = 0; i < SLOW; i++) {
		if (s->at[i].connection == NULL || s->at[i].has_waited)
			continue;
		go_on(s, &s->at[i], TOO_LONG);
	}
}
