/* Weights: sums by stack, over segments with different periods. */
#include "model/weights.h"

#include "fault.h"
#include "support.h"

static struct weights w;

static int
setup(void **state)
{
	if (ctx_setup(state) != 0)
		return -1;
	weights_init(&w, *state);
	return 0;
}

static int
teardown(void **state)
{
	weights_done(&w);
	return ctx_teardown(state);
}

static void
add(struct weights *to, bob_stack stack, uint64_t count)
{
	struct bob_run run = { .stack = stack, .count = count };

	assert_int_equal(weights_add(to, &run, 1), BOB_OK);
}

static void
add_at(struct weights *to, uint64_t period, bob_stack stack, uint64_t count)
{
	weights_segment(to, period);
	add(to, stack, count);
}

static void
one_period_counts_samples(void **state)
{
	(void)state;
	add_at(&w, 250, 1, 3);
	add_at(&w, 250, 1, 4);
	add_at(&w, 250, 5, 1);
	assert_int_equal(weights_unit_us(&w), 0);
	assert_int_equal(w.n, 6);
	assert_int_equal(weights_of(&w, 1), 7);
	assert_int_equal(weights_of(&w, 2), 0);
	assert_int_equal(weights_of(&w, 5), 1);
}

static void
different_periods_weigh_by_time(void **state)
{
	(void)state;
	add_at(&w, 10000, 1, 2);
	add_at(&w, 250, 2, 3);
	add_at(&w, 1500, 1, 1);
	assert_int_equal(weights_unit_us(&w), 250);
	assert_int_equal(w.min_period, 250);
	assert_int_equal(w.max_period, 10000);
	assert_int_equal(weights_of(&w, 1), 2 * 40 + 6);
	assert_int_equal(weights_of(&w, 2), 3);
	assert_int_equal(w.samples[1], 3);
}

static void
period_without_samples_has_no_say(void **state)
{
	(void)state;
	add_at(&w, 1000, 1, 2);
	weights_segment(&w, 7);
	assert_int_equal(weights_add(&w, NULL, 0), BOB_OK);
	add_at(&w, 1000, 1, 1);
	assert_int_equal(weights_unit_us(&w), 0);
	assert_int_equal(weights_of(&w, 1), 3);
}

static void
unknown_period_is_ten_milliseconds(void **state)
{
	(void)state;
	add_at(&w, 0, 1, 1);
	add_at(&w, 10000, 1, 1);
	assert_int_equal(weights_unit_us(&w), 0);
	add_at(&w, 5000, 2, 1);
	assert_int_equal(weights_unit_us(&w), 5000);
	assert_int_equal(weights_of(&w, 1), 4);
	assert_int_equal(weights_of(&w, 2), 1);
}

static void
sums_saturate(void **state)
{
	(void)state;
	add_at(&w, 1000, 1, BOB_MAX_COUNT);
	add_at(&w, 1000, 1, BOB_MAX_COUNT);
	assert_true(weights_of(&w, 1) == BOB_MAX_COUNT);
	add_at(&w, 2000, 1, 1);
	assert_true(weights_of(&w, 1) == BOB_MAX_COUNT);
	add_at(&w, 2000, 2, 1);
	assert_int_equal(weights_of(&w, 2), 2);
}

static void
a_million_periods_cost_no_memory(void **state)
{
	uint64_t period;

	(void)state;
	fault_arm(0);
	for (period = 1; period <= 1000000; period++)
		add_at(&w, period, 3, 1);
	assert_true(fault_count() <= 2);
	assert_int_equal(weights_unit_us(&w), 1);
	assert_int_equal(weights_of(&w, 3), 500000500000);
}

/* Two halves of a trace, joined, weigh what the whole does. */
static void
joined_halves_are_the_whole(void **state)
{
	static const bob_stack map[] = { 0, 3, 1, 2 };
	static const uint64_t periods[][2] = {
		{ 1000, 1000 }, { 1000, 250 }, { 0, 10000 }, { 300, 200 },
	};
	struct weights half, whole;
	size_t i;
	bob_stack s;

	for (i = 0; i < COUNT_OF(periods); i++) {
		weights_done(&w);
		weights_init(&w, *state);
		weights_init(&half, *state);
		weights_init(&whole, *state);
		add_at(&w, periods[i][0], 1, 5);
		add_at(&whole, periods[i][0], 1, 5);
		for (s = 1; s <= 3; s++) {
			add_at(&half, periods[i][s % 2], s, s);
			add_at(&whole, periods[i][s % 2], map[s], s);
		}
		assert_int_equal(weights_join(&w, &half, map), BOB_OK);
		assert_int_equal(weights_unit_us(&w),
		    weights_unit_us(&whole));
		for (s = 0; s <= 3; s++)
			assert_int_equal(weights_of(&w, s),
			    weights_of(&whole, s));
		weights_done(&half);
		weights_done(&whole);
	}
}

static void
joining_nothing_changes_nothing(void **state)
{
	struct weights empty;

	weights_init(&empty, *state);
	weights_segment(&empty, 77);
	add_at(&w, 1000, 1, 1);
	assert_int_equal(weights_join(&w, &empty, NULL), BOB_OK);
	assert_int_equal(weights_unit_us(&w), 0);
	assert_int_equal(weights_of(&w, 1), 1);
	weights_done(&empty);
}

static int
add_and_join(void *user)
{
	static const bob_stack map[] = { 0, 100 };
	struct bob_run run = { .stack = 1, .count = 1 };
	struct weights a, b;
	int r;

	weights_init(&a, user);
	weights_init(&b, user);
	weights_segment(&a, 3);
	weights_segment(&b, 2);
	r = weights_add(&a, &run, 1);
	if (r == BOB_OK)
		r = weights_add(&b, &run, 1);
	if (r == BOB_OK)
		r = weights_join(&a, &b, map);
	weights_done(&a);
	weights_done(&b);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	fault_each(add_and_join, *state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(one_period_counts_samples),
		TEST(different_periods_weigh_by_time),
		TEST(period_without_samples_has_no_say),
		TEST(unknown_period_is_ten_milliseconds),
		TEST(sums_saturate),
		TEST(a_million_periods_cost_no_memory),
		TEST(joined_halves_are_the_whole),
		TEST(joining_nothing_changes_nothing),
		TEST(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("weights", tests, NULL, NULL);
}
