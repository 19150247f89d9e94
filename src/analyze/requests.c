/* Requests out of annotated samples; see the header. */
#include "analyze/requests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/route.h"
#include "core/mem.h"
#include "core/memo.h"

/* Annotations that identify a request. */
static const char *const id_keys[] = { REQUESTS_ID, "request_id" };
#define N_IDS (sizeof(id_keys) / sizeof(id_keys[0]))

/* Annotations with the address of a request, the most exact first: a route
 * names many requests. */
static const char *const addresses[] = {
	"request.uri", "http.url", "uri", "url", "request.route", "http.route",
	"route",
};
#define N_ADDRESSES (sizeof(addresses) / sizeof(addresses[0]))

/* Those of them that are routes. */
#define ROUTES (addresses + 4)
#define N_ROUTES (N_ADDRESSES - 4)

int
requests_init(struct requests *q, struct bob_ctx *ctx, struct bob_dict *dict,
    const char *key)
{
	memset(q, 0, sizeof(*q));
	q->ctx = ctx;
	q->dict = dict;
	if (key != NULL) {
		q->key = strdup(key);
		if (q->key == NULL)
			return err_nomem(ctx);
	}
	return BOB_OK;
}

void
requests_done(struct requests *q)
{
	uint32_t i;

	for (i = 0; i < q->n_routes; i++)
		free(q->route[i].count);
	free(q->key);
	free(q->tags);
	free(q->slowest);
	free(q->route);
	free(q->of_str);
	free(q->shown);
	free(q->shown_routes);
	free(q->text);
}

void
requests_state_done(struct request_state *s)
{
	free(s->now);
	free(s->shared);
}

/* Returns the annotation with a key; NULL if the set does not have it. */
static const struct bob_pair *
pair_of(const struct bob_dict *dict, bob_annot id, const char *key)
{
	size_t n, i;
	const struct bob_pair *v = bob_annot_get(dict, id, &n);

	for (i = 0; i < n; i++)
		if (bytes_are(bob_str_get(dict, v[i].key), key))
			return &v[i];
	return NULL;
}

/* Finds its value. Returns 1 and sets *ret; 0 if the set does not have it. */
static int
value_of(const struct bob_dict *dict, bob_annot id, const char *key,
    bob_str *ret)
{
	const struct bob_pair *pair = pair_of(dict, id, key);

	if (pair != NULL)
		*ret = pair->value;
	return pair != NULL;
}

/* The same for the first of n annotations that the set has. */
static int
first_of(const struct bob_dict *dict, bob_annot id, const char *const *key,
    size_t n, bob_str *ret)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (value_of(dict, id, key[i], ret))
			return 1;
	return 0;
}

bob_str
requests_id(const struct bob_dict *dict, bob_annot annot)
{
	bob_str id;

	return first_of(dict, annot, id_keys, N_IDS, &id) ? id : 0;
}

/* Only ids of bobbin's own annotation are unique in a process. */
int
requests_are_together(const struct bob_dict *dict, bob_annot annot)
{
	bob_str id;

	return value_of(dict, annot, REQUESTS_ID, &id) &&
	    together_is(bob_str_get(dict, id));
}

int
requests_is_task(const struct bob_dict *dict, bob_annot annot)
{
	bob_str name;

	return value_of(dict, annot, "task.name", &name);
}

/* Returns the annotation that has the route; NULL if there is none. */
static const struct bob_pair *
route_of(const struct bob_dict *dict, bob_annot id)
{
	const struct bob_pair *pair = NULL;
	size_t i;

	for (i = 0; pair == NULL && i < N_ROUTES; i++)
		pair = pair_of(dict, id, ROUTES[i]);
	return pair;
}

