/* The time of samples: whose is what lies between two of them? */
#include "support.h"

#include "analyze/pulse.h"

#define PERIOD 5000

static const struct pace wall = { .period_us = PERIOD, .stamp = 1 };

/* The time of a sample at t, in a stack and a request (0: of none). */
static uint64_t
at(struct pulse *p, const struct pace *pace, uint64_t t, bob_stack stack,
    bob_str id)
{
	struct bob_run run = { .count = 1, .t_first = t, .t_last = t,
		.stack = stack, .flags = BOB_RUN_TIMED };

	return pulse_take(p, pace, &run, id, 0);
}

static void
a_sample_has_the_time_since_the_one_before(void **state)
{
	struct pulse p = { 0 };

	(void)state;
	assert_int_equal(at(&p, &wall, 100000, 1, 0), PERIOD);
	assert_int_equal(at(&p, &wall, 104000, 2, 0), 4000);
	assert_int_equal(at(&p, &wall, 113000, 1, 0), 9000);
}

static void
time_between_requests_is_nobodys(void **state)
{
	struct pulse p = { 0 };

	(void)state;
	assert_int_equal(at(&p, &wall, 100000, 1, 7), PERIOD);
	assert_int_equal(at(&p, &wall, 104000, 1, 7), 4000);
	assert_int_equal(p.n_request, 1);
	/* The same stack, but another request. */
	assert_int_equal(at(&p, &wall, 113000, 1, 8), PERIOD);
	assert_int_equal(at(&p, &wall, 153000, 1, 9), PERIOD);
	assert_int_equal(p.n_request, 3);
}

/* Whatever the gaps are, and from 0 on. */
static void
times_of_sums_are_lengths(void **state)
{
	const struct pace sums = { .period_us = PERIOD, .stamp = 2,
		.is_of_sums = 1 };
	struct pulse p = { 0 };

	(void)state;
	(void)at(&p, &wall, 100000, 1, 0);
	assert_int_equal(at(&p, &sums, 70, 1, 0), 70);
	assert_int_equal(at(&p, &sums, 9000070, 2, 0), 9000000);
	assert_int_equal(at(&p, &sums, 9000070, 3, 0), 0);
	/* A crafted clock that goes back. */
	assert_int_equal(at(&p, &sums, 60, 3, 0), 0);
}

static void
within_a_request_all_of_it_counts(void **state)
{
	struct pulse p = { 0 };

	(void)state;
	(void)at(&p, &wall, 100000, 1, 7);
	assert_int_equal(at(&p, &wall, 400000, 2, 7), 300000);
	/* Nothing was known of this one. */
	(void)at(&p, &wall, 405000, 2, 0);
	assert_int_equal(at(&p, &wall, 411000, 2, 7), 6000);
	assert_int_equal(p.n_request, 1);
}

static void
a_gap_without_a_stack_is_nobodys(void **state)
{
	struct pulse p = { 0 };

	(void)state;
	(void)at(&p, &wall, 100000, 1, 0);
	assert_int_equal(at(&p, &wall, 120000, 2, 0), PERIOD);
	/* The same stack before and behind. */
	assert_int_equal(at(&p, &wall, 140000, 2, 0), 20000);
	assert_int_equal(at(&p, &wall, 190000, 2, 0), PERIOD);
}

static void
a_sampler_that_is_always_late_has_that_delay(void **state)
{
	struct pulse p = { 0 };
	uint64_t t = 0, i;

	(void)state;
	for (i = 0; i < 100; i++)
		(void)at(&p, &wall, t += 3 * PERIOD, (bob_stack)(1 + i % 2),
		    0);
	assert_int_equal(at(&p, &wall, t + 3 * PERIOD, 5, 0), 3 * PERIOD);
}

static void
samples_that_were_picked_have_a_period_each(void **state)
{
	const struct pace cpu = { .period_us = PERIOD, .stamp = 1,
		.is_picked = 1 };
	uint32_t dt[] = { 30000, 4000 };
	struct bob_run run = { .count = 3, .t_first = 100000,
		.t_last = 134000, .dt = dt, .stack = 1,
		.flags = BOB_RUN_TIMED };
	struct pulse p = { 0 };

	(void)state;
	(void)at(&p, &cpu, 80000, 1, 0);
	assert_int_equal(at(&p, &cpu, 90000, 1, 0), PERIOD);
	assert_int_equal(pulse_run(&cpu, &run, 0, PERIOD), 3 * PERIOD);
	assert_int_equal(pulse_run(&wall, &run, 0, PERIOD), 39000);
}

static void
what_could_not_be_read_ends_a_request(void **state)
{
	const struct pace behind = { .period_us = PERIOD, .stamp = 1,
		.n_holes = 1 };
	struct pulse p = { 0 };

	(void)state;
	(void)at(&p, &wall, 100000, 1, 7);
	assert_int_equal(at(&p, &behind, 900000, 1, 7), PERIOD);
	assert_int_equal(p.n_request, 2);
}

/* Three tasks at each of two moments; those of an ordinary thread at one time
 * are an accident of its clock. */
static void
tasks_that_wait_have_the_same_time(void **state)
{
	static const struct pace pace = { .period_us = 1000, .stamp = 1 };
	struct pulse p = { 0 };
	struct bob_run run = { .count = 1, .flags = BOB_RUN_TIMED };
	int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		run.stack = (bob_stack)(1 + i % 3);
		run.t_first = run.t_last = i < 3 ? 5000 : 6200;
		assert_int_equal(pulse_take(&p, &pace, &run, 0, 1),
		    i < 3 ? 1000 : 1200);
	}
	run.stack = 7;
	assert_int_equal(pulse_take(&p, &pace, &run, 0, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_that_wait_have_the_same_time),
		cmocka_unit_test(a_sample_has_the_time_since_the_one_before),
		cmocka_unit_test(time_between_requests_is_nobodys),
		cmocka_unit_test(times_of_sums_are_lengths),
		cmocka_unit_test(within_a_request_all_of_it_counts),
		cmocka_unit_test(a_gap_without_a_stack_is_nobodys),
		cmocka_unit_test(a_sampler_that_is_always_late_has_that_delay),
		cmocka_unit_test(samples_that_were_picked_have_a_period_each),
		cmocka_unit_test(what_could_not_be_read_ends_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
