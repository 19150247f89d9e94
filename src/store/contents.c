/* Gathers what a segment contains; see the header. */
#include "store/contents.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/memo.h"
#include "core/text.h"
#include "format/common/meta.h"
#include "pipeline/filter_clock.h"

#define ROUTE_KEY "request.route"

int
contents_init(struct contents *c, struct bob_ctx *ctx,
    const struct bob_dict *dict)
{
	memset(c, 0, sizeof(*c));
	c->ctx = ctx;
	c->dict = dict;
	labels_init(&c->labels, ctx, dict->seed);
	if (MEM_GROW(ctx, c, pid, 1) < 0 || MEM_GROW(ctx, c, route, 1) < 0)
		return BOB_FATAL;
	c->pid[c->n_pid++] = (struct contents_pid){ 0 };
	c->route[c->n_route++] = (struct contents_route){ 0 };
	return BOB_OK;
}

void
contents_done(struct contents *c)
{
	labels_done(&c->labels);
	intern_free(&c->by_pid);
	free(c->pid);
	free(c->of_track);
	free(c->route);
	free(c->of_str);
	free(c->of_annot);
}

/* --- processes ------------------------------------------------------------ */

static uint32_t
find_pid(const struct contents *c, uint64_t pid, uint64_t hash, uint32_t *at)
{
	uint32_t id;

	*at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&c->by_pid, hash, at)) != 0)
		if (c->pid[id].pid == pid)
			return id;
	return 0;
}

/* Returns the entry of a pid, new or old; 0 if there are too many; BOB_NO_ID
 * without memory. */
static uint32_t
put_pid(struct contents *c, uint64_t pid)
{
	uint64_t hash = XXH3_64bits_withSeed(&pid, sizeof(pid), c->dict->seed);
	uint32_t at, id;

	if (intern_reserve(c->ctx, &c->by_pid) < 0 ||
	    MEM_GROW(c->ctx, c, pid, (size_t)c->n_pid + 1) < 0)
		return BOB_NO_ID;
	id = find_pid(c, pid, hash, &at);
	if (id != 0)
		return id;
	if (c->n_pid > CONTENTS_MAX_PIDS) {
		c->facts |= BOB_SEGMENT_MORE_PIDS;
		return 0;
	}
	id = c->n_pid++;
	c->pid[id] = (struct contents_pid){ .pid = pid };
	intern_add(&c->by_pid, hash, at, id);
	return id;
}

static uint32_t
pid_of(struct contents *c, bob_tid track)
{
	const struct bob_track *t = bob_track_get(c->dict, track);
	uint32_t id;

	if ((t->flags & BOB_TRACK_PID) == 0)
		return c->own_pid;
	if (MEMO_GROW(c->ctx, c, of_track, (size_t)track + 1) < 0)
		return BOB_NO_ID;
	if (c->of_track[track] != 0)
		return c->of_track[track] - 1;
	id = put_pid(c, t->pid);
	if (id != BOB_NO_ID)
		c->of_track[track] = id + 1;
	return id;
}

/* --- routes --------------------------------------------------------------- */

/* Returns the route of an annotation set; 0: none. Of several the first one
 * counts, and then the index does not answer for routes. */
static bob_str
find_route(struct contents *c, bob_annot annot)
{
	size_t n, i;
	const struct bob_pair *v = bob_annot_get(c->dict, annot, &n);
	const struct bob_pair *found = NULL;

	for (i = 0; i < n; i++) {
		if (!meta_is(c->dict, v[i].key, ROUTE_KEY))
			continue;
		if (found != NULL && v[i].value != found->value)
			c->facts |= BOB_SEGMENT_MORE_ROUTES;
		if (found == NULL)
			found = &v[i];
	}
	return found != NULL ? found->value : 0;
}

static int
is_nameable(struct bob_bytes s)
{
	return s.n <= CONTENTS_MAX_TEXT && memchr(s.p, '\0', s.n) == NULL;
}

/* Returns the entry of a route; 0 if it is not named; BOB_NO_ID without
 * memory. */
