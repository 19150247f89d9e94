/*
 * Attaches in a thread of its own (bob_attach_begin): files and memory of the
 * process are read, which may block for ever. The thread has a context and a
 * dictionary of its own. The handle keeps the context, and gets the caller's
 * dictionary when it is handed over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/attach/handle.h"
#include "capture/thread.h"
#include "core/clock.h"

struct bob_attaching {
	struct job job;
	uint64_t pid;
	uint64_t t_begin;
	struct bob_dict *dict; /* the caller's */
	struct handle_own *own;
	struct bob_proc *proc;
	int result;
};

static char *
copy_text(const char *s, int *failed)
{
	char *p = s != NULL ? strdup(s) : NULL;

	*failed |= s != NULL && p == NULL;
	return p;
}

struct handle_own *
handle_own_new(const struct bob_attach_opts *o)
{
	struct handle_own *own = calloc(1, sizeof(*own));
	int failed = 0;
	size_t i;

	if (own == NULL)
		return NULL;
	own->opts = *o;
	own->opts.vars = own->vars;
	own->opts.n_vars = 0;
	own->opts.runtime = own->runtime = copy_text(o->runtime, &failed);
	own->opts.version = own->version = copy_text(o->version, &failed);
	own->opts.redact = own->redact = copy_text(o->redact, &failed);
	for (i = 0; i < o->n_vars && i < BOB_MAX_CAPTURE_VARS; i++) {
		own->vars[i] = copy_text(o->vars[i], &failed);
		own->opts.n_vars = i + 1;
	}
	own->ctx = bob_ctx_new();
	own->dict = own->ctx != NULL ? bob_dict_new(own->ctx) : NULL;
	own->opts.dict = own->dict;
	if (own->dict != NULL && !failed)
		return own;
	handle_own_free(own);
	return NULL;
}

void
handle_own_free(struct handle_own *own)
{
	size_t i;

	if (own == NULL)
		return;
	for (i = 0; i < own->opts.n_vars; i++)
		free((void *)(uintptr_t)own->vars[i]);
	free(own->runtime);
	free(own->version);
	free(own->redact);
	bob_dict_free(own->dict);
	bob_ctx_free(own->ctx);
	free(own);
}

static void
free_attaching(struct bob_attaching *a)
{
	/* A handle owns it, and frees it. */
	if (a->proc == NULL)
		handle_own_free(a->own);
	bob_detach(a->proc);
	free(a);
}

static void
attach_main(void *user)
{
	struct bob_attaching *a = user;

	a->result = bob_attach(a->own->ctx, a->pid, &a->own->opts, &a->proc);
	if (a->result == BOB_OK)
		handle_set_own(a->proc, a->own);
	if (job_end(&a->job, JOB_DONE))
		free_attaching(a);
}

int
attaching_begin(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, int flags, struct bob_attaching **ret)
{
	int r = bob_attach_check(ctx, opts);
	struct bob_attaching *a;

	if (r < 0)
		return r;
	a = calloc(1, sizeof(*a));
	if (a == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	a->pid = pid;
	a->t_begin = clock_ns();
	a->dict = opts->dict;
	a->own = handle_own_new(opts);
	if (a->own == NULL) {
		free(a);
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	r = thread_start(attach_main, a, flags);
	if (r < 0) {
		free_attaching(a);
		return err_sys(ctx, BOB_FAILED, -r, "process %llu: no thread "
		    "to attach to it", (unsigned long long)pid);
	}
	*ret = a;
	return BOB_OK;
}

int
bob_attach_begin(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, struct bob_attaching **ret)
{
	return attaching_begin(ctx, pid, opts, THREAD_NICE, ret);
}

int
bob_attach_poll(struct bob_ctx *ctx, struct bob_attaching *a,
    struct bob_dict *dict, struct bob_proc **ret)
{
	int r;

	if (!job_is_done(&a->job))
		return BOB_AGAIN;
	r = a->result;
	if (r == BOB_OK) {
		*ret = a->proc;
		bob_proc_set_dict(a->proc, dict);
		bob_dict_free(a->own->dict);
		a->own->dict = NULL;
		a->proc = NULL;
	} else {
		err_copy(ctx, a->own->ctx);
		handle_own_free(a->own);
	}
	free(a);
	return r;
}

int
bob_attach_is_done(struct bob_attaching *a)
{
	return job_is_done(&a->job);
}

int
attaching_is_silent(struct bob_ctx *ctx, uint64_t pid)
{
	(void)err_set(ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "process %llu: its memory or its files do not answer",
	    (unsigned long long)pid);
	return err_set_sys(ctx, ETIMEDOUT);
}

int
bob_attach_wait(struct bob_ctx *ctx, struct bob_attaching *a,
    struct bob_dict *dict, uint64_t us, struct bob_proc **ret)
{
	uint64_t pid = a->pid;

	if (job_wait(&a->job, us))
		return bob_attach_poll(ctx, a, dict, ret);
	bob_attach_drop(a);
	return attaching_is_silent(ctx, pid);
}

uint64_t
bob_attach_age(const struct bob_attaching *a)
{
	return (clock_ns() - a->t_begin) / 1000;
}

void
bob_attach_drop(struct bob_attaching *a)
{
	if (a != NULL && job_end(&a->job, JOB_DROPPED))
		free_attaching(a);
}
