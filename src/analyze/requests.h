/*
 * Requests: equal values of one annotation, in a row on one track. The slowest
 * are kept one by one, all of them are added up by route. Memory depends on
 * the number of routes, not of requests.
 *
 * A request with an id goes on until another id comes. What is said of it may
 * change (its address is known once the script has asked for it): the last that
 * was said counts. Samples of which nothing is known do not end it.
 */
#ifndef ANALYZE_REQUESTS_H
#define ANALYZE_REQUESTS_H

#include <bobbin/profile.h>

#include "model/dict.h"

#define REQUESTS_SLOWEST 100u
/* More routes than that are not routes: they become one. */
#define REQUESTS_ROUTES 10000u
/* Steps of 10 %, so that a percentile is at most 5 % off: 1.1^466 > 2^64. */
#define REQUESTS_STEPS 466u

struct route {
	struct bob_route sum;
	uint32_t *count; /* of requests, by step of their time */
};

/* What tells requests apart, whatever they are for. */
#define REQUESTS_ID "request.id"

/* What a request is told by, found once per set of annotations. */
struct request_tags {
	bob_str value, route; /* route 0: of no request */
	uint8_t is_known, is_request;
	uint8_t has_id; /* the caller says when another one begins */
};

/* A run of samples, as the caller sees it. */
struct request_run {
	const struct bob_run *run;
	uint32_t number; /* of requests with an id on its track */
	uint64_t t;      /* trace clock, of its first sample */
	uint64_t time_us;
};

struct requests {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	char *key; /* NULL: the usual ones */
	struct request_tags *tags; /* by annotation set */
	struct bob_request *slowest; /* a heap, the fastest at the top */
	size_t n_slowest;
	struct route *route;
	uint32_t n_routes;
	uint32_t *of_str; /* by string: the route of this name + 1 */
	size_t cap_tags, cap_route, cap_of_str;
	struct bob_request *shown; /* what callers see, in order */
	struct bob_route *shown_routes;
	char *text; /* scratch for normalising */
	size_t cap_text;
};

/* The request that a track is in. */
struct request_now {
	struct bob_request sum;
	uint64_t votes; /* for sum.stack, as the majority */
	int is_open;
	int has_id;
	int is_cut; /* by the beginning or the end of the trace */
	int had_one; /* the track was in a request before */
	uint32_t number;
};

/* Of one input. */
struct request_state {
	struct request_now *now; /* by track */
	size_t cap_now;
};

int requests_init(struct requests *q, struct bob_ctx *ctx,
    struct bob_dict *dict, const char *key);
void requests_done(struct requests *q);
void requests_state_done(struct request_state *s);

/* The id of a request among annotations; 0: there is none. */
bob_str requests_id(const struct bob_dict *dict, bob_annot annot);

/* True when the set is of a task of asyncio. */
int requests_is_task(const struct bob_dict *dict, bob_annot annot);

/* BOB_OK or FATAL. */
int requests_add(struct requests *q, struct request_state *s,
    const struct request_run *x);

/* Ends what is open in an input: its last sample was given. BOB_OK or
 * FATAL. */
int requests_end(struct requests *q, struct request_state *s);

/* In order, slowest and heaviest first; valid until the next call. NULL
 * without memory, or when there is none. */
const struct bob_request *requests_slowest(struct requests *q, size_t *ret_n);
const struct bob_route *requests_routes(struct requests *q, size_t *ret_n);

#endif
