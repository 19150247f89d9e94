/*
 * The HTTP server of `bobbin view`. It listens on one address, by default a
 * loopback one, and answers GET requests from one thread; slow ones from
 * processes of their own (slow.h).
 *
 * Who may ask is checked before anything else:
 *
 *   1. Every path begins with a secret of 128 random bits. Without it the
 *      answer is 404, whatever is asked for. Other users of the machine can
 *      connect, but do not know it.
 *   2. `Host` must be the address that the server listens on. A page of another
 *      site whose name resolves to that address (DNS rebinding) sends its own.
 *      If it listens on all addresses, `Host` must be a number, which no page
 *      of another site has, or the name of this machine.
 *   3. `Origin` and `Sec-Fetch-Site`, if present, must be those of the server's
 *      own page.
 *
 * Who has not shown the secret cannot keep connections (visitors.h).
 *
 * Answers carry a Content-Security-Policy under which a page loads nothing from
 * elsewhere and runs no inline script.
 */
#ifndef CLI_VIEW_SERVER_H
#define CLI_VIEW_SERVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "request.h"

struct server;

/* What a handler gives back: n bytes, of `file` if there is one, to be saved by
 * the browser, else of `body`. The server closes the file, and frees the body
 * with free() unless `is_static`. */
struct reply {
	unsigned status;  /* of HTTP */
	const char *type; /* a content type */
	const char *body;
	size_t n;
	int is_static;
	FILE *file;
};

#define SERVER_AT_ONCE 0
#define SERVER_UNLIMITED UINT64_MAX

struct server_opts {
	const char *bind; /* an address of this machine; NULL: 127.0.0.1 */
	uint16_t port;    /* 0: any */
	/* How long the answer to a request may take: SERVER_AT_ONCE; else it is
	 * given by a process of its own (aside.h), within so many us, or
	 * SERVER_UNLIMITED. */
	uint64_t (*limit)(void *user, const struct request *rq);
	/* Answers a request, whose path has no secret and no leading slash.
	 * Fills *ret, which is all 0 before. */
	void (*handle)(void *user, const struct request *rq,
	    struct reply *ret);
	void *user;
};

/* Room for the address of a server. */
#define SERVER_URL 160

/* Why there is no server. */
struct server_error {
	char text[256];
	const char *hint; /* what the user can do; NULL: nothing is known */
};

/* Returns 0 and sets *ret; -1 with the reason in *err. */
int server_start(const struct server_opts *o, struct server **ret,
    struct server_error *err);

/* Stops it. NULL is allowed. */
void server_free(struct server *s);

/* The address of the page, with the secret. */
const char *server_url(const struct server *s);

/* Answers what has come, and waits at most `ms` for more. Returns 0; -1 if the
 * server cannot go on. */
int server_run(struct server *s, int ms);

/* True if the address is a loopback one, as "127.0.0.1" or "::1". */
int server_is_loopback(const char *address);

#endif