static uint32_t
put_route(struct contents *c, bob_str route)
{
	if (route == 0)
		return 0;
	if (MEMO_GROW(c->ctx, c, of_str, (size_t)route + 1) < 0 ||
	    MEM_GROW(c->ctx, c, route, (size_t)c->n_route + 1) < 0)
		return BOB_NO_ID;
	if (c->of_str[route] != 0)
		return c->of_str[route] - 1;
	if (c->n_route > CONTENTS_MAX_ROUTES ||
	    !is_nameable(bob_str_get(c->dict, route))) {
		c->facts |= BOB_SEGMENT_MORE_ROUTES;
		return 0;
	}
	c->route[c->n_route] = (struct contents_route){ .route = route };
	c->of_str[route] = c->n_route + 1;
	return c->n_route++;
}

static uint32_t
route_of(struct contents *c, bob_annot annot)
{
	uint32_t id;

	if (annot == 0)
		return 0;
	if (MEMO_GROW(c->ctx, c, of_annot, (size_t)annot + 1) < 0)
		return BOB_NO_ID;
	if (c->of_annot[annot] != 0)
		return c->of_annot[annot] - 1;
	id = put_route(c, find_route(c, annot));
	if (id != BOB_NO_ID)
		c->of_annot[annot] = id + 1;
	return id;
}

/* --- segments and marks --------------------------------------------------- */

static void
take_segment(struct contents *c, const struct bob_segment *s)
{
	c->start = s->start_us;
	c->period_us = s->period_us;
	c->has_sample = 0;
	c->own_pid = 0;
}

static void
set_text(struct contents_text *to, struct bob_bytes s)
{
	size_t n = s.n < CONTENTS_MAX_TEXT ? s.n : CONTENTS_MAX_TEXT;
	const char *nul = memchr(s.p, '\0', n);

	n = nul != NULL ? (size_t)(nul - s.p) : n;
	memcpy(to->p, s.p, n);
	to->p[n] = '\0';
}

static int
take_meta(struct contents *c, struct bob_bytes key, struct bob_bytes value)
{
	uint64_t v;
	int r = labels_take(&c->labels, key, value);

	if (r != 0)
		return r < 0 ? r : BOB_OK;
	c->n_unkept = count_add(c->n_unkept, bob_unkept(key, value));
	if (bytes_are(key, "host"))
		set_text(&c->host, value);
	else if (bytes_are(key, "service"))
		set_text(&c->service, value);
	else if (bytes_are(key, META_START) && !c->has_sample &&
	    text_get_u64(value.p, value.n, &v))
		c->start = v;
	else if (bytes_are(key, "pid") && text_get_u64(value.p, value.n, &v)) {
		c->own_pid = put_pid(c, v);
		return c->own_pid == BOB_NO_ID ? BOB_FATAL : BOB_OK;
	}
	return BOB_OK;
}

int
contents_event(struct contents *c, const struct bob_event *ev)
{
	const struct bob_mark *m = ev->mark;

	if (ev->kind == BOB_EVENT_SEGMENT) {
		take_segment(c, ev->segment);
	} else if (ev->kind == BOB_EVENT_MARK && m->kind == BOB_MARK_META) {
		return take_meta(c, bob_str_get(c->dict, m->key),
		    bob_str_get(c->dict, m->value));
	} else if (ev->kind == BOB_EVENT_MARK && m->kind == BOB_MARK_GAP) {
		c->n_gaps++;
		c->n_lost = count_add(c->n_lost, m->gap->lost);
	}
	return BOB_OK;
}

/* --- runs ----------------------------------------------------------------- */

static void
note_dates(struct contents *c, const struct bob_run *run)
{
	uint64_t first = c->start + run->t_first, last = c->start + run->t_last;

	if (c->t_first == 0 || first < c->t_first)
		c->t_first = first;
	if (last > c->t_last)
		c->t_last = last;
}

int
contents_run(struct contents *c, const struct bob_run *run,
    struct contents_run *ret)
{
	uint32_t pid = pid_of(c, run->track), route = route_of(c, run->annot);

	if (pid == BOB_NO_ID || route == BOB_NO_ID)
		return BOB_FATAL;
	*ret = (struct contents_run){ run, pid, route, 0 };
	c->has_sample = 1;
	c->n_samples = count_add(c->n_samples, run->count);
	c->pid[pid].n_samples = count_add(c->pid[pid].n_samples, run->count);
	c->route[route].n_samples = count_add(c->route[route].n_samples,
	    run->count);
	if (clock_has_dates(c->start, run)) {
		ret->start = c->start;
		note_dates(c, run);
	} else {
		c->n_undated = count_add(c->n_undated, run->count);
	}
	return BOB_OK;
}
