/* Real-time priority: its budget, and who takes one sample with it. Scheduler
 * and clock are our own. */
#include "support.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include <bobbin/capture.h>

#include "capture/sampler/realtime.h"

#define MS ((uint64_t)1000 * 1000)
#define SECOND (1000 * MS)
#define RESET_ON_FORK 0x40000000

/* The calling thread. */
static struct {
	int policy;       /* now */
	int is_refused;   /* real-time priority is not granted */
	int resets;       /* children get ordinary priority */
	uint64_t used;    /* its CPU time */
	unsigned n_calls; /* that read the CPU time */
} me;

int __real_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_sched_getscheduler(pid_t pid);
int __wrap_sched_setscheduler(pid_t pid, int policy,
    const struct sched_param *p);

int
__wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
	if (id != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(id, ret);
	me.n_calls++;
	ret->tv_sec = (time_t)(me.used / SECOND);
	ret->tv_nsec = (long)(me.used % SECOND);
	return 0;
}

int
__wrap_sched_getscheduler(pid_t pid)
{
	assert_int_equal(pid, 0);
	return me.policy;
}

int
__wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p)
{
	assert_int_equal(pid, 0);
	me.resets = (policy & RESET_ON_FORK) != 0;
	policy &= ~RESET_ON_FORK;
	if (policy == SCHED_FIFO && me.is_refused)
		return -1;
	/* Nothing else of the machine should wait for us. */
	assert_int_equal(p->sched_priority, policy == SCHED_FIFO
	    ? sched_get_priority_min(SCHED_FIFO) : 0);
	me.policy = policy;
	return 0;
}

/* A second in which each millisecond takes that many microseconds. Returns how
 * many milliseconds had real-time priority at their beginning. */
static unsigned
run_second(struct realtime *rt, uint64_t *t, uint64_t us)
{
	unsigned n = 0, i;

	for (i = 0; i < 1000; i++) {
		n += me.policy == SCHED_FIFO;
		me.used += us * 1000;
		*t += MS;
		realtime_look(rt, *t);
		assert_int_equal(rt->is_on, me.policy == SCHED_FIFO);
	}
	return n;
}

static void
half_a_processor_is_no_reason(void **state)
{
	struct realtime rt = { .is_on = 0 };
	uint64_t t = 5 * SECOND;

	(void)state;
	memset(&me, 0, sizeof(me));
	assert_int_equal(realtime_begin(&rt, t), 1);
	assert_int_equal(me.policy, SCHED_FIFO);
	assert_true(me.resets);
	assert_int_equal(run_second(&rt, &t, 500), 1000);
	assert_int_equal(run_second(&rt, &t, 400), 1000);
	assert_int_equal(rt.n_demoted, 0);
	/* A system call for each sample would be too much. */
	assert_true(me.n_calls < 250);
	realtime_end(&rt);
	assert_int_equal(me.policy, SCHED_OTHER);
}

/* All that it takes above half of each second has ordinary priority. */
static void
more_is_taken_with_ordinary_priority(void **state)
{
	struct realtime rt = { .is_on = 0 };
	uint64_t t = 5 * SECOND;
	unsigned i, n;

	(void)state;
	memset(&me, 0, sizeof(me));
	(void)realtime_begin(&rt, t);
	for (i = 1; i <= 4; i++) {
		n = run_second(&rt, &t, 1000);
		assert_in_range(n, 490, 520);
		assert_int_equal(rt.n_demoted, i);
	}
	/* It comes back as soon as it takes less. */
	(void)run_second(&rt, &t, 100);
	assert_int_equal(run_second(&rt, &t, 100), 1000);
	assert_int_equal(rt.n_demoted, 4);
	realtime_end(&rt);
	assert_int_equal(me.policy, SCHED_OTHER);
}

static void
what_is_refused_is_not_asked_for_again(void **state)
{
	struct realtime rt = { .is_on = 0 };
	uint64_t t = 5 * SECOND;

	(void)state;
	memset(&me, 0, sizeof(me));
	me.is_refused = 1;
	assert_int_equal(realtime_begin(&rt, t), 0);
	me.is_refused = 0;
	assert_int_equal(run_second(&rt, &t, 1000), 0);
	assert_int_equal(rt.n_demoted, 0);
	realtime_end(&rt);
	assert_int_equal(me.policy, SCHED_OTHER);
}

/* Who started us knows what he wants. */
static void
a_policy_that_somebody_has_chosen_stays(void **state)
{
	struct realtime rt = { .is_on = 0 };
	uint64_t t = 5 * SECOND;

	(void)state;
	memset(&me, 0, sizeof(me));
	me.policy = SCHED_RR;
	assert_int_equal(realtime_begin(&rt, t), 1);
	(void)run_second(&rt, &t, 1000);
	realtime_end(&rt);
	assert_int_equal(me.policy, SCHED_RR);
	assert_int_equal(rt.n_demoted, 0);
}

/* --- bob_look() ----------------------------------------------------------- */

static struct {
	unsigned n;       /* samples */
	int policy;       /* of the thread that took them */
	uint64_t slept;   /* before, ns */
	int status;       /* what they return */
} looks;

int __wrap_nanosleep(const struct timespec *t, struct timespec *rest);
int __wrap_bob_sample(struct bob_proc *p, uint64_t time_us,
    const struct bob_run **ret, size_t *ret_n);

int
__wrap_nanosleep(const struct timespec *t, struct timespec *rest)
{
	(void)rest;
	assert_int_equal(me.policy, me.is_refused ? SCHED_OTHER : SCHED_FIFO);
	assert_int_equal(t->tv_sec, 0);
	looks.slept += (uint64_t)t->tv_nsec;
	return 0;
}

int
__wrap_bob_sample(struct bob_proc *p, uint64_t time_us,
    const struct bob_run **ret, size_t *ret_n)
{
	assert_null(p);
	assert_int_equal(time_us, 7);
	*ret = NULL;
	*ret_n = 3;
	looks.n++;
	looks.policy = me.policy;
	return looks.status;
}

/* `stack` reads at a moment of its own, with a priority that it does not
 * keep. */
static void
one_look_has_priority_and_waits(void **state)
{
	static const int status[] = { BOB_OK, BOB_EOF, BOB_FATAL };
	const struct bob_run *runs;
	unsigned i;
	size_t n;

	(void)state;
	for (i = 0; i < 6; i++) {
		memset(&me, 0, sizeof(me));
		memset(&looks, 0, sizeof(looks));
		me.is_refused = i >= 3;
		looks.status = status[i % 3];
		n = 0;
		assert_int_equal(bob_look(NULL, 7, &runs, &n), status[i % 3]);
		assert_int_equal(n, 3);
		assert_int_equal(looks.n, 1);
		assert_int_equal(looks.policy, me.is_refused ? SCHED_OTHER
		                                             : SCHED_FIFO);
		assert_in_range(looks.slept, MS, 6 * MS);
		assert_int_equal(me.policy, SCHED_OTHER);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_a_processor_is_no_reason),
		cmocka_unit_test(more_is_taken_with_ordinary_priority),
		cmocka_unit_test(what_is_refused_is_not_asked_for_again),
		cmocka_unit_test(a_policy_that_somebody_has_chosen_stays),
		cmocka_unit_test(one_look_has_priority_and_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
