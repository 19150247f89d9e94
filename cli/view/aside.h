/*
 * A question that is answered in a process of its own, as it may take long: the
 * server answers others meanwhile, and can end it.
 *
 * The process is a copy of this one at the moment of the question, so it has
 * the whole profile for the price of its page tables. What it learns is lost
 * with it, but for the answer.
 */
#ifndef CLI_VIEW_ASIDE_H
#define CLI_VIEW_ASIDE_H

#include <stdint.h>

#include "server.h"

struct aside_head;

struct aside {
	int pid;                 /* 0: none */
	FILE *out;               /* the answer's bytes */
	struct aside_head *head; /* shared with the process */
	uint64_t start_us;
};

/* Starts to answer a request by o->handle. Returns 0; -1 with errno. */
int aside_start(struct aside *a, const struct server_opts *o,
    const struct request *rq);

/* True once the process has ended. Does not wait. */
int aside_is_over(const struct aside *a);

/* Takes the answer of a process that has ended. Returns 0 and sets *ret; -1 if
 * it ended without one. Ends *a in either case. */
int aside_take(struct aside *a, struct reply *ret);

/* Kills the process. */
void aside_end(struct aside *a);

#endif
