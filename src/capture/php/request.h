/*
 * What a thread was doing for whom: the request that it serves, and how much
 * memory it uses, as annotations of its samples.
 *
 * A request is read once and kept until something about it changes: it is
 * looked at before a stack is read and behind it, and left out when it was not
 * the same. Query strings and cookies are read only when they were asked for.
 */
#ifndef CAPTURE_PHP_REQUEST_H
#define CAPTURE_PHP_REQUEST_H

#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/runtime.h"

/* Bytes of a value; longer ones are cut. */
#define REQUEST_MAX_BYTES 1024

/* Beside variables. */
#define REQUEST_MAX_PAIRS 8

struct request {
	struct process *p;
	const struct php_offsets *o;
	struct php_globals at;
	uint8_t key[SG_REQUEST_END - SG_METHOD + 8]; /* of the last one */
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
    const struct php_offsets *o, const struct php_globals *at);

/* The next sample is of another request, or its ids of another dictionary. */
void request_forget(struct request *r);

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
