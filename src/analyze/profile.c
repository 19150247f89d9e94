/* The public profile: options, and what is known about all samples. */
#include "analyze/profile.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inputs.h"
#include "analyze/spec.h"
#include "core/mem.h"
#include "model/weights.h"

/* Copies as many fields as the caller's version of the struct has. */
static struct bob_profile_opts
take_opts(const struct bob_profile_opts *opts)
{
	struct bob_profile_opts o = { 0 };

	if (opts != NULL)
		memcpy(&o, opts, opts->size < sizeof(o) ? opts->size :
		    sizeof(o));
	return o;
}

/* Reports a bad pattern now, not at the first input. */
static int
check_filter(struct bob_profile *p)
{
	struct filter *f;
	int i, r = BOB_OK;

	for (i = 0; r == BOB_OK && i < N_SIDES; i++) {
		r = filter_new(p->ctx, &p->filter[i], p->dict, &f);
		if (r == BOB_OK)
			filter_free(f);
	}
	return r;
}

/* Takes the filters of both sides. */
static int
set_filters(struct bob_profile *p, const struct bob_profile_opts *o)
{
	const struct bob_filter *from[N_SIDES] = { o->before != NULL
	        ? o->before : o->filter, o->filter };
	int i;

	for (i = 0; i < N_SIDES; i++) {
		if (filter_spec_copy(p->ctx, &p->filter[i], from[i]) < 0)
			return BOB_FATAL;
		p->idle_mode = p->filter[i].idle;
		p->filter[i].idle = BOB_IDLE_KEEP;
	}
	return BOB_OK;
}

static int
profile_init(struct bob_profile *p, const struct bob_profile_opts *o)
{
	int i;

	p->flags = o->flags;
	p->split = o->split;
	p->progress = o->progress;
	p->user = o->user;
	if (p->owns_dict)
		p->dict = bob_dict_new(p->ctx);
	if (p->dict == NULL)
		return BOB_FATAL;
	rows_init(&p->rows, p->ctx, p->dict->seed);
	for (i = 0; i < N_SIDES; i++) {
		strip_init(&p->side[i].strip, &p->rows, i);
		history_init(&p->side[i].history, p->ctx);
		clock_init(&p->side[i].clock, 0, UINT64_MAX);
		p->side[i].lost_percent = p->side[i].missed_percent = -1;
	}
	if (set_filters(p, o) < 0 ||
	    options_copy(p->ctx, &p->options, &p->n_options, o->options,
	        o->n_options) < 0 ||
	    requests_init(&p->requests[BY_CLOCK], p->ctx, p->dict,
	        o->request_key) < 0 ||
	    requests_init(&p->requests[BY_PERIOD], p->ctx, p->dict,
	        o->request_key) < 0)
		return BOB_FATAL;
	idle_init(&p->idle, p->ctx, p->dict);
	labels_init(&p->labels, p->ctx, p->dict->seed);
	if (o->format != NULL && (p->format = strdup(o->format)) == NULL)
		return err_nomem(p->ctx);
	if (o->n_last > 0) {
		p->last.v = calloc(o->n_last, sizeof(*p->last.v));
		p->last.in_order = calloc(o->n_last, sizeof(*p->last.v));
		if (p->last.v == NULL || p->last.in_order == NULL)
			return err_nomem(p->ctx);
		p->last.cap = o->n_last;
	}
	return check_filter(p);
}

/* dict: NULL, the profile has its own. */
static int
new_profile(struct bob_ctx *ctx, const struct bob_profile_opts *opts,
    struct bob_dict *dict, struct bob_profile **ret)
{
	struct bob_profile_opts o = take_opts(opts);
	struct bob_profile *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return err_nomem(ctx), BOB_FAILED;
	p->ctx = ctx;
	p->dict = dict;
	p->owns_dict = dict == NULL;
	p->has_bare_rows = dict != NULL;
	if (profile_init(p, &o) < 0) {
		bob_profile_free(p);
		return err_set_status(ctx, BOB_FAILED);
	}
	*ret = p;
	return BOB_OK;
}

int
bob_profile_new(struct bob_ctx *ctx, const struct bob_profile_opts *opts,
    struct bob_profile **ret)
{
	return new_profile(ctx, opts, NULL, ret);
}

int
profile_new_on(struct bob_ctx *ctx, const struct bob_profile_opts *opts,
    struct bob_dict *dict, struct bob_profile **ret)
{
	return new_profile(ctx, opts, dict, ret);
}

static void
free_facts(struct fact *f)
{
	while (f != NULL) {
		struct fact *next = f->next;

		free(f->key);
		free(f->value);
		free(f);
		f = next;
	}
}

void
bob_profile_free(struct bob_profile *p)
{
	int i;

	if (p == NULL)
		return;
	inputs_free(p);
	while (p->keys != NULL) {
		struct keys *next = p->keys->next;

		keys_free(p->keys);
		p->keys = next;
	}
	for (i = 0; i < N_SIDES; i++) {
		strip_done(&p->side[i].strip);
		history_done(&p->side[i].history);
		free(p->side[i].fact_of);
		sums_done(&p->side[i].aside);
		filter_spec_done(&p->filter[i]);
	}
	free_facts(p->facts);
	labels_done(&p->labels);
	idle_done(&p->idle);
	rows_done(&p->rows);
	requests_done(&p->requests[BY_CLOCK]);
	requests_done(&p->requests[BY_PERIOD]);
	options_done(p->options, p->n_options);
	if (p->owns_dict)
		bob_dict_free(p->dict);
	free(p->format);
	free(p->last.v);
	free(p->last.in_order);
	free(p->cells);
	free(p->bare);
	free(p->note);
	free(p->rest);
	free(p);
}

