/*
 * Connections to the server, and how long a stranger may hold one.
 *
 * All users of the machine can connect. A connection is a stranger's until a
 * request on it had the secret. Strangers have a few seconds, however slowly
 * they send, and less when all places are taken; so they cannot keep the page
 * out.
 */
#ifndef CLI_VIEW_VISITORS_H
#define CLI_VIEW_VISITORS_H

#include <stdint.h>

/* Connections at once. A browser opens at most 6 to one server. */
#define VISITORS 64

struct visitor {
	int fd;       /* -1: this place is free */
	int is_known; /* a request had the secret */
	uint64_t since_us;
};

struct visitors {
	struct visitor at[VISITORS];
	int n;
};

void visitors_init(struct visitors *v);

/* A connection has begun. Returns its place; NULL if there is none. */
struct visitor *visitors_add(struct visitors *v, int fd);

/* It has ended. NULL is allowed. */
void visitors_remove(struct visitors *v, struct visitor *one);

/* Shuts the connections of strangers down whose time is over. */
void visitors_tend(struct visitors *v);

#endif
