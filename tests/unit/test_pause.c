/* Stopping a thread: the priority and the signals of the thread that stops
 * it. */
#define _GNU_SOURCE /* processors and policies */
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/pause.h"
#include "core/clock.h"

#define STOPS 20

static pid_t
start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* It must not outlive a test that fails. */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	assert_true(pid > 0);
	return pid;
}

static void
finish(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* How often a thread may be late to stop, on a machine that is busy. */
#define LATE 100

/* Stops it; where nobody may, the test is skipped. */
static void
stop(struct pause *p, pid_t pid)
{
	int i, r = -ETIMEDOUT;

	for (i = 0; i < LATE && r == -ETIMEDOUT; i++)
		r = pause_begin(p, pid);
	if (r == -EPERM) {
		finish(pid);
		skip();
	}
	assert_int_equal(r, 0);
}

static int
may_raise(void)
{
	const struct sched_param high = { .sched_priority = 1 }, none = { 0 };

	return sched_setscheduler(0, SCHED_FIFO, &high) == 0 &&
	    sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

static void
priority_is_high_while_a_thread_stands_only(void **state)
{
	int high = may_raise() ? SCHED_FIFO : SCHED_OTHER, i;
	struct pause p = { 0 };
	pid_t pid = start();

	(void)state;
	for (i = 0; i < STOPS; i++) {
		stop(&p, pid);
		assert_int_equal(sched_getscheduler(0), high);
		(void)pause_end(&p);
		assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	}
	finish(pid);
	/* There is none any more. */
	assert_true(pause_begin(&p, pid) < 0);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

static void
a_chosen_policy_stays(void **state)
{
	const struct sched_param none = { 0 };
	struct pause p = { 0 };
	pid_t pid = start();

	(void)state;
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &none), 0);
	stop(&p, pid);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
	(void)pause_end(&p);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
	finish(pid);
}

static void
the_time_of_a_stop_is_within_that_of_its_calls(void **state)
{
	const struct timespec nap = { 0, 1000000 };
	struct pause p = { 0 };
	pid_t pid = start();
	uint64_t t, stood;

	(void)state;
	t = clock_ns();
	stop(&p, pid);
	(void)nanosleep(&nap, NULL);
	stood = pause_end(&p);
	assert_true(stood >= 1000000);
	assert_true(stood <= clock_ns() - t);
	finish(pid);
}

/* One processor for both, so that it stops when we sleep. */
static void
share_processor(cpu_set_t *before)
{
	cpu_set_t one;

	assert_int_equal(sched_getaffinity(0, sizeof(*before), before), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void
share_no_more(const cpu_set_t *before)
{
	assert_int_equal(sched_setaffinity(0, sizeof(*before), before), 0);
}

static volatile sig_atomic_t n_told;

static void
on_child(int sig)
{
	(void)sig;
	n_told++;
}

/* Whether SIGCHLD is blocked, and whether it waits. */
static int
is_blocked(void)
{
	sigset_t s;

	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &s), 0);
	return sigismember(&s, SIGCHLD);
}

static int
is_pending(void)
{
	sigset_t s;

	assert_int_equal(sigpending(&s), 0);
	return sigismember(&s, SIGCHLD);
}

static void
stop_often(pid_t pid)
{
	struct pause p = { 0 };
	int i;

	for (i = 0; i < STOPS; i++) {
		stop(&p, pid);
		(void)pause_end(&p);
	}
}

static void
signals_of_children_reach_who_waits_for_them(void **state)
{
	struct sigaction a = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	struct sigaction before;
	cpu_set_t cpus;
	pid_t pid, other;

	(void)state;
	share_processor(&cpus);
	assert_int_equal(sigaction(SIGCHLD, &a, &before), 0);
	pid = start();
	stop_often(pid);
	assert_false(is_blocked());
	/* Each stop is told, as the kernel has it, none is kept back. */
	assert_false(is_pending());
	assert_true(n_told >= 1);
	n_told = 0;
	other = fork();
	if (other == 0)
		_exit(0);
	assert_int_equal(waitpid(other, NULL, 0), other);
	/* It was sent before. */
	assert_true(n_told >= 1);
	finish(pid);
	assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
	share_no_more(&cpus);
}

static void
a_signal_that_waits_is_not_taken_away(void **state)
{
	cpu_set_t cpus;
	sigset_t child, before;
	pid_t pid;

	(void)state;
	share_processor(&cpus);
	assert_int_equal(sigemptyset(&child), 0);
	assert_int_equal(sigaddset(&child, SIGCHLD), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &child, &before), 0);
	pid = start();
	assert_int_equal(kill(getpid(), SIGCHLD), 0);
	/* Told at once, each time, and not of what we wait for. */
	stop_often(pid);
	assert_true(is_blocked());
	assert_true(is_pending());
	finish(pid);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	share_no_more(&cpus);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(priority_is_high_while_a_thread_stands_only),
		cmocka_unit_test(a_chosen_policy_stays),
		cmocka_unit_test(
		    the_time_of_a_stop_is_within_that_of_its_calls),
		cmocka_unit_test(signals_of_children_reach_who_waits_for_them),
		cmocka_unit_test(a_signal_that_waits_is_not_taken_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
