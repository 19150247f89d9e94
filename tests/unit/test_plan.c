/* What a conversion will lose, in words. */
#include "support.h"

#define ALL_CAPS (BOB_CAP_UNKNOWN * 2 - 1)

static void
equal_caps_lose_nothing(void **state)
{
	char buf[256] = "old";

	(void)state;
	assert_int_equal(bob_plan(ALL_CAPS, ALL_CAPS, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
}

static void
richer_target_loses_nothing(void **state)
{
	char buf[256] = "old";

	(void)state;
	assert_int_equal(bob_plan(BOB_CAP_ORDER, ALL_CAPS, buf, sizeof(buf)),
	    0);
	assert_string_equal(buf, "");
}

static void
losses_are_named_in_a_fixed_order(void **state)
{
	char buf[256];

	(void)state;
	assert_int_equal(bob_plan(BOB_CAP_PIDS | BOB_CAP_TIMES |
	    BOB_CAP_ORDER, BOB_CAP_ORDER, buf, sizeof(buf)),
	    BOB_CAP_TIMES | BOB_CAP_PIDS);
	assert_string_equal(buf, "times, pids");
}

static void
every_cap_has_a_word(void **state)
{
	char buf[512];
	uint32_t cap;

	(void)state;
	for (cap = BOB_CAP_ORDER; cap <= BOB_CAP_UNKNOWN; cap <<= 1) {
		assert_int_equal(bob_plan(cap, 0, buf, sizeof(buf)), cap);
		assert_true(strlen(buf) > 0);
		assert_null(strchr(buf, ','));
	}
	(void)bob_plan(ALL_CAPS, 0, buf, sizeof(buf));
	assert_string_equal(buf, "order, times, pids, threads, thread status, "
	    "annotations, metadata, segments, sampling periods, opcodes, "
	    "native frames, columns, unknown events");
}

static void
small_buffer_is_filled_and_ended(void **state)
{
	char whole[512], buf[512];
	size_t cap;

	(void)state;
	(void)bob_plan(ALL_CAPS, 0, whole, sizeof(whole));
	for (cap = 1; cap < strlen(whole) + 2; cap++) {
		memset(buf, '#', sizeof(buf));
		assert_int_equal(bob_plan(ALL_CAPS, 0, buf, cap), ALL_CAPS);
		assert_int_equal(strnlen(buf, cap),
		    cap - 1 < strlen(whole) ? cap - 1 : strlen(whole));
		assert_memory_equal(buf, whole, strlen(buf));
		assert_int_equal(buf[cap], '#');
	}
}

static void
no_buffer_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(bob_plan(BOB_CAP_META, 0, NULL, 0), BOB_CAP_META);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_caps_lose_nothing),
		cmocka_unit_test(richer_target_loses_nothing),
		cmocka_unit_test(losses_are_named_in_a_fixed_order),
		cmocka_unit_test(every_cap_has_a_word),
		cmocka_unit_test(small_buffer_is_filled_and_ended),
		cmocka_unit_test(no_buffer_is_allowed),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