int
profile_basis(const struct side *s)
{
	uint64_t n_timed = count_add(s->n_timed, s->aside.n_timed);

	if (n_timed > 0 &&
	    n_timed == count_add(s->n_samples, s->aside.samples))
		return BOB_TIME_CLOCK;
	return s->min_period != 0 && !s->has_unknown_period ?
	    BOB_TIME_PERIOD : BOB_TIME_NONE;
}

struct bob_profile_info
bob_profile_info(const struct bob_profile *p, int side)
{
	const struct side *s = &p->side[side != 0];
	struct bob_profile_info i = { 0 };
	uint32_t k;

	i.n_read = s->n_read;
	i.n_samples = s->n_samples;
	i.basis = profile_basis(s);
	i.time_us = i.basis == BOB_TIME_CLOCK ? s->clock_us : s->period_us;
	i.waited_us = s->waited_us[i.basis == BOB_TIME_CLOCK ? BY_CLOCK
	                                                     : BY_PERIOD];
	i.n_segments = s->n_segments;
	for (k = 0; k < p->rows.n; k++)
		i.n_rows += p->rows.row[k].key.side == (side != 0);
	if (s->min_period == s->max_period && !s->has_unknown_period)
		i.period_us = s->min_period;
	i.has_several_periods = s->min_period != s->max_period ||
	    (s->min_period != 0 && s->has_unknown_period);
	i.last_period_us = s->last_period;
	i.max_period_us = s->max_period;
	if (i.basis == BOB_TIME_CLOCK)
		i.learned_us = s->learned_us;
	if (i.learned_us > i.max_period_us)
		i.max_period_us = i.learned_us;
	i.is_mixed = s->n_timed > 0 && s->n_timed < s->n_samples;
	i.t_first = s->t_first;
	i.t_last = s->t_last;
	i.start_us = s->clock.origin;
	i.n_gaps = s->n_gaps;
	i.n_lost = s->n_lost;
	i.n_unkept = s->n_unkept;
	i.is_incomplete = s->is_incomplete;
	i.caps = s->caps;
	return i;
}

struct bob_dict *
bob_profile_dict(struct bob_profile *p)
{
	return p->dict;
}

const char *
bob_profile_meta(const struct bob_profile *p, int side, const char *key)
{
	const struct fact *f;

	for (f = p->facts; f != NULL; f = f->next)
		if (f->side == (side != 0) && strcmp(f->key, key) == 0)
			return f->value;
	return NULL;
}

struct bob_bytes
bob_profile_process(struct bob_profile *p, uint64_t pid)
{
	struct bob_track track = { .pid = pid, .flags = BOB_TRACK_PID };
	const struct label *label = labels_of(&p->labels, &track);
	struct bob_bytes text = { "", 0 };

	if (label != NULL)
		(void)labels_text(&p->labels, label, &text);
	return text;
}

const struct bob_last *
bob_profile_last(const struct bob_profile *p, size_t *ret_n)
{
	const struct last *l = &p->last;
	size_t i;

	for (i = 0; i < l->n; i++)
		l->in_order[i] = l->v[(l->at + l->cap - l->n + i) % l->cap];
	*ret_n = l->n;
	return l->in_order;
}

const struct bob_cell *
bob_profile_cells(struct bob_profile *p, size_t *ret_n)
{
	uint32_t i;

	*ret_n = 0;
	if (MEM_GROW(p->ctx, p, cells, (size_t)p->rows.n + 1) < 0)
		return NULL;
	for (i = 0; i < p->rows.n; i++) {
		const struct row *r = &p->rows.row[i];
		int basis = profile_basis(&p->side[r->key.side]);

		p->cells[i] = (struct bob_cell){ .stack = r->key.stack,
			.track = r->key.track, .annot = r->key.annot,
			.epoch = r->key.epoch, .status = r->key.status,
			.flags = r->key.flags, .side = r->key.side,
			.is_idle = r->key.is_idle,
			.samples = r->samples,
			.time_us = row_time(r, basis) };
	}
	*ret_n = p->rows.n;
	return p->cells;
}

/* Returns the requests with times by the clock if all samples have times, else
 * by periods. */
static struct requests *
requests_of(struct bob_profile *p)
{
	int i, all_timed = 1;

	for (i = 0; i < N_SIDES; i++)
		all_timed &= p->side[i].n_timed == p->side[i].n_samples;
	return &p->requests[all_timed ? BY_CLOCK : BY_PERIOD];
}

const struct bob_request *
bob_profile_requests(struct bob_profile *p, size_t *ret_n)
{
	return requests_slowest(requests_of(p), ret_n);
}

const struct bob_route *
bob_profile_routes(struct bob_profile *p, size_t *ret_n)
{
	return requests_routes(requests_of(p), ret_n);
}
