/*
 * Checks of processes with a timeout (bob_check_process, bob_candidates). Each
 * runs in a thread of its own, as files and memory of a process are read, which
 * may block for ever. Results stay in the thread's memory until the caller
 * takes them; a thread that is too late is given up.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/attach/handle.h"
#include "capture/doctor/advice.h"
#include "capture/doctor/check.h"
#include "capture/thread.h"

/* A process that takes longer does not answer. Of a listed process only the
 * mappings and a word are read. */
#define CHECK_US 10000000
#define LIST_US 200000

#define SILENT "its memory or its files do not answer"

/* Limit of results of one process; there are fewer checks. */
#define MAX_TOLD 16

static int
no_thread(struct bob_ctx *ctx, uint64_t pid, int sys)
{
	return err_sys(ctx, BOB_FAILED, sys, "process %llu: no thread to look "
	    "at it", (unsigned long long)pid);
}

/* --- one process ---------------------------------------------------------- */

struct told {
	const char *name;
	int health;
	int has_fix;
	char text[BOB_MAX_TEXT], fix[BOB_MAX_TEXT];
};

struct apart {
	struct job job;
	struct handle_own *own; /* context and options */
	uint64_t pid;
	int result;
	_Atomic size_t n; /* of these */
	struct told v[MAX_TOLD];
};

static void
free_apart(struct apart *a)
{
	handle_own_free(a->own);
	free(a);
}

/* Keeps a result. Names of checks are constants. */
static void
keep_result(void *user, const struct bob_check *k)
{
	struct apart *a = user;
	struct told *t = &a->v[a->n];

	if (a->n == MAX_TOLD)
		return;
	t->name = k->name;
	t->health = k->health;
	t->has_fix = k->fix != NULL;
	(void)snprintf(t->text, sizeof(t->text), "%s", k->text);
	(void)snprintf(t->fix, sizeof(t->fix), "%s", t->has_fix ? k->fix : "");
	a->n++;
}

static void
check_main(void *user)
{
	struct apart *a = user;

	a->result = check_process(a->own->ctx, a->pid, &a->own->opts,
	    keep_result, a);
	if (job_end(&a->job, JOB_DONE))
		free_apart(a);
}

static void
give_results(const struct apart *a, bob_check_fn *fn, void *user)
{
	size_t i, n = a->n;

	for (i = 0; i < n; i++) {
		const struct told *t = &a->v[i];
		const struct bob_check k = { .name = t->name,
			.health = t->health, .text = t->text,
			.fix = t->has_fix ? t->fix : NULL };

		fn(user, &k);
	}
}

static struct apart *
start_check(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts)
{
	struct apart *a = calloc(1, sizeof(*a));
	int r;

	if (a != NULL)
		a->own = handle_own_new(opts);
	if (a == NULL || a->own == NULL) {
		free(a);
		(void)err_nomem(ctx);
		return NULL;
	}
	a->pid = pid;
	r = thread_start(check_main, a, 0);
	if (r == 0)
		return a;
	(void)no_thread(ctx, pid, -r);
	free_apart(a);
	return NULL;
}

int
bob_check_process(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, bob_check_fn *fn, void *user)
{
	struct checks c = { .ctx = ctx, .fn = fn, .user = user };
	struct apart *a = start_check(ctx, pid, opts);
	int r = BOB_OK;

	if (a == NULL)
		return BOB_FAILED;
	if (job_wait(&a->job, CHECK_US)) {
		give_results(a, fn, user);
		r = a->result;
		if (r < 0)
			err_copy(ctx, a->own->ctx);
	} else {
		give_results(a, fn, user);
		check_say(&c, "answer", BOB_HEALTH_PROBLEM, NULL, SILENT);
	}
	if (job_end(&a->job, JOB_DROPPED))
		free_apart(a);
	return r;
}

/* --- a list --------------------------------------------------------------- */

struct listing {
	bob_candidate_fn *fn;
	void *user;
	int failed;
};

/* The check of one listed process. */
struct trial {
	struct job job;
	struct bob_ctx *ctx;
	int pid;
	int result; /* 0: it may be read; or -errno */
	const struct runtime *rt; /* NULL: none */
};

static void
free_trial(struct trial *t)
{
	bob_ctx_free(t->ctx);
	free(t);
}

static void
trial_main(void *user)
{
	struct trial *t = user;
	struct maps maps;

	memset(&maps, 0, sizeof(maps));
	t->result = check_may_read(t->ctx, t->pid, &maps);
	if (t->result == 0)
		(void)check_named_module(&maps, &t->rt);
	maps_done(&maps);
	if (job_end(&t->job, JOB_DONE))
		free_trial(t);
}

/* Returns 0 and sets *ret to the runtime or NULL; -ETIMEDOUT; another
 * -errno. */
static int
try_in_time(int pid, const struct runtime **ret)
{
	struct trial *t = calloc(1, sizeof(*t));
	int r;

	if (t != NULL)
		t->ctx = bob_ctx_new();
	if (t == NULL || t->ctx == NULL) {
		free(t);
		return -ENOMEM;
	}
	t->pid = pid;
	r = thread_start(trial_main, t, 0);
	if (r < 0) {
		free_trial(t);
		return r;
	}
	r = -ETIMEDOUT;
	if (job_wait(&t->job, LIST_US)) {
		r = t->result;
		*ret = t->rt;
	}
	if (job_end(&t->job, JOB_DROPPED))
		free_trial(t);
	return r;
}

/* Returns the runtime by the name of the program alone, for a process whose
 * files cannot be read; NULL if it is none. */
static const char *
runtime_by_name(const struct bob_proc_info *info)
{
	struct map_file f;
	char first[256];
	size_t i;

	(void)snprintf(first, sizeof(first), "%s", info->command);
	first[strcspn(first, " :")] = '\0';
	memset(&f, 0, sizeof(f));
	f.path = first;
	f.is_exec = 1;
	for (i = 0; runtime_get(i) != NULL; i++)
		if (runtime_get(i)->is_module(&f))
			return runtime_get(i)->name;
	return NULL;
}

static int
give_candidate(void *user, const struct bob_proc_info *info)
{
	struct listing *l = user;
	struct bob_candidate k = { .info = info };
	const struct runtime *rt = NULL;
	struct advice a;
	int r;

	if (*info->command == '\0' && !info->is_silent)
		return 0;
	r = try_in_time((int)info->pid, &rt);
	if (r == -ENOMEM || r == -EAGAIN) {
		l->failed = r;
		return 1;
	}
	k.runtime = r == 0 && rt != NULL ? rt->name : NULL;
	if (r < 0)
		k.runtime = runtime_by_name(info);
	if (k.runtime == NULL || r == -ESRCH || r == -ENOENT)
		return 0;
	if (info->is_silent || r == -ETIMEDOUT) {
		k.why = SILENT;
	} else if (r < 0) {
		advice_refused((int)info->pid, -r, &a);
		k.why = a.text;
		k.fix = a.fix[0] != '\0' ? a.fix : NULL;
	}
	return l->fn(l->user, &k);
}

int
bob_candidates(struct bob_ctx *ctx, bob_candidate_fn *fn, void *user)
{
	struct listing l = { fn, user, 0 };
	int r = bob_proc_list(ctx, give_candidate, &l);

	return l.failed < 0 ? err_sys(ctx, BOB_FAILED, -l.failed,
	    "cannot look at all processes of /proc") : r;
}
