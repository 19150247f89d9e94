/*
 * A watch, with real processes: shells, and Pythons where there is one that may
 * be read. What is waited for is waited for by polls, as callers do; nothing
 * depends on how long it takes.
 */
#define _GNU_SOURCE /* memmem */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/watch.h>

#define PATIENCE_S 60

#define REST "import time\nwhile True: time.sleep(0.01)"

struct rig {
	struct diags diags;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct bob_sampler *sampler;
	struct bob_watch *w;
	unsigned n_came, n_gone, n_refused[BOB_N_REFUSALS];
	struct bob_proc *last;
	int is_stranger; /* a process had another user pointer than ours */
	pid_t child[4];  /* leaders of groups */
	size_t n_child;
	int input;       /* of the last one */
	struct rlimit limit; /* of descriptors, before */
	char mark[64];
};

/* --- a rig ---------------------------------------------------------------- */

static int
on_came(void *user, struct bob_proc *p)
{
	struct rig *g = user;

	g->n_came++;
	g->last = p;
	bob_proc_set_user(p, g);
	return 0;
}

static void
on_refused(void *user, const struct bob_watched *p)
{
	struct rig *g = user;

	assert_true(p->cause > BOB_REFUSED_NOT && p->cause < BOB_N_REFUSALS);
	g->n_refused[p->cause]++;
}

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct rig *g = user;

	(void)runs;
	(void)n;
	g->is_stranger |= bob_proc_user(p) != g;
	return 0;
}

static void
on_gone(void *user, struct bob_proc *p)
{
	struct rig *g = user;

	g->n_gone++;
	g->is_stranger |= bob_proc_user(p) != g;
}

static int
on_tick(void *user, uint64_t us)
{
	struct rig *g = user;
	int r = bob_watch_poll(g->w);

	(void)us;
	return r == BOB_AGAIN ? BOB_OK : r;
}

static int
set_up(void **state)
{
	struct rig *g = calloc(1, sizeof(*g));
	struct bob_sampler_events ev = { on_runs, on_gone, on_tick, g };
	struct bob_sampler_opts o = { .size = sizeof(o),
		.period_ns = 5000000, .duration_us = 300000,
		.flags = BOB_SAMPLER_STAY | BOB_SAMPLER_NO_REALTIME,
		.events = &ev };
	struct timespec t;

	if (g == NULL)
		return -1;
	*state = g;
	(void)getrlimit(RLIMIT_NOFILE, &g->limit);
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	(void)snprintf(g->mark, sizeof(g->mark), "watched-%d-%ld",
	    (int)getpid(), t.tv_nsec);
	g->ctx = ctx_with(&g->diags);
	g->dict = bob_dict_new(g->ctx);
	return bob_sampler_new(g->ctx, &o, &g->sampler);
}

