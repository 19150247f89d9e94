/*
 * Slow questions, each with the connection that waits for it. At most SLOW run
 * at once: a new one ends the oldest that has a limit. One ends at its limit,
 * and when its client has gone.
 */
#ifndef CLI_VIEW_SLOW_H
#define CLI_VIEW_SLOW_H

#include "aside.h"
#include "microhttpd.h"

#define SLOW 8

struct slow {
	struct MHD_Connection *connection; /* NULL: this place is free */
	struct aside aside;
	uint64_t limit_us; /* SERVER_UNLIMITED: none */
	int has_waited; /* the connection goes on, to get its answer */
	const char *why; /* there is none, as JSON */
};

struct slows {
	const struct microhttpd *http;
	struct slow at[SLOW];
	int n;
};

/* Starts to answer a request, and lets its connection wait. Returns its place;
 * NULL if it cannot. */
struct slow *slow_add(struct slows *s, struct MHD_Connection *c,
    const struct server_opts *o, const struct request *rq, uint64_t limit_us);

/* Lets the connections go on whose answers are there, or will never be. */
void slow_tend(struct slows *s);

/* Takes the answer for a connection that goes on, or the reason why there is
 * none, and frees its place. */
void slow_take(struct slows *s, struct slow *one, struct reply *ret);

/* A connection has ended. */
void slow_left(struct slows *s, const struct MHD_Connection *c);

/* Ends all: the server ends. */
void slow_end(struct slows *s);

#endif
