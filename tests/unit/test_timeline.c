/* Timelines: what is merged, and that nothing is lost by it. */
#include "format/speedscope/timeline.h"

#include "fault.h"
#include "support.h"

static struct timeline line;

static int
setup(void **state)
{
	memset(&line, 0, sizeof(line));
	return ctx_setup(state);
}

static int
teardown(void **state)
{
	timeline_done(&line);
	return ctx_teardown(state);
}

static void
add(void *ctx, bob_stack stack, uint64_t weight)
{
	assert_int_equal(timeline_add(ctx, &line, stack, weight, 1), BOB_OK);
}

/* The sum of all entries is the weight that was added. */
static void
assert_weight(uint64_t want)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < line.n; i++)
		sum += line.entry[i].weight;
	assert_int_equal(sum, want);
	assert_int_equal(line.weight, want);
}

static void
assert_entry(size_t i, bob_stack stack, uint64_t weight)
{
	assert_in_range(i, 0, line.n - 1);
	assert_int_equal(line.entry[i].stack, stack);
	assert_int_equal(line.entry[i].weight, weight);
}

static void
equal_neighbours_are_one(void **state)
{
	add(*state, 1, 5);
	add(*state, 1, 6);
	add(*state, 2, 1);
	add(*state, 1, 2);
	assert_int_equal(line.n, 3);
	assert_entry(0, 1, 11);
	assert_entry(1, 2, 1);
	assert_entry(2, 1, 2);
	assert_int_equal(line.samples, 4);
	assert_weight(14);
}

static void
few_entries_stay_as_they_are(void **state)
{
	add(*state, 2, 1);
	add(*state, 1, 1);
	timeline_coarsen(&line, 2);
	assert_int_equal(line.n, 2);
	assert_entry(0, 2, 1);
	assert_entry(1, 1, 1);
}

static void
nothing_can_be_made_coarse(void **state)
{
	(void)state;
	timeline_coarsen(&line, 0);
	assert_int_equal(line.n, 0);
	assert_weight(0);
}

/* 1 2 1 2 ... then 3 4 3 4 ...: the order of the two halves is kept. */
static void
windows_keep_the_order_between_them(void **state)
{
	size_t i;

	for (i = 0; i < 128; i++)
		add(*state, i < 64 ? 1 + i % 2 : 3 + i % 2, 10);
	timeline_coarsen(&line, 8);
	assert_in_range(line.n, 4, 8);
	for (i = 0; i < line.n; i++)
		if (line.entry[i].stack > 2)
			break;
	for (; i < line.n; i++)
		assert_in_range(line.entry[i].stack, 3, 4);
	assert_weight(1280);
}

/* Windows that were made once hold for what comes later. */
static void
later_entries_are_merged_as_they_come(void **state)
{
	size_t i, n;

	for (i = 0; i < 100; i++)
		add(*state, 1 + i % 2, 10);
	timeline_coarsen(&line, 4);
	n = line.n;
	for (i = 0; i < 10000; i++)
		add(*state, 1 + i % 2, 10);
	/* Two per window; the one that is being filled holds more. */
	assert_in_range(line.n, n + 2, n + 2 * 101000 / line.window +
	    line.window / 10 + 2);
	assert_weight(101000);
	assert_int_equal(line.samples, 10100);
}

/* More stacks than entries were asked for: memory is bounded by stacks. */
static void
entries_are_bounded_by_stacks(void **state)
{
	size_t i, max = 0;

	for (i = 0; i < 100000; i++) {
		add(*state, (bob_stack)(1 + i * 7919 % 500), 10);
		if (i % 100 == 0)
			timeline_coarsen(&line, 50);
		max = line.n > max ? line.n : max;
	}
	assert_in_range(max, 500, 1200);
	timeline_coarsen(&line, 50);
	assert_weight(1000000);
}

static int
one_fault(void *ctx)
{
	struct timeline t = { 0 };
	int r = BOB_OK;
	bob_stack i;

	for (i = 1; r == BOB_OK && i < 1000; i++)
		r = timeline_add(ctx, &t, i, 1, 1);
	timeline_done(&t);
	return r;
}

static void
memory_may_run_out(void **state)
{
	fault_each(one_fault, *state);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(equal_neighbours_are_one),
		T(few_entries_stay_as_they_are),
		T(nothing_can_be_made_coarse),
		T(windows_keep_the_order_between_them),
		T(later_entries_are_merged_as_they_come),
		T(entries_are_bounded_by_stacks),
		T(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