/* Makes a route from the address of a request, or from what identifies it. */
static int
make_route(struct requests *q, bob_annot id, bob_str value, bob_str *ret)
{
	struct bob_bytes s;
	size_t n;

	if (!first_of(q->dict, id, addresses, N_ADDRESSES, &value) &&
	    q->key == NULL) {
		*ret = bob_str_put(q->dict, "(no address)", 12);
		return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
	}
	s = bob_str_get(q->dict, value);
	if (MEM_GROW(q->ctx, q, text, route_room(s.n)) < 0)
		return BOB_FATAL;
	n = route_normalise(q->text, s.p, s.n);
	*ret = bob_str_put(q->dict, q->text, n);
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* The route of a request: what the trace says, else made from an address. */
static int
find_route(struct requests *q, bob_annot id, struct request_tags *tags)
{
	const struct bob_pair *pair = route_of(q->dict, id);

	if (pair == NULL)
		return make_route(q, id, tags->value, &tags->route);
	tags->route = pair->value;
	tags->route_key = pair->key;
	return BOB_OK;
}

static int
find_tags(struct requests *q, bob_annot id)
{
	struct request_tags tags = { .is_known = 1 };

	if (q->key != NULL) {
		tags.is_request = (uint8_t)value_of(q->dict, id, q->key,
		    &tags.value);
	} else {
		tags.has_id = (uint8_t)first_of(q->dict, id, id_keys, N_IDS,
		    &tags.value);
		tags.is_request = (uint8_t)(first_of(q->dict, id, addresses,
		    N_ADDRESSES, &tags.value) | tags.has_id);
	}
	if (tags.is_request && find_route(q, id, &tags) < 0)
		return BOB_FATAL;
	q->tags[id] = tags;
	return BOB_OK;
}

static int
is_faster(const struct bob_request *a, const struct bob_request *b)
{
	return a->time_us < b->time_us;
}

/* Keeps a request if it is among the slowest. */
static int
keep_slow(struct requests *q, const struct bob_request *x)
{
	struct bob_request *heap;
	size_t i, child;

	if (q->slowest == NULL)
		q->slowest = calloc(REQUESTS_SLOWEST, sizeof(*q->slowest));
	heap = q->slowest;
	if (heap == NULL)
		return err_nomem(q->ctx);
	if (q->n_slowest < REQUESTS_SLOWEST) {
		for (i = q->n_slowest++;
		    i > 0 && is_faster(x, &heap[(i - 1) / 2]);
		    i = (i - 1) / 2)
			heap[i] = heap[(i - 1) / 2];
		heap[i] = *x;
		return BOB_OK;
	}
	if (!is_faster(&heap[0], x))
		return BOB_OK;
	for (i = 0; (child = 2 * i + 1) < q->n_slowest; i = child) {
		if (child + 1 < q->n_slowest &&
		    is_faster(&heap[child + 1], &heap[child]))
			child++;
		if (!is_faster(&heap[child], x))
			break;
		heap[i] = heap[child];
	}
	heap[i] = *x;
	return BOB_OK;
}

static struct route *
find_of_route(struct requests *q, bob_str name)
{
	struct route *r;

	if (q->n_routes == REQUESTS_ROUTES - 1) {
		name = bob_str_put(q->dict, "(other routes)", 14);
		if (name == BOB_NO_ID)
			return NULL;
	}
	if (MEMO_GROW(q->ctx, q, of_str, (size_t)name + 1) < 0)
		return NULL;
	if (q->of_str[name] != 0)
		return &q->route[q->of_str[name] - 1];
	if (MEM_GROW(q->ctx, q, route, (size_t)q->n_routes + 1) < 0)
		return NULL;
	r = &q->route[q->n_routes];
	memset(r, 0, sizeof(*r));
	r->count = calloc(REQUESTS_STEPS, sizeof(*r->count));
	if (r->count == NULL) {
		(void)err_nomem(q->ctx);
		return NULL;
	}
	r->sum.route = name;
	q->of_str[name] = ++q->n_routes;
	return r;
}

static uint32_t
step_of(uint64_t time_us)
{
	double step = time_us < 1 ? 0 : log((double)time_us) / log(1.1);

	return step >= REQUESTS_STEPS ? REQUESTS_STEPS - 1 : (uint32_t)step;
}

static int
end_request(struct requests *q, struct request_now *now)
{
	const struct bob_request *x = &now->sum;
	struct route *r;

	if (!now->is_open)
		return BOB_OK;
	now->is_open = 0;
	r = find_of_route(q, x->route);
	if (r == NULL)
		return BOB_FATAL;
	if (r->sum.n_requests == 0)
		r->sum.key = now->route_key;
	else if (r->sum.key != now->route_key)
		r->sum.key = 0;
	r->sum.n_requests++;
	r->sum.n_single += x->samples == 1 && !now->is_cut;
	r->sum.samples = count_add(r->sum.samples, x->samples);
	r->sum.time_us = count_add(r->sum.time_us, x->time_us);
	if (x->time_us > r->sum.max_us)
		r->sum.max_us = x->time_us;
	r->count[step_of(x->time_us)]++;
	return keep_slow(q, x);
}

int
requests_drop(struct requests *q, struct request_state *s, uint32_t shared)
{
	return shared < s->cap_shared ? end_request(q, &s->shared[shared])
	                              : BOB_OK;
}

/* Ends all requests with a place. Only those that were sampled last may have
 * been cut by the end of the trace; most others have ended long ago. */
static int
end_shared(struct requests *q, struct request_state *s)
{
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < s->cap_shared; i++)
		if (s->shared[i].t_last > last)
			last = s->shared[i].t_last;
	for (i = 0; i < s->cap_shared; i++) {
		s->shared[i].is_cut |= s->shared[i].t_last == last;
		if (end_request(q, &s->shared[i]) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

int
requests_end(struct requests *q, struct request_state *s)
{
	size_t i;

	if (end_shared(q, s) < 0)
		return BOB_FATAL;

	for (i = 0; i < s->cap_now; i++) {
		s->now[i].is_cut = 1;
		if (end_request(q, &s->now[i]) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* A majority vote in one pass: finds the stack with more than half of the
 * samples, if there is one. */
static void
vote_stack(struct request_now *now, const struct bob_run *run)
{
	if (now->sum.stack == run->stack) {
		now->votes = count_add(now->votes, run->count);
	} else if (now->votes >= run->count) {
		now->votes -= run->count;
	} else {
		now->sum.stack = run->stack;
		now->votes = run->count - now->votes;
	}
}

/* True if a run belongs to the open request of its track. */
static int
request_goes_on(const struct request_now *now, const struct request_tags *tags,
    uint32_t number)
{
	if (tags->has_id || now->has_id)
		return tags->has_id && now->has_id && now->number == number;
	return tags->is_request && now->sum.value == tags->value &&
	    now->sum.route == tags->route;
}

static void
add_samples(struct request_now *now, const struct request_tags *tags,
    const struct request_run *x)
{
	if (!now->is_open) {
		*now = (struct request_now){ .is_open = 1, .had_one = 1,
			.is_cut = !now->had_one, .has_id = tags->has_id,
			.number = x->number };
		now->sum.track = x->run->track;
		now->sum.t_first = x->t;
	}
	if (x->t_last > now->t_last)
		now->t_last = x->t_last;
	now->sum.value = tags->value;
	now->sum.route = tags->route;
	now->route_key = tags->route_key;
	now->sum.samples = count_add(now->sum.samples, x->run->count);
	now->sum.time_us = count_add(now->sum.time_us, x->time_us);
	vote_stack(now, x->run);
}

/* Adds a run to a request that is served together with others. */
static int
add_shared(struct requests *q, struct request_state *s,
    const struct request_tags *tags, const struct request_run *x)
{
	struct request_now *now;

	if (MEMO_GROW(q->ctx, s, shared, (size_t)x->shared + 1) < 0)
		return BOB_FATAL;
	now = &s->shared[x->shared];
	if (now->is_open && now->number != x->number &&
	    end_request(q, now) < 0)
		return BOB_FATAL;
	if (!s->has_begun)
		s->t_begin = x->t;
	s->has_begun = 1;
	/* A request at the first sample may have begun before the trace. */
	now->had_one = x->t > s->t_begin;
	add_samples(now, tags, x);
	return BOB_OK;
}

int
requests_add(struct requests *q, struct request_state *s,
    const struct request_run *x)
{
	const struct bob_run *run = x->run;
	struct request_tags tags;
	struct request_now *now;

	if (MEMO_GROW(q->ctx, s, now, (size_t)run->track + 1) < 0 ||
	    MEMO_GROW(q->ctx, q, tags, (size_t)run->annot + 1) < 0 ||
	    (!q->tags[run->annot].is_known && find_tags(q, run->annot) < 0))
		return BOB_FATAL;
	tags = q->tags[run->annot];
	if (tags.has_id && x->shared != TOGETHER_NONE)
		return add_shared(q, s, &tags, x);
	now = &s->now[run->track];
	/* Nothing is known of it. */
	if (!tags.is_request && now->has_id)
		return BOB_OK;
	if (now->is_open && !request_goes_on(now, &tags, x->number) &&
	    end_request(q, now) < 0)
		return BOB_FATAL;
	if (tags.is_request)
		add_samples(now, &tags, x);
	return BOB_OK;
}

static int
slower_first(const void *a, const void *b)
{
	const struct bob_request *x = a, *y = b;

	if (x->time_us != y->time_us)
		return x->time_us > y->time_us ? -1 : 1;
	if (x->t_first != y->t_first)
		return x->t_first < y->t_first ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

const struct bob_request *
requests_slowest(struct requests *q, size_t *ret_n)
{
	*ret_n = 0;
	if (q->n_slowest == 0)
		return NULL;
	free(q->shown);
	q->shown = malloc(q->n_slowest * sizeof(*q->shown));
	if (q->shown == NULL) {
		(void)err_nomem(q->ctx);
		return NULL;
	}
	memcpy(q->shown, q->slowest, q->n_slowest * sizeof(*q->shown));
	qsort(q->shown, q->n_slowest, sizeof(*q->shown), slower_first);
	*ret_n = q->n_slowest;
	return q->shown;
}

/* Returns the middle of the step that contains the percentile `part`. */
static uint64_t
route_percentile(const struct route *r, double part)
{
	uint64_t rank = (uint64_t)ceil(part * (double)r->sum.n_requests);
	uint64_t seen = 0;
	double time;
	uint32_t i;

	for (i = 0; i < REQUESTS_STEPS - 1; i++) {
		seen += r->count[i];
		if (seen >= rank)
			break;
	}
	time = pow(1.1, i) * 1.05;
	return time < (double)r->sum.max_us ? (uint64_t)time : r->sum.max_us;
}

static int
heavier_first(const void *a, const void *b)
{
	const struct bob_route *x = a, *y = b;

	if (x->time_us != y->time_us)
		return x->time_us > y->time_us ? -1 : 1;
	return x->route < y->route ? -1 : x->route > y->route;
}

const struct bob_route *
requests_routes(struct requests *q, size_t *ret_n)
{
	uint32_t i;

	*ret_n = 0;
	if (q->n_routes == 0)
		return NULL;
	free(q->shown_routes);
	q->shown_routes = calloc(q->n_routes, sizeof(*q->shown_routes));
	if (q->shown_routes == NULL) {
		(void)err_nomem(q->ctx);
		return NULL;
	}
	for (i = 0; i < q->n_routes; i++) {
		struct bob_route *to = &q->shown_routes[i];

		*to = q->route[i].sum;
		to->p50_us = route_percentile(&q->route[i], 0.50);
		to->p95_us = route_percentile(&q->route[i], 0.95);
	}
	qsort(q->shown_routes, q->n_routes, sizeof(*q->shown_routes),
	    heavier_first);
	*ret_n = q->n_routes;
	return q->shown_routes;
}
