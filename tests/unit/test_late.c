/* How late samples were: percentiles, and what they mean for shares. */
#include "support.h"

#include <bobbin/capture.h>

static void
nothing_is_late_without_samples(void **state)
{
	struct bob_capture_counts c = { 0 };

	(void)state;
	assert_true(bob_late_us(&c, 99) == 0);
	assert_true(bob_late_percent(&c) == 0);
}

/* 90 samples within 8 to 16 us, 10 within 512 us to 1 ms. */
static void
percentiles_lie_in_their_range(void **state)
{
	struct bob_capture_counts c = { .delay = { [4] = 90, [10] = 10 } };
	double last = 0;
	int i;

	(void)state;
	for (i = 1; i <= 100; i++) {
		double us = bob_late_us(&c, i);

		assert_true(us >= last);
		if (i <= 90)
			assert_true(us >= 8 && us <= 16);
		else
			assert_true(us >= 512 && us <= 1024);
		last = us;
	}
}

/* From BOB_LATE_US on, which is where a range begins. */
static void
late_ones_and_missed_ones_count(void **state)
{
	struct bob_capture_counts c = { .delay = { [8] = 50, [9] = 25 },
		.missed = 25 };

	(void)state;
	assert_int_equal(BOB_LATE_US, 1 << 8);
	assert_true(bob_late_percent(&c) == 50);
	c.delay[BOB_N_DELAYS - 1] = 100;
	assert_true(bob_late_percent(&c) == 75);
}

/* Of what was taken or lost. */
static void
inferred_ones_and_lost_ones_count(void **state)
{
	struct bob_capture_counts c = { .taken = 0 };

	(void)state;
	assert_true(bob_inferred_percent(&c) == 0);
	c.taken = 90;
	assert_true(bob_inferred_percent(&c) == 0);
	c.inferred = 20;
	c.lost = 10;
	assert_true(bob_inferred_percent(&c) == 30);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_late_without_samples),
		cmocka_unit_test(percentiles_lie_in_their_range),
		cmocka_unit_test(late_ones_and_missed_ones_count),
		cmocka_unit_test(inferred_ones_and_lost_ones_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
