/* Requests that a process serves at the same time: which is which, and how long
 * each of them takes. */
#include "support.h"

#include "analyze/together.h"

#define PERIOD 5000
#define PID 77

static const struct pace wall = { .period_us = PERIOD, .stamp = 1 };

/* The time that a sample at t adds to a request, whose number is *number. */
static uint64_t
at(struct together *t, const struct pace *pace, uint64_t time, uint64_t pid,
    bob_str id, uint32_t *number)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_run run = { .count = 1, .t_first = time, .t_last = time,
		.flags = BOB_RUN_TIMED };
	uint64_t us;
	uint32_t place;

	while (together_old(t, &run, pid, id) != TOGETHER_NONE)
		;
	assert_int_equal(together_take(ctx, t, pace, &run, pid, id, &place,
	    &us), BOB_OK);
	*number = t->v[place].number;
	bob_ctx_free(ctx);
	return us;
}

static void
requests_that_take_turns_have_all_of_their_time(void **state)
{
	struct together t = { 0 };
	uint32_t n;

	(void)state;
	assert_int_equal(at(&t, &wall, 100000, PID, 10, &n), PERIOD);
	assert_int_equal(n, 1);
	assert_int_equal(at(&t, &wall, 105000, PID, 11, &n), PERIOD);
	assert_int_equal(n, 2);
	assert_int_equal(at(&t, &wall, 180000, PID, 10, &n), 80000);
	assert_int_equal(n, 1);
	/* Another process has ids of its own. */
	assert_int_equal(at(&t, &wall, 180000, PID + 1, 10, &n), PERIOD);
	assert_int_equal(n, 3);
	together_done(&t);
}

static void
samples_of_one_moment_count_once(void **state)
{
	struct together t = { 0 };
	uint32_t n;

	(void)state;
	(void)at(&t, &wall, 100000, PID, 10, &n);
	assert_int_equal(at(&t, &wall, 100000, PID, 10, &n), 0);
	/* What comes late, of another track, only makes it longer. */
	(void)at(&t, &wall, 140000, PID, 10, &n);
	assert_int_equal(at(&t, &wall, 120000, PID, 10, &n), 0);
	assert_int_equal(at(&t, &wall, 90000, PID, 10, &n), 10000);
	together_done(&t);
}

static void
what_was_silent_for_long_has_ended(void **state)
{
	struct together t = { 0 };
	uint32_t n;

	(void)state;
	(void)at(&t, &wall, 100000, PID, 10, &n);
	(void)at(&t, &wall, 100000 + TOGETHER_SILENT_US, PID, 10, &n);
	assert_int_equal(n, 1);
	assert_int_equal(at(&t, &wall, 100001 + 2 * TOGETHER_SILENT_US, PID,
	    10, &n), PERIOD);
	assert_int_equal(n, 2);
	together_done(&t);
}

static void
only_so_many_are_remembered(void **state)
{
	struct together t = { 0 };
	uint32_t n, i;

	(void)state;
	for (i = 0; i < TOGETHER_MOST; i++)
		(void)at(&t, &wall, 100000, PID, 10 + i, &n);
	/* The first has been seen since the second. */
	(void)at(&t, &wall, 100000, PID, 10, &n);
	assert_int_equal(n, 1);
	(void)at(&t, &wall, 100000, PID, 9, &n);
	(void)at(&t, &wall, 100000, PID, 10, &n);
	assert_int_equal(n, 1);
	(void)at(&t, &wall, 100000, PID, 11, &n);
	assert_int_equal(n, TOGETHER_MOST + 2);
	assert_int_equal(t.n, TOGETHER_MOST);
	together_done(&t);
}

static void
what_could_not_be_read_ends_them(void **state)
{
	const struct pace behind = { .period_us = PERIOD, .stamp = 1,
		.n_holes = 1 };
	struct together t = { 0 };
	uint32_t n;

	(void)state;
	(void)at(&t, &wall, 100000, PID, 10, &n);
	assert_int_equal(at(&t, &behind, 190000, PID, 10, &n), PERIOD);
	assert_int_equal(n, 2);
	together_done(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    requests_that_take_turns_have_all_of_their_time),
		cmocka_unit_test(samples_of_one_moment_count_once),
		cmocka_unit_test(what_was_silent_for_long_has_ended),
		cmocka_unit_test(only_so_many_are_remembered),
		cmocka_unit_test(what_could_not_be_read_ends_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
