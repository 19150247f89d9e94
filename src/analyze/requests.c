/* Requests out of annotated samples; see the header. */
#include "analyze/requests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/route.h"
#include "core/mem.h"
#include "pipeline/memo.h"

/* What names a request, the surest first: those at the end name many. */
static const char *const usual_keys[] = {
	"request.id", "request_id",
	"request.uri", "http.url", "uri", "url", "request.route", "route",
};
#define N_KEYS (sizeof(usual_keys) / sizeof(usual_keys[0]))

/* The first one that is an address. */
#define FIRST_ADDRESS 2

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
}

/* The value of an annotation; 1, or 0 when the set has none. */
static int
value_of(const struct requests *q, bob_annot id, const char *key, bob_str *ret)
{
	size_t n, i, len = strlen(key);
	const struct bob_pair *v = bob_annot_get(q->dict, id, &n);

	for (i = 0; i < n; i++) {
		struct bob_bytes k = bob_str_get(q->dict, v[i].key);

		if (k.n == len && memcmp(k.p, key, len) == 0) {
			*ret = v[i].value;
			return 1;
		}
	}
	return 0;
}

/* The route of a request: what the trace says, else made from an address. */
static int
find_route(struct requests *q, bob_annot id, bob_str value, bob_str *ret)
{
	struct bob_bytes s;
	size_t i, n;

	if (value_of(q, id, "request.route", ret) ||
	    value_of(q, id, "route", ret))
		return BOB_OK;
	for (i = FIRST_ADDRESS; i < N_KEYS; i++)
		if (value_of(q, id, usual_keys[i], &value))
			break;
	s = bob_str_get(q->dict, value);
	if (MEM_GROW(q->ctx, q, text, route_room(s.n)) < 0)
		return BOB_FATAL;
	n = route_normalise(q->text, s.p, s.n);
	*ret = bob_str_put(q->dict, q->text, n);
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
find_tags(struct requests *q, bob_annot id)
{
	struct request_tags tags = { .is_known = 1 };
	size_t i;

	if (q->key != NULL)
		tags.is_request = (uint8_t)value_of(q, id, q->key,
		    &tags.value);
	else
		for (i = 0; !tags.is_request && i < N_KEYS; i++)
			tags.is_request = (uint8_t)value_of(q, id,
			    usual_keys[i], &tags.value);
	if (tags.is_request &&
	    find_route(q, id, tags.value, &tags.route) < 0)
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
	r->sum.n_requests++;
	r->sum.samples = count_add(r->sum.samples, x->samples);
	r->sum.time_us = count_add(r->sum.time_us, x->time_us);
	if (x->time_us > r->sum.max_us)
		r->sum.max_us = x->time_us;
	r->count[step_of(x->time_us)]++;
	return keep_slow(q, x);
}

int
requests_end(struct requests *q, struct request_state *s)
{
	size_t i;

	for (i = 0; i < s->cap_now; i++)
		if (end_request(q, &s->now[i]) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

/* One pass finds the stack that has more than half of a request, if one
 * has. */
static void
vote(struct request_now *now, const struct bob_run *run)
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

int
requests_add(struct requests *q, struct request_state *s,
    const struct bob_run *run, uint64_t t, uint64_t time_us)
{
	struct request_tags tags;
	struct request_now *now;

	if (MEMO_GROW(q->ctx, s, now, (size_t)run->track + 1) < 0 ||
	    MEMO_GROW(q->ctx, q, tags, (size_t)run->annot + 1) < 0 ||
	    (!q->tags[run->annot].is_known && find_tags(q, run->annot) < 0))
		return BOB_FATAL;
	tags = q->tags[run->annot];
	now = &s->now[run->track];
	if (now->is_open && (!tags.is_request ||
	        now->sum.value != tags.value ||
	        now->sum.route != tags.route) &&
	    end_request(q, now) < 0)
		return BOB_FATAL;
	if (!tags.is_request)
		return BOB_OK;
	if (!now->is_open) {
		*now = (struct request_now){ .is_open = 1 };
		now->sum.value = tags.value;
		now->sum.route = tags.route;
		now->sum.track = run->track;
		now->sum.t_first = t;
	}
	now->sum.samples = count_add(now->sum.samples, run->count);
	now->sum.time_us = count_add(now->sum.time_us, time_us);
	vote(now, run);
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

/* The middle of the step that the given part of all requests is below. */
static uint64_t
percentile(const struct route *r, double part)
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
		q->shown_routes[i] = q->route[i].sum;
		q->shown_routes[i].p50_us = percentile(&q->route[i], 0.50);
		q->shown_routes[i].p95_us = percentile(&q->route[i], 0.95);
	}
	qsort(q->shown_routes, q->n_routes, sizeof(*q->shown_routes),
	    heavier_first);
	*ret_n = q->n_routes;
	return q->shown_routes;
}
