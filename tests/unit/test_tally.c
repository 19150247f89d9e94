/* Tallies: sums by stack, track and annotations. */
#include "model/tally.h"

#include "support.h"

static const struct bob_run runs[] = {
	{ .count = 3, .stack = 1, .track = 1, .annot = 7 },
	{ .count = 1, .stack = 2, .track = 1, .annot = 7 },
	{ .count = 2, .stack = 1, .track = 2, .annot = 7 },
	{ .count = 4, .stack = 1, .track = 1, .annot = 8 },
};

static void
assert_entry(const struct tally *t, uint32_t i, bob_stack stack,
    bob_tid track, bob_annot annot, uint64_t samples, uint64_t time_us)
{
	const struct tally_entry *e = &t->entry[i];

	assert_int_equal(e->stack, stack);
	assert_int_equal(e->track, track);
	assert_int_equal(e->annot, annot);
	assert_int_equal(e->samples, samples);
	assert_int_equal(e->time_us, time_us);
}

static void
only_what_is_asked_for_is_told_apart(void **state)
{
	struct tally t;

	tally_init(&t, *state, 1, 0);
	assert_status(*state, BOB_OK, tally_add(&t, runs, COUNT_OF(runs)));
	assert_int_equal(t.n, 3);
	assert_entry(&t, 1, 1, 0, 0, 9, 90000);
	assert_entry(&t, 2, 2, 0, 0, 1, 10000);
	tally_done(&t);
	tally_init(&t, *state, 1, TALLY_TRACKS);
	assert_status(*state, BOB_OK, tally_add(&t, runs, COUNT_OF(runs)));
	assert_int_equal(t.n, 4);
	assert_entry(&t, 1, 1, 1, 0, 7, 70000);
	assert_entry(&t, 3, 1, 2, 0, 2, 20000);
	tally_done(&t);
	tally_init(&t, *state, 1, TALLY_TRACKS | TALLY_ANNOTATIONS);
	assert_status(*state, BOB_OK, tally_add(&t, runs, COUNT_OF(runs)));
	assert_int_equal(t.n, 5);
	assert_entry(&t, 4, 1, 1, 8, 4, 40000);
	tally_done(&t);
}

static void
a_sample_weighs_the_period_of_its_segment(void **state)
{
	struct tally t;

	tally_init(&t, *state, 1, 0);
	tally_segment(&t, 1000);
	assert_status(*state, BOB_OK, tally_add(&t, runs, 1));
	tally_segment(&t, 250);
	assert_status(*state, BOB_OK, tally_add(&t, runs, 1));
	tally_segment(&t, 0);
	assert_status(*state, BOB_OK, tally_add(&t, runs + 1, 1));
	assert_entry(&t, 1, 1, 0, 0, 6, 3750);
	assert_entry(&t, 2, 2, 0, 0, 1, 10000);
	assert_int_equal(t.samples, 7);
	assert_int_equal(t.time_us, 13750);
	tally_done(&t);
}

static void
sums_saturate(void **state)
{
	struct bob_run huge = { .count = BOB_MAX_COUNT, .stack = 1 };
	struct tally t;

	tally_init(&t, *state, 1, 0);
	assert_status(*state, BOB_OK, tally_add(&t, &huge, 1));
	assert_status(*state, BOB_OK, tally_add(&t, &huge, 1));
	assert_entry(&t, 1, 1, 0, 0, BOB_MAX_COUNT, BOB_MAX_COUNT);
	assert_true(t.samples == BOB_MAX_COUNT);
	tally_done(&t);
}

static void
many_combinations_are_found_again(void **state)
{
	struct bob_run run = { .count = 1 };
	struct tally t;
	uint32_t i;

	tally_init(&t, *state, 1, TALLY_TRACKS);
	for (i = 0; i < 20000; i++) {
		run.stack = i % 100;
		run.track = i / 100 % 50;
		assert_status(*state, BOB_OK, tally_add(&t, &run, 1));
	}
	assert_int_equal(t.n, 5001);
	for (i = 1; i < t.n; i++)
		assert_int_equal(t.entry[i].samples, 4);
	tally_done(&t);
}

static void
another_tally_is_joined_with_its_ids_mapped(void **state)
{
	static const bob_stack stack_map[] = { 0, 2, 1 };
	static const bob_tid track_map[] = { 0, 5, 6 };
	struct tally a, b;

	tally_init(&a, *state, 1, TALLY_TRACKS);
	tally_init(&b, *state, 2, TALLY_TRACKS);
	tally_segment(&b, 100);
	assert_status(*state, BOB_OK, tally_add(&a, runs, 1));
	assert_status(*state, BOB_OK, tally_add(&b, runs, COUNT_OF(runs)));
	assert_status(*state, BOB_OK,
	    tally_join(&a, &b, stack_map, track_map, NULL));
	assert_int_equal(a.n, 5);
	assert_entry(&a, 1, 1, 1, 0, 3, 30000);
	assert_entry(&a, 2, 2, 5, 0, 7, 700);
	assert_entry(&a, 3, 1, 5, 0, 1, 100);
	assert_entry(&a, 4, 2, 6, 0, 2, 200);
	assert_int_equal(a.samples, 13);
	tally_done(&a);
	tally_done(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    only_what_is_asked_for_is_told_apart, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    a_sample_weighs_the_period_of_its_segment, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(sums_saturate, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    many_combinations_are_found_again, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    another_tally_is_joined_with_its_ids_mapped, ctx_setup,
		    ctx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
