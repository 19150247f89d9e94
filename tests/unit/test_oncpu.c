/* Which share of a thread's time in state R it counts as running, by counts of
 * our own in place of the kernel's. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "capture/proc/oncpu.h"
#include "capture/proc/proc.h"

#define MS ((uint64_t)1000 * 1000)
#define N 20000

static struct {
	uint64_t run, wait; /* ns */
	int is_there;
} counts;

long __wrap_proc_read_small(const char *path, char *buf, size_t cap);

long
__wrap_proc_read_small(const char *path, char *buf, size_t cap)
{
	assert_string_equal(path, "/proc/4/task/5/schedstat");
	if (!counts.is_there)
		return -1;
	return snprintf(buf, cap, "%llu %llu 7\n",
	    (unsigned long long)counts.run, (unsigned long long)counts.wait);
}

/* Percent of n looks, each a millisecond after the one before; in each the
 * thread runs and waits for so many microseconds. */
static double
share(struct oncpu *o, unsigned n, uint64_t run_us, uint64_t wait_us)
{
	static uint64_t now_us = 1000 * 1000;
	unsigned i, k = 0;

	for (i = 0; i < n; i++) {
		now_us += 1000;
		counts.run += run_us * 1000;
		counts.wait += wait_us * 1000;
		k += (unsigned)oncpu_is_running(o, 4, 5, now_us);
	}
	return 100.0 * k / n;
}

static void
begin(struct oncpu *o, uint64_t run, uint64_t wait)
{
	memset(o, 0, sizeof(*o));
	o->seed = 99;
	counts.run = run;
	counts.wait = wait;
	counts.is_there = 1;
}

/* Also the first time, when no counts were seen to change. 4 standard errors of
 * N looks are 1.4 points. */
static void
a_share_of_state_r_counts(void **state)
{
	struct oncpu o;

	(void)state;
	begin(&o, 3000 * MS, 7000 * MS);
	assert_in_range((int)share(&o, N, 300, 700), 28, 32);
	begin(&o, 3000 * MS, 7000 * MS);
	counts.run = 3000 * MS;
	assert_in_range((int)share(&o, N, 0, 0), 28, 32);
	begin(&o, 3000 * MS, 0);
	assert_true(share(&o, N, 1000, 0) == 100);
}

/* A thread that has mostly waited, or run, does so no longer: what is old
 * counts little after a second. */
static void
older_time_counts_less(void **state)
{
	struct oncpu o;

	(void)state;
	begin(&o, 90000 * MS, 10000 * MS);
	(void)share(&o, 1000, 200, 800);
	assert_in_range((int)share(&o, N, 200, 800), 18, 22);
	begin(&o, 10000 * MS, 90000 * MS);
	(void)share(&o, 1000, 800, 200);
	assert_in_range((int)share(&o, N, 800, 200), 78, 82);
}

static void
without_counts_it_runs(void **state)
{
	struct oncpu o;

	(void)state;
	begin(&o, 0, 0);
	assert_true(share(&o, 100, 0, 0) == 100);
	counts.is_there = 0;
	memset(&o, 0, sizeof(o));
	assert_true(share(&o, 100, 0, 0) == 100);
}

/* Counts that are less than before are those of another thread. */
static void
another_thread_of_that_number_begins_anew(void **state)
{
	struct oncpu o;

	(void)state;
	begin(&o, 90000 * MS, 0);
	assert_true(share(&o, 100, 1000, 0) == 100);
	counts.run = 1 * MS;
	counts.wait = 99 * MS;
	(void)share(&o, 40, 0, 0); /* until they are read */
	assert_in_range((int)share(&o, N, 0, 0), 0, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_of_state_r_counts),
		cmocka_unit_test(older_time_counts_less),
		cmocka_unit_test(without_counts_it_runs),
		cmocka_unit_test(another_thread_of_that_number_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
