/*
 * bob_record: a sampler, a watch and a recorder, connected as an embedder would
 * connect them. It uses the public handles only, so it is also the example of
 * how they belong together.
 */
#include <string.h>

#include <bobbin/recorder.h>
#include <bobbin/watch.h>

#include "core/error.h"

#define DEFAULT_PERIOD_NS 10000000
/* How long the first samples wait for all processes to be attached. */
#define SETTLE_US 1000000

struct recording {
	struct bob_ctx *ctx;
	const struct bob_record_opts *o;
	struct bob_sampler *sampler;
	struct bob_recorder *recorder;
	struct bob_watch *watch;
	struct bob_error refused; /* of the process that was named */
	int is_refused;
	int is_begun;             /* the file is open */
};

/* --- events --------------------------------------------------------------- */

/* There is one file. If somebody removes it, the recording fails. */
static char *
recording_name(void *user, const struct bob_proc *p, int is_again)
{
	const struct recording *x = user;

	return p == NULL && !is_again ? strdup(x->o->path) : NULL;
}

/* The file is opened when there is something to sample, so that a process that
 * cannot be sampled costs no older file. */
static int
recording_came(void *user, struct bob_proc *p)
{
	struct recording *x = user;
	int r = bob_recorder_add(x->recorder, p);

	if (r < 0 || x->is_begun)
		return r;
	x->is_begun = 1;
	return bob_recorder_begin(x->recorder);
}

static void
recording_refused(void *user, const struct bob_watched *w)
{
	struct recording *x = user;

	if (!w->is_named)
		return;
	x->refused = *bob_ctx_error(x->ctx);
	x->is_refused = 1;
}

static int
recording_runs(void *user, struct bob_proc *p, const struct bob_run *runs,
    size_t n)
{
	struct recording *x = user;

	return bob_recorder_runs(x->recorder, p, runs, n);
}

static void
recording_gone(void *user, struct bob_proc *p)
{
	struct recording *x = user;

	bob_recorder_gone(x->recorder, p);
}

static int
recording_tick(void *user, uint64_t t_us)
{
	struct recording *x = user;
	int r = bob_recorder_tick(x->recorder, t_us);

	if (r == BOB_OK)
		r = bob_watch_poll(x->watch);
	if (r < 0)
		return r;
	return bob_watch_is_over(x->watch) ? BOB_EOF : BOB_OK;
}

/* --- the handles ---------------------------------------------------------- */

static int
recording_check(struct bob_ctx *ctx, const struct bob_record_opts *o)
{
	if (o == NULL || o->size != sizeof(*o) || o->path == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_record: options are missing or of another version");
	if (o->pid == 0 && o->pattern == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_record: neither a process nor a pattern is given");
	return BOB_OK;
}

static uint64_t
recording_period(const struct bob_record_opts *o)
{
	return o->period_ns != 0 ? o->period_ns : DEFAULT_PERIOD_NS;
}

static int
recording_open_sampler(struct recording *x)
{
	const struct bob_sampler_events events = { .runs = recording_runs,
		.gone = recording_gone, .tick = recording_tick, .user = x };
	const struct bob_sampler_opts o = { .size = sizeof(o),
		.period_ns = recording_period(x->o),
		.duration_us = x->o->duration_us, .stop = x->o->stop,
		.flags = BOB_SAMPLER_STAY, .events = &events };

	return bob_sampler_new(x->ctx, &o, &x->sampler);
}

static int
recording_open_recorder(struct recording *x)
{
	const struct bob_recorder_events events = { .name = recording_name,
		.user = x };
	const struct bob_recorder_opts o = { .size = sizeof(o),
		.sampler = x->sampler, .period_ns = recording_period(x->o),
		.format = x->o->format != NULL ? x->o->format : "rbt",
		.mode = x->o->attach != NULL ? x->o->attach->mode : 0,
		.flags = x->o->pattern == NULL ? BOB_RECORDER_SINGLE : 0,
		.events = &events };

	return bob_recorder_new(x->ctx, &o, &x->recorder);
}

/* After the recorder: ids of processes are of its dictionary. */
static int
recording_open_watch(struct recording *x)
{
	const struct bob_watch_events events = { .came = recording_came,
		.refused = recording_refused, .user = x };
	struct bob_attach_opts attach = { .size = sizeof(attach) };
	const struct bob_watch_opts o = { .size = sizeof(o),
		.sampler = x->sampler, .attach = &attach,
		.pattern = x->o->pattern, .events = &events };
	int r;

	if (x->o->attach != NULL)
		attach = *x->o->attach;
	attach.dict = bob_recorder_dict(x->recorder);
	r = bob_watch_new(x->ctx, &o, &x->watch);
	if (r == BOB_OK && x->o->pid != 0)
		r = bob_watch_add(x->watch, x->o->pid, 0);
	return r;
}

/* Nothing is left to sample. Returns BOB_OK, unless the process that was named
 * was never sampled. */
static int
recording_is_over(struct recording *x)
{
	if (!x->is_refused || bob_recorder_sum(x->recorder).taken > 0)
		return BOB_OK;
	x->ctx->error = x->refused;
	return BOB_FAILED;
}

static int
recording_run(struct recording *x)
{
	int r = bob_watch_settle(x->watch, SETTLE_US);

	if (r >= 0 && !bob_watch_is_over(x->watch))
		r = bob_sampler_run(x->sampler);
	if (r < 0) {
		bob_recorder_give_up(x->recorder);
		return r;
	}
	r = bob_recorder_end(x->recorder);
	return r < 0 ? r : recording_is_over(x);
}

int
bob_record(struct bob_ctx *ctx, const struct bob_record_opts *opts,
    struct bob_recorded *ret)
{
	struct recording x = { .ctx = ctx, .o = opts };
	int r = recording_check(ctx, opts);

	if (r == BOB_OK)
		r = recording_open_sampler(&x);
	if (r == BOB_OK)
		r = recording_open_recorder(&x);
	if (r == BOB_OK)
		r = recording_open_watch(&x);
	if (r == BOB_OK)
		r = recording_run(&x);
	if (ret != NULL && x.recorder != NULL)
		*ret = bob_recorder_sum(x.recorder);
	bob_recorder_free(x.recorder);
	bob_sampler_free(x.sampler);
	bob_watch_free(x.watch);
	return r;
}
