/* Samples that captures could not keep, added up from metadata. */
#include "support.h"

#include <bobbin/model.h>

static void
take(struct bob_unkept *u, const char *key, const char *value)
{
	bob_unkept_take(u, (struct bob_bytes){ key, strlen(key) },
	    (struct bob_bytes){ value, strlen(value) });
}

static void
the_largest_value_of_each_segment_counts(void **state)
{
	struct bob_unkept u = { 0 };

	(void)state;
	bob_unkept_segment(&u);
	take(&u, "profiler.lost_disk", "5");
	take(&u, "profiler.lost_disk", "12");
	take(&u, "profiler.lost_disk", "7");
	take(&u, "profiler.lost_removed", "100");
	assert_int_equal(u.sum, 112);
	bob_unkept_segment(&u);
	assert_int_equal(u.sum, 112);
	take(&u, "profiler.lost_disk", "3");
	take(&u, "profiler.lost_memory", "1000");
	assert_int_equal(u.sum, 1115);
}

static void
what_is_no_number_of_samples_counts_nothing(void **state)
{
	struct bob_unkept u = { 0 };

	(void)state;
	bob_unkept_segment(&u);
	take(&u, "profiler.lost_disk", "-5");
	take(&u, "profiler.lost_disk", "5x");
	take(&u, "profiler.lost_disk", "");
	take(&u, "profiler.lost_disk", "99999999999999999999");
	take(&u, "profiler.lost", "5");
	take(&u, "profiler.lost_", "5");
	take(&u, "profiler.lost_disks", "5");
	take(&u, "lost_disk", "5");
	assert_int_equal(u.sum, 0);
}

static void
the_sum_stays_at_the_largest_count(void **state)
{
	struct bob_unkept u = { 0 };

	(void)state;
	bob_unkept_segment(&u);
	take(&u, "profiler.lost_disk", "18446744073709551615");
	take(&u, "profiler.lost_removed", "18446744073709551615");
	assert_true(u.sum == BOB_MAX_COUNT);
}

static void
causes_have_names(void **state)
{
	(void)state;
	assert_string_equal(bob_unkept_name(BOB_UNKEPT_DISK), "disk");
	assert_string_equal(bob_unkept_name(BOB_UNKEPT_REMOVED), "removed");
	assert_string_equal(bob_unkept_name(BOB_UNKEPT_MEMORY), "memory");
	assert_null(bob_unkept_name(-1));
	assert_null(bob_unkept_name(BOB_N_UNKEPT));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_value_of_each_segment_counts),
		cmocka_unit_test(what_is_no_number_of_samples_counts_nothing),
		cmocka_unit_test(the_sum_stays_at_the_largest_count),
		cmocka_unit_test(causes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
