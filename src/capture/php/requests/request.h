/*
 * Annotations of a thread's samples: the web request that it serves, and the
 * memory that it uses.
 *
 * A request is read once and kept until its key changes (struct request_key).
 * The key is read before the stack and after it; if it differs, the sample gets
 * no request. Query strings and cookies are read only if the user asked for
 * them.
 *
 * request.id tells a request from the one before it on the same thread, even if
 * both have the same URI. It is a number from 1 to REQUEST_NUMBERS, then 1
 * again, so that the number of distinct annotations does not grow with the
 * requests.
 */
#ifndef CAPTURE_PHP_REQUESTS_REQUEST_H
#define CAPTURE_PHP_REQUESTS_REQUEST_H

#include <stdint.h>

#include "capture/php/layout/offsets.h"
#include "capture/php/requests/server.h"
#include "capture/runtime.h"

/* Limit of bytes of a value; a longer one is cut. */
#define REQUEST_MAX_BYTES 1024

/* Pairs beside variables: method, id, URI, route, script, query, cookies, and
 * two of memory. The number does not depend on the process. */
#define REQUEST_MAX_PAIRS 9

#define REQUEST_NUMBERS 9

/* What differs between one request and the next. */
struct request_key {
	uint8_t sg[SG_REQUEST_END]; /* pointers to its strings */
	uint64_t time; /* when code first asked for the time; 0: not yet */
	uint64_t word[SERVER_WORDS]; /* of server.h */
	uint64_t has_words; /* words are set: they decide alone */
};

struct request {
	struct process *p;
	const struct php_offsets *o;
	struct php_globals at;
	const struct server *server;
	struct request_key key; /* of the last look */
	uint32_t number;        /* of requests that were told apart */
	int is_other;           /* the next sample is of another request */
	int was_idle;           /* no code ran since the last look */
	int is_time_old;        /* key.time may be that of the last request */
	uint64_t time_told;     /* key.time of the last annotated request; 0:
	                         * none */
	uint64_t time_before;   /* time_told when this request began */
	struct bob_pair uri[2]; /* URI from $_SERVER, and its route */
	size_t n_uri;           /* 0: $_SERVER had none so far */
	uint64_t t_read;        /* of the pairs */
	int is_known;  /* the pairs are those of the key */
	int is_server; /* the thread has served a request */
	uint64_t t_looked;      /* of the key */
	struct bob_pair pair[REQUEST_MAX_PAIRS];
	struct bob_pair var[BOB_MAX_CAPTURE_VARS];
	size_t n_pair;
	size_t n_var;
	uint64_t usage, peak;
	bob_annot annot;
};

void request_init(struct request *r, struct process *p,
    const struct php_offsets *o, const struct php_globals *at,
    const struct server *server);

/* Forgets all ids of the dictionary. */
void request_forget(struct request *r);

/* To be called when no PHP code runs at the moment of a sample. */
void request_idle(struct request *r);

/*
 * Reads the key. Returns 1 if it has changed since the last sample and the
 * thread serves requests; else 0. A script on a command line has no request.
 */
int request_look(struct request *r);

/* Returns the annotations of a sample that is taken now, with the n pairs of
 * its variables; 0: none. BOB_NO_ID if memory is out. */
bob_annot request_annotate(struct request *r, const struct bob_pair *vars,
    size_t n);

/*
 * Writes the route of a path: numbers become {n}, and parts that look like an
 * identifier {id}, so that there are fewer routes than paths. At most cap
 * bytes; returns their number.
 */
size_t request_route(const char *path, size_t n, char *buf, size_t cap);

#endif
