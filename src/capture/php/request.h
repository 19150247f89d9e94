/*
 * What a thread was doing for whom: the request that it serves, and how much
 * memory it uses, as annotations of its samples.
 *
 * A request is read once and kept until something about it changes: it is
 * looked at before a stack is read and behind it, and left out when it was not
 * the same. Query strings and cookies are read only when they were asked for.
 *
 * request.id tells a request from the one before it on the thread, also when
 * both are for the same page: a number from 1 to REQUEST_NUMBERS, then 1 again,
 * so that what is distinct in a trace does not grow with the requests.
 */
#ifndef CAPTURE_PHP_REQUEST_H
#define CAPTURE_PHP_REQUEST_H

#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/php/server.h"
#include "capture/runtime.h"

/* Bytes of a value; longer ones are cut. */
#define REQUEST_MAX_BYTES 1024

/* Beside variables. */
#define REQUEST_MAX_PAIRS 9

#define REQUEST_NUMBERS 9

/* What tells one request from another. */
struct request_key {
	uint8_t sg[SG_REQUEST_END]; /* where its strings are */
	uint64_t time; /* when PHP was first asked for it; 0: not yet */
	uint64_t word[SERVER_WORDS];
	uint64_t has_words; /* the server tells requests apart */
};

struct request {
	struct process *p;
	const struct php_offsets *o;
	struct php_globals at;
	const struct server *server;
	struct request_key key; /* of the last one */
	uint32_t number;        /* of requests that were told apart */
	int is_other;           /* the next sample is of another one */
	int was_idle;           /* nothing ran since the last look */
	struct bob_pair uri[2]; /* as the client asked for it, and its route */
	size_t n_uri;           /* 0: not told by the script so far */
	uint64_t t_read;
	int is_known;  /* the pairs are those of the key */
	int is_server; /* it has served a request */
	uint64_t t_looked;
	struct bob_pair pair[REQUEST_MAX_PAIRS];
	struct bob_pair var[BOB_MAX_LIVE_VARS];
	size_t n_pair;
	size_t n_var;
	uint64_t usage, peak;
	bob_annot annot;
};

void request_init(struct request *r, struct process *p,
    const struct php_offsets *o, const struct php_globals *at,
    const struct server *server);

/* The ids of the next sample are of another dictionary. */
void request_forget(struct request *r);

/* Nothing runs at the moment of a sample. */
void request_idle(struct request *r);

/*
 * Looks whether the thread serves another request than at the last sample:
 * true when it does. On a command line there is none.
 */
int request_look(struct request *r);

/* The annotations of a sample that is taken now, with the n pairs of its
 * variables; 0: none. BOB_NO_ID when memory is out. */
bob_annot request_annotate(struct request *r, const struct bob_pair *vars,
    size_t n);

/*
 * The pattern of a path, of which there are fewer than paths: numbers become
 * {n}, and what looks like an identifier {id}. At most cap bytes; their
 * number.
 */
size_t request_route(const char *path, size_t n, char *buf, size_t cap);

#endif
