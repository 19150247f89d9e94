/*
 * What a web server changes with each request, so that two requests for the
 * same page are told apart.
 *
 * PHP itself has no such thing: the time of a request (sapi_globals) is set
 * when somebody asks for it, which opcache does with each request, and a script
 * when it mentions $_SERVER. The strings of a request are mostly where those of
 * the one before were. So it is looked for in the server:
 *
 *	php-fpm		its counter of requests on the scoreboard
 *	cli-server	the address of the client, another port each time
 *	apache2handler	the time of the request, in microseconds
 *
 * All of them are set before a script begins, and stay until it has ended. For
 * other servers nothing is known here.
 */
#ifndef CAPTURE_PHP_SERVER_H
#define CAPTURE_PHP_SERVER_H

#include <stdint.h>

#include "capture/runtime.h"

#define SERVER_WORDS 3

enum server_kind {
	SERVER_UNKNOWN = 0, /* PHP has not begun, or is no server we know */
	SERVER_FPM,
	SERVER_CLI,
	SERVER_APACHE
};

struct server {
	uint64_t module; /* of sapi_module, in the process; 0: not known */
	enum server_kind kind;
	/* Where requests are counted, a word; 0: nowhere, or not found. It is
	 * read together with what else is read of a request. */
	uint64_t counter;
	uint64_t t_look, wait_us;
};

void server_init(struct server *s, uint64_t module);

/* Looks which server it is, if it is time to: again and again, less and less
 * often, until it is found. */
void server_look(struct server *s, struct process *p);

/*
 * What is different with each request, where it is not a counter, for the
 * server_context of sapi_globals. 1, or 0 when it is not known or cannot be
 * read: all words are 0 then.
 */
int server_read(const struct server *s, struct mem *m, uint64_t context,
    uint64_t word[SERVER_WORDS]);

#endif
