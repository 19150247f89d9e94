/* Metadata about samples that were taken but are in no file. */
#include "support.h"

#include <bobbin/model.h>

static uint64_t
told(const char *key, const char *value)
{
	return bob_unkept((struct bob_bytes){ key, strlen(key) },
	    (struct bob_bytes){ value, strlen(value) });
}

static void
each_cause_has_a_key(void **state)
{
	(void)state;
	assert_int_equal(told("profiler.lost_disk", "12"), 12);
	assert_int_equal(told("profiler.lost_removed", "100"), 100);
	assert_int_equal(told("profiler.lost_memory", "1"), 1);
}

static void
what_is_no_number_of_samples_counts_nothing(void **state)
{
	(void)state;
	assert_int_equal(told("profiler.lost_disk", "-5"), 0);
	assert_int_equal(told("profiler.lost_disk", "5x"), 0);
	assert_int_equal(told("profiler.lost_disk", ""), 0);
	assert_int_equal(told("profiler.lost_disk", "99999999999999999999"),
	    0);
	assert_int_equal(told("profiler.lost", "5"), 0);
	assert_int_equal(told("profiler.lost_", "5"), 0);
	assert_int_equal(told("profiler.lost_disks", "5"), 0);
	assert_int_equal(told("lost_disk", "5"), 0);
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
		cmocka_unit_test(each_cause_has_a_key),
		cmocka_unit_test(what_is_no_number_of_samples_counts_nothing),
		cmocka_unit_test(causes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
