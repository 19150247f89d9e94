/* Estimating the period of a trace from its times. */
#include "support.h"

#include "analyze/tempo.h"

static void
add(struct tempo *t, unsigned n, uint64_t gap)
{
	while (n-- > 0)
		tempo_add(t, gap);
}

static void
it_is_the_gap_of_most_samples(void **state)
{
	struct tempo t = { 0 };

	(void)state;
	add(&t, 100, 9900);
	add(&t, 100, 10100);
	add(&t, 30, 20000);
	add(&t, 1, 7000000);
	assert_int_equal(tempo_period(&t), 10000);
}

static void
missed_moments_do_not_make_it_longer(void **state)
{
	struct tempo t = { 0 };

	(void)state;
	add(&t, 60, 5000);
	add(&t, 100, 10000);
	assert_int_equal(tempo_period(&t), 5000);
}

static void
a_few_hasty_samples_do_not_make_it_shorter(void **state)
{
	struct tempo t = { 0 };

	(void)state;
	add(&t, 40, 3);
	add(&t, 100, 10000);
	assert_int_equal(tempo_period(&t), 10000);
}

static void
few_gaps_tell_nothing(void **state)
{
	struct tempo t = { 0 };

	(void)state;
	assert_int_equal(tempo_period(&t), 0);
	add(&t, TEMPO_LEAST - 1, 10000);
	add(&t, TEMPO_LEAST - 1, 100);
	assert_int_equal(tempo_period(&t), 0);
	add(&t, 1, 10000);
	assert_int_equal(tempo_period(&t), 10000);
}

static void
gaps_of_any_length_are_taken(void **state)
{
	struct tempo t = { 0 };

	(void)state;
	add(&t, 100, 0);
	add(&t, 100, TEMPO_LONGEST + 1);
	add(&t, 100, UINT64_MAX);
	assert_int_equal(t.n, 0);
	add(&t, 100, TEMPO_LONGEST);
	assert_int_equal(tempo_period(&t), TEMPO_LONGEST);
	add(&t, 100, 1);
	assert_int_equal(tempo_period(&t), 1);
}

static void
enough_is_enough(void **state)
{
	struct tempo t = { 0 };

	(void)state;
	add(&t, TEMPO_ENOUGH, 1000);
	add(&t, 10 * TEMPO_ENOUGH, 50);
	assert_int_equal(t.n, TEMPO_ENOUGH);
	assert_int_equal(tempo_period(&t), 1000);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_gap_of_most_samples),
		cmocka_unit_test(missed_moments_do_not_make_it_longer),
		cmocka_unit_test(a_few_hasty_samples_do_not_make_it_shorter),
		cmocka_unit_test(few_gaps_tell_nothing),
		cmocka_unit_test(gaps_of_any_length_are_taken),
		cmocka_unit_test(enough_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
