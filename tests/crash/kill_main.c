/*
 * The tests of writers that are killed, for each format: kill_many is that of
 * test_kill.c or of test_tach_kill.c.
 */
#include "killed.h"
#include "support.h"

static void
killed_writer_leaves_what_was_behind_a_barrier(void **state)
{
	kill_many(*state, 0);
}

static void
killed_packing_writer_leaves_what_was_behind_a_barrier(void **state)
{
	kill_many(*state, 1);
}

#define TEST(name)                                                           \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_writer_leaves_what_was_behind_a_barrier),
		TEST(killed_packing_writer_leaves_what_was_behind_a_barrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
