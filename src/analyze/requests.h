/*
 * Requests: equal values of an annotation in a row on one track. The slowest
 * requests are kept one by one, and all are added up by route. Memory grows
 * with the number of routes, not of requests.
 *
 * Requests that are served at the same time on one track have a place each
 * (together.h).
 *
 * A request with an id lasts until another id comes. Its other annotations may
 * change: its address, for example, is known only once the script has asked for
 * it. The last value counts. Samples without annotations do not end it.
 */
#ifndef ANALYZE_REQUESTS_H
#define ANALYZE_REQUESTS_H

#include <bobbin/profile.h>

#include "analyze/together.h"
#include "model/dict.h"

#define REQUESTS_SLOWEST 100u
/* Beyond that, all further routes are added up as one. */
#define REQUESTS_ROUTES 10000u
/* Steps of 10 %, so that a percentile is at most 5 % off: 1.1^466 > 2^64. */
#define REQUESTS_STEPS 466u

struct route {
	struct bob_route sum;
	uint32_t *count; /* of requests, by step of their time */
};

/* The annotation that identifies a request. */
#define REQUESTS_ID "request.id"

/* The request of an annotation set, found once per set. */
struct request_tags {
	bob_str value, route; /* as in struct bob_request; route 0: none */
	bob_str route_key; /* as in struct bob_route */
	uint8_t is_known, is_request;
	uint8_t has_id; /* request_run.number says when another one begins */
};

/* A run of samples with what the caller knows about it. */
struct request_run {
	const struct bob_run *run;
	uint32_t number; /* counts the requests with an id on its track */
	uint32_t shared; /* place of a request that is served together with
	                  * others (together.h), or TOGETHER_NONE */
	uint64_t t, t_last; /* trace clock, of its first and last sample */
	uint64_t time_us;
};

struct requests {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	char *key; /* of bob_profile_opts.request_key; NULL: the usual ones */
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
	bob_str route_key; /* as in struct bob_route */
	uint64_t votes; /* for sum.stack, as in a majority vote */
	int is_open;
	int has_id;
	int is_cut; /* it may have begun before the trace, or ended after it */
	int had_one; /* the track was in a request before */
	uint32_t number;
	uint64_t t_last; /* trace clock */
};

/* The open requests of one input. */
struct request_state {
	struct request_now *now; /* by track */
	struct request_now *shared; /* by place (together.h) */
	size_t cap_now, cap_shared;
	uint64_t t_begin; /* trace clock, of the first sample in `shared` */
	int has_begun;
};

/* Returns BOB_OK or FATAL. The key is copied. */
int requests_init(struct requests *q, struct bob_ctx *ctx,
    struct bob_dict *dict, const char *key);
void requests_done(struct requests *q);
void requests_state_done(struct request_state *s);

/* Returns the request id in an annotation set; 0 if it has none. */
bob_str requests_id(const struct bob_dict *dict, bob_annot annot);

/* True if the id is one of requests that are served together (together.h). */
int requests_are_together(const struct bob_dict *dict, bob_annot annot);

/* True if the annotations are those of an asyncio task. */
int requests_is_task(const struct bob_dict *dict, bob_annot annot);

/* Adds a run to its request. Returns BOB_OK or FATAL. */
int requests_add(struct requests *q, struct request_state *s,
    const struct request_run *x);

/* Ends the request at a place, if there is one. Returns BOB_OK or FATAL. */
int requests_drop(struct requests *q, struct request_state *s,
    uint32_t shared);

/* Ends all open requests, after the last sample of an input. Returns BOB_OK or
 * FATAL. */
int requests_end(struct requests *q, struct request_state *s);

/* Return the slowest requests, slowest first, and the routes, those with the
 * most time first; *ret_n of them, valid until the next call. NULL if there are
 * none, or without memory. */
const struct bob_request *requests_slowest(struct requests *q, size_t *ret_n);
const struct bob_route *requests_routes(struct requests *q, size_t *ret_n);

#endif