static int
tear_down(void **state)
{
	struct rig *g = *state;
	size_t i;

	(void)setrlimit(RLIMIT_NOFILE, &g->limit);
	bob_sampler_free(g->sampler);
	bob_watch_free(g->w);
	for (i = 0; i < g->n_child; i++) {
		(void)kill(-g->child[i], SIGKILL);
		(void)waitpid(g->child[i], NULL, 0);
	}
	if (g->n_child > 0)
		(void)close(g->input);
	bob_dict_free(g->dict);
	bob_ctx_free(g->ctx);
	free(g);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void
watch(struct rig *g, const char *pattern, uint32_t flags)
{
	struct bob_watch_events ev = { .came = on_came,
		.refused = on_refused, .user = g };
	struct bob_attach_opts attach = { .size = sizeof(attach),
		.dict = g->dict };
	struct bob_watch_opts o = { .size = sizeof(o), .sampler = g->sampler,
		.attach = &attach, .pattern = pattern, .flags = flags,
		.events = &ev };

	assert_status(g->ctx, BOB_OK, bob_watch_new(g->ctx, &o, &g->w));
}

/* A shell with the mark as $0, a script, and a pipe from us. */
static pid_t
start(struct rig *g, const char *script)
{
	int fd[2];
	pid_t pid;

	assert_true(g->n_child < COUNT_OF(g->child));
	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		(void)setpgid(0, 0);
		(void)dup2(fd[0], 0);
		(void)close(fd[0]);
		(void)close(fd[1]);
		(void)execlp("sh", "sh", "-c", script, g->mark, (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	(void)setpgid(pid, pid);
	(void)close(fd[0]);
	if (g->n_child > 0)
		(void)close(g->input);
	g->input = fd[1];
	g->child[g->n_child++] = pid;
	return pid;
}

/* Whether a Python may be attached to is up to the machine. */
static void
need_python(struct rig *g)
{
	struct bob_attach_opts o = { .size = sizeof(o), .dict = g->dict };
	pid_t pid = start(g, "exec python3 -c '" REST "'");
	const struct timespec nap = { 0, 20000000 };
	struct bob_proc *p;
	int r, i;

	for (i = 0; i < 500; i++) {
		r = bob_attach(g->ctx, (uint64_t)pid, &o, &p);
		if (r == BOB_OK || bob_ctx_error(g->ctx)->code != BOB_E_FORMAT)
			break;
		(void)nanosleep(&nap, NULL);
	}
	(void)kill(-pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)close(g->input);
	g->n_child--;
	if (r != BOB_OK)
		skip();
	bob_detach(p);
}

/* Waits until the program was executed: before, /proc has our own arguments. */
static void
await_mark(const struct rig *g, pid_t pid)
{
	const struct timespec nap = { 0, 1000000 };
	char path[64], args[512];
	size_t n;
	FILE *f;
	int i;

	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	for (i = 0; i < PATIENCE_S * 1000; i++) {
		f = fopen(path, "r");
		assert_non_null(f);
		n = fread(args, 1, sizeof(args), f);
		(void)fclose(f);
		if (memmem(args, n, g->mark, strlen(g->mark)) != NULL)
			return;
		(void)nanosleep(&nap, NULL);
	}
	fail_msg("process %d was not executed", (int)pid);
}

/* Polls until it is so. */
#define UNTIL(g, what)                                                       \
	do {                                                                 \
		const struct timespec nap_ = { 0, 10000000 };                \
		unsigned i_;                                                 \
		for (i_ = 0; !(what) && i_ < PATIENCE_S * 100; i_++) {       \
			assert_true(bob_watch_poll((g)->w) >= 0);            \
			(void)nanosleep(&nap_, NULL);                        \
		}                                                            \
		assert_true(what);                                           \
	} while (0)

static int
is_watched(const struct rig *g, pid_t pid, struct bob_watched *ret)
{
	size_t i;

	for (i = 0; bob_watch_get(g->w, i, ret); i++)
		if (ret->pid == (uint64_t)pid)
			return 1;
	return 0;
}

static int
cause_of(const struct rig *g, pid_t pid)
{
	struct bob_watched e;

	return is_watched(g, pid, &e) ? e.cause : -1;
}

/* --- tests ---------------------------------------------------------------- */

static void
causes_have_names(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < BOB_N_REFUSALS; i++)
		assert_non_null(bob_refusal_name(i));
	assert_null(bob_refusal_name(-1));
	assert_null(bob_refusal_name(BOB_N_REFUSALS));
	assert_string_equal(bob_refusal_name(BOB_REFUSED_PERMISSION),
	    "permission");
}

static void
wrong_options_are_refused(void **state)
{
	struct rig *g = *state;
	struct bob_watch_events ev = { .user = g };
	struct bob_attach_opts attach = { .size = sizeof(attach),
		.dict = g->dict };
	struct bob_watch_opts o = { .size = sizeof(o), .sampler = g->sampler,
		.attach = &attach, .pattern = "(", .events = &ev };

	assert_int_equal(bob_watch_new(g->ctx, &o, &g->w), BOB_FAILED);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
	o.pattern = NULL;
	o.size--;
	assert_int_equal(bob_watch_new(g->ctx, &o, &g->w), BOB_FAILED);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
	bob_watch_free(NULL);
}

static void
one_that_is_not_there_is_told_and_forgotten(void **state)
{
	struct rig *g = *state;
	pid_t pid = start(g, "exit");
	struct bob_watched e;

	(void)waitpid(pid, NULL, 0);
	watch(g, NULL, 0);
	assert_int_equal(bob_watch_add(g->w, (uint64_t)pid, 0), BOB_OK);
	UNTIL(g, g->n_refused[BOB_REFUSED_ENDED] > 0);
	assert_false(is_watched(g, pid, &e));
	assert_true(bob_watch_is_over(g->w));
	assert_int_equal(g->n_refused[BOB_REFUSED_ENDED], 1);
}

/* It is told once, however often it is tried; waits grow until nobody expects
 * a runtime any more. */
static void
a_shell_has_no_runtime(void **state)
{
	struct rig *g = *state;
	pid_t pid = start(g, "read x");
	struct bob_watched e;

	watch(g, NULL, 0);
	assert_int_equal(bob_watch_add(g->w, (uint64_t)pid, 0), BOB_OK);
	assert_false(bob_watch_is_over(g->w));
	UNTIL(g, g->n_refused[BOB_REFUSED_RUNTIME] > 0);
	assert_true(is_watched(g, pid, &e));
	assert_true(e.is_named && !e.was_sampled && e.proc == NULL);
	assert_int_equal(e.cause, BOB_REFUSED_RUNTIME);
	UNTIL(g, bob_watch_is_over(g->w));
	assert_true(is_watched(g, pid, &e));
	assert_int_equal(g->n_refused[BOB_REFUSED_RUNTIME], 1);
	assert_int_equal(g->n_came, 0);
}

/* One whose children are waited for is not over for want of descriptors. */
static void
a_root_is_not_over_without_descriptors(void **state)
{
	struct rig *g = *state;
	pid_t pid = start(g, "read x");
	struct rlimit none = g->limit;

	watch(g, NULL, BOB_WATCH_CHILDREN);
	assert_int_equal(bob_watch_add(g->w, (uint64_t)pid, 0), BOB_OK);
	UNTIL(g, cause_of(g, pid) == BOB_REFUSED_RUNTIME);
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	UNTIL(g, cause_of(g, pid) == BOB_REFUSED_DESCRIPTORS);
	assert_false(bob_watch_is_over(g->w));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &g->limit), 0);
	UNTIL(g, cause_of(g, pid) == BOB_REFUSED_RUNTIME);
	assert_false(bob_watch_is_over(g->w));
	assert_int_equal(g->n_refused[BOB_REFUSED_DESCRIPTORS], 1);
	(void)kill(-pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	UNTIL(g, bob_watch_is_over(g->w));
}

static void
a_pattern_finds_who_comes_and_forgets_who_goes(void **state)
{
	struct rig *g = *state;
	struct bob_watched e;
	pid_t pid;

	need_python(g);
	watch(g, g->mark, 0);
	assert_int_equal(bob_watch_settle(g->w, 1000000), BOB_OK);
	assert_int_equal(g->n_came, 0);
	assert_false(bob_watch_is_over(g->w));
	pid = start(g, "exec python3 -c '" REST "' $0");
	UNTIL(g, g->n_came == 1);
	assert_true(is_watched(g, pid, &e));
	assert_true(!e.is_named && e.proc == g->last);
	assert_ptr_equal(bob_sampler_get(g->sampler, 0), g->last);
	assert_status(g->ctx, BOB_OK, bob_sampler_run(g->sampler));
	(void)kill(pid, SIGKILL);
	while (g->n_gone == 0)
		assert_status(g->ctx, BOB_OK, bob_sampler_run(g->sampler));
	(void)waitpid(pid, NULL, 0);
	UNTIL(g, !is_watched(g, pid, &e));
	assert_false(g->is_stranger);
	/* It looks for others. */
	assert_false(bob_watch_is_over(g->w));
}

static void
a_shell_becomes_a_python(void **state)
{
	struct rig *g = *state;
	struct bob_watched e;
	pid_t pid;

	need_python(g);
	pid = start(g, "read x; exec python3 -c '" REST "'");
	watch(g, NULL, BOB_WATCH_CHILDREN);
	assert_int_equal(bob_watch_add(g->w, (uint64_t)pid, 0), BOB_OK);
	UNTIL(g, g->n_refused[BOB_REFUSED_RUNTIME] == 1);
	assert_int_equal(write(g->input, "\n", 1), 1);
	UNTIL(g, g->n_came == 1);
	assert_true(is_watched(g, pid, &e));
	assert_true(e.is_named && e.proc != NULL);
	assert_int_equal(e.cause, BOB_REFUSED_NOT);
}

static void
children_of_those_that_were_named_come(void **state)
{
	struct rig *g = *state;
	struct bob_watched e;
	pid_t pid;

	need_python(g);
	pid = start(g, "python3 -c '" REST "' & wait");
	watch(g, NULL, BOB_WATCH_CHILDREN);
	assert_int_equal(bob_watch_add(g->w, (uint64_t)pid, 0), BOB_OK);
	UNTIL(g, g->n_came == 1);
	assert_true(is_watched(g, (pid_t)bob_proc_facts(g->last)->pid, &e));
	assert_true(!e.is_named && e.pid != (uint64_t)pid);
	assert_false(bob_watch_is_over(g->w));
}

/* Who comes after the first list is nobody's. */
static void
a_pattern_for_the_start_is_looked_for_once(void **state)
{
	struct rig *g = *state;
	struct bob_watched e;
	pid_t first, later;

	need_python(g);
	first = start(g, "exec python3 -c '" REST "' $0");
	await_mark(g, first);
	watch(g, g->mark, BOB_WATCH_ONCE);
	UNTIL(g, g->n_came == 1);
	assert_true(is_watched(g, first, &e));
	later = start(g, "exec python3 -c '" REST "' $0");
	assert_status(g->ctx, BOB_OK, bob_sampler_run(g->sampler));
	assert_false(is_watched(g, later, &e));
	(void)kill(first, SIGKILL);
	while (g->n_gone == 0)
		assert_status(g->ctx, BOB_OK, bob_sampler_run(g->sampler));
	assert_true(bob_watch_is_over(g->w));
	assert_int_equal(g->n_came, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes_have_names),
		TEST(wrong_options_are_refused),
		TEST(one_that_is_not_there_is_told_and_forgotten),
		TEST(a_shell_has_no_runtime),
		TEST(a_root_is_not_over_without_descriptors),
		TEST(a_pattern_finds_who_comes_and_forgets_who_goes),
		TEST(a_shell_becomes_a_python),
		TEST(children_of_those_that_were_named_come),
		TEST(a_pattern_for_the_start_is_looked_for_once),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
