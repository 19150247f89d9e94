/*
 * Finds a word that the web server changes with each request, so that two
 * requests for the same page are told apart.
 *
 * PHP itself has none. The time of a request in sapi_globals is set only when
 * code asks for it: opcache does so in each request, and PHP for a script that
 * mentions $_SERVER. The strings of a request mostly have the addresses of
 * those of the last one. So the memory of the server is read:
 *
 *	php-fpm		its counter of requests on the scoreboard
 *	cli-server	the address of the client, another port each time
 *	apache2handler	the time of the request, in microseconds
 *
 * All of them are set before a script begins, and stay until it has ended.
 * Other servers are not known here.
 */
#ifndef CAPTURE_PHP_REQUESTS_SERVER_H
#define CAPTURE_PHP_REQUESTS_SERVER_H

#include <stdint.h>

#include "capture/runtime.h"

#define SERVER_WORDS 3

enum server_kind {
	SERVER_UNKNOWN = 0, /* PHP has not begun, or is another server */
	SERVER_FPM,
	SERVER_CLI,
	SERVER_APACHE
};

struct server {
	uint64_t module; /* address of sapi_module; 0: not known */
	enum server_kind kind;
	/* php-fpm: address of the worker's counter of requests; 0: not found.
	 * It is read together with the key of a request. */
	uint64_t counter;
	uint64_t t_look, wait_us;
};

void server_init(struct server *s, uint64_t module);

/* Finds out which server it is, if it is time to: at growing intervals until it
 * is known. */
void server_look(struct server *s, struct process *p);

/*
 * Reads the words of a server other than php-fpm, for the server_context of
 * sapi_globals. Returns 1; 0 if the server is not known or they cannot be read,
 * and then all words are 0.
 */
int server_read(const struct server *s, struct mem *m, uint64_t context,
    uint64_t word[SERVER_WORDS]);

#endif
