/* Statistics, against published figures and against chance. */
#include "analyze/stats.h"

#include <math.h>

#include "support.h"

static void
assert_near(double got, double want, double within)
{
	if (fabs(got - want) <= within)
		return;
	print_error("%.9g is not %.9g\n", got, want);
	fail();
}

static void
student_is_as_in_tables(void **state)
{
	(void)state;
	assert_near(stat_t_quantile(0.025, INFINITY), 1.959964, 1e-6);
	assert_near(stat_t_quantile(0.025, 1), 12.706205, 1e-5);
	assert_near(stat_t_quantile(0.025, 10), 2.228139, 1e-6);
	assert_near(stat_t_quantile(0.0005, 20), 3.849516, 1e-6);
	assert_near(stat_t_tail(2, 5), 0.0509697, 1e-7);
	assert_near(stat_t_tail(-2, 5), 1 - 0.0509697, 1e-7);
	assert_near(stat_t_tail(0, 3), 0.5, 1e-12);
	assert_near(stat_t_tail(5, 1e7), stat_t_tail(5, INFINITY), 1e-11);
}

static struct stat_delta
compare(double k, double n, double m, double k2, double clump)
{
	struct stat_share a = { k, n, clump, INFINITY };
	struct stat_share b = { k2, m, clump, INFINITY };

	return stat_compare(&a, &b);
}

/* An interval tells the quantile it was made with. */
static double
quantile_seen(double df)
{
	struct stat_share a = { 0, 1e15, 1, df }, b = { 10, 20, 1, df };
	double reach = stat_compare(&a, &b).high - 0.5;

	/* reach = z / (2 sqrt(n + z^2)), with all the variance in b. */
	return 2 * reach * sqrt(20 / (1 - 4 * reach * reach));
}

static void
intervals_follow_student(void **state)
{
	(void)state;
	assert_near(quantile_seen(INFINITY), 1.959964, 1e-5);
	assert_near(quantile_seen(40), stat_t_quantile(0.025, 40), 1e-5);
	assert_near(quantile_seen(12), stat_t_quantile(0.025, 12), 1e-5);
	assert_near(quantile_seen(3), stat_t_quantile(0.025, 3), 1e-5);
}

/* Newcombe, Statistics in Medicine 17 (1998), table II, method 10. */
static void
intervals_are_newcombes(void **state)
{
	struct stat_delta d = compare(48, 80, 70, 56, 1);

	(void)state;
	assert_near(d.delta, 0.2, 1e-12);
	assert_near(d.low, 0.0524, 5e-5);
	assert_near(d.high, 0.3339, 5e-5);
	d = compare(3, 10, 10, 9, 1);
	assert_near(d.low, 0.1705, 5e-5);
	assert_near(d.high, 0.8090, 5e-5);
	d = compare(0, 29, 56, 5, 1);
	assert_near(d.low, -0.0381, 5e-5);
	assert_near(d.high, 0.1926, 5e-5);
}

static void
large_counts_get_the_score_test(void **state)
{
	(void)state;
	assert_near(compare(50, 100, 100, 70, 1).p, 0.003892, 1e-6);
	assert_near(compare(70, 100, 100, 50, 1).p, 0.003892, 1e-6);
	/* Clumps of four are worth a quarter. */
	assert_near(compare(200, 400, 400, 280, 4).p, 0.003892, 1e-6);
}

static void
small_counts_get_the_exact_one(void **state)
{
	(void)state;
	/* Eight heads in a row, half of the chance counted, both sides. */
	assert_near(compare(0, 1000, 1000, 8, 1).p, 1.0 / 256, 1e-12);
	assert_near(compare(8, 1000, 1000, 0, 1).p, 1.0 / 256, 1e-12);
	assert_near(compare(1000, 1000, 1000, 992, 1).p, 1.0 / 256, 1e-12);
	assert_near(compare(3, 1000, 1000, 3, 1).p, 1, 1e-12);
	/* One of four places: 3 of 3 at it. */
	assert_near(compare(0, 3000, 1000, 3, 1).p, 1.0 / 64, 1e-12);
}

static void
nothing_is_known_without_samples(void **state)
{
	struct stat_delta d = compare(0, 0, 10, 5, 1);

	(void)state;
	assert_true(d.p == 1 && d.low == -1 && d.high == 1);
	d = compare(0, 10, 10, 0, 1);
	assert_true(d.p == 1 && d.delta == 0);
	d = compare(10, 10, 10, 10, 1);
	assert_true(d.p == 1 && d.high == d.high);
}

/* Counts as large as files may claim. */
static void
large_numbers_stay_numbers(void **state)
{
	double most = 9.2e18;
	struct stat_delta d = compare(most / 2, most, most, most, 1);

	(void)state;
	assert_true(d.p == 0);
	assert_near(d.low, 0.5, 1e-6);
	d = compare(1, most, 1, 1, 1);
	assert_true(d.p >= 0 && d.p <= 1 && d.low <= d.high);
	d = compare(5, most, 7, 0, 1e9);
	assert_true(d.p >= 0 && d.p <= 1 && d.low <= d.high);
}

static void
corrections_are_as_by_hand(void **state)
{
	const double p[] = { 0.01, 0.04, 0.03, 0.005 };
	double q[4];

	(void)state;
	assert_int_equal(stat_fdr(p, 4, q), 0);
	assert_near(q[0], 0.02, 1e-12);
	assert_near(q[1], 0.04, 1e-12);
	assert_near(q[2], 0.04, 1e-12);
	assert_near(q[3], 0.02, 1e-12);
	assert_int_equal(stat_holm(p, 4, q), 0);
	assert_near(q[0], 0.03, 1e-12);
	assert_near(q[1], 0.06, 1e-12);
	assert_near(q[2], 0.06, 1e-12);
	assert_near(q[3], 0.02, 1e-12);
	assert_int_equal(stat_holm(p, 0, q), 0);
}

static uint64_t seed = 88172645463325252u;

static double
chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* The clumping that is seen, on average, in recordings of 12,800 samples, a
 * tenth of them of interest, in clumps of a mean length; `drift` moves the
 * share from phase to phase, alike in both. */
static double
seen_clumping(double length, double drift)
{
	const double n = 12800;
	double sum = 0;
	int run, stretch, side, i;

	for (run = 0; run < 200; run++) {
		double k[2][STAT_STRETCHES] = { { 0 } }, all[2] = { 0 };
		struct stat_spread s = { 0 };

		for (side = 0; side < 2; side++) {
			int is = 0;

			for (i = 0; i < (int)n; i++) {
				double p = 0.1 + (i * 4 / (int)n % 2 == 1
				    ? drift : 0);

				if (i == 0 || chance() < 1 / length)
					is = chance() < p;
				k[side][i / 100] += is;
				all[side] += is;
			}
		}
		for (stretch = 0; stretch < (int)STAT_STRETCHES; stretch++)
			stat_spread_add(&s, (unsigned)stretch,
			    (k[1][stretch] - all[1] / STAT_STRETCHES) / n -
			    (k[0][stretch] - all[0] / STAT_STRETCHES) / n);
		sum += stat_spread_clump(&s,
		    (all[0] / n * (1 - all[0] / n) +
		        all[1] / n * (1 - all[1] / n)) / n, n,
		    STAT_STRETCHES).clump;
	}
	return sum / 200;
}

static void
clumps_are_seen_and_phases_are_not(void **state)
{
	(void)state;
	/* Geometric lengths of mean m are worth 2 m - 1. The largest of three
	 * estimates is a little too large. */
	assert_near(seen_clumping(1, 0), 1.2, 0.15);
	assert_near(seen_clumping(5, 0), 10, 2);
	assert_near(seen_clumping(20, 0), 41, 8);
	assert_near(seen_clumping(1, 0.4), 1.2, 0.15);
}

static void
few_samples_say_nothing_about_clumps(void **state)
{
	struct stat_spread s = { 0 };
	struct stat_clump c;
	unsigned i;

	(void)state;
	for (i = 0; i < STAT_STRETCHES; i++)
		stat_spread_add(&s, i, i % 2 == 0 ? 0.1 : -0.1);
	c = stat_spread_clump(&s, 0.001, 100, STAT_STRETCHES);
	assert_true(c.clump == 1 && c.df < 20);
	c = stat_spread_clump(&s, 0.001, 1000, 10);
	assert_true(c.clump == 1 && c.df < 20);
	c = stat_spread_clump(&s, 0, 1000, STAT_STRETCHES);
	assert_true(c.clump == 1);
	c = stat_spread_clump(&s, 0.001, 1000, STAT_STRETCHES);
	assert_true(c.clump > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_is_as_in_tables),
		cmocka_unit_test(intervals_follow_student),
		cmocka_unit_test(intervals_are_newcombes),
		cmocka_unit_test(large_counts_get_the_score_test),
		cmocka_unit_test(small_counts_get_the_exact_one),
		cmocka_unit_test(nothing_is_known_without_samples),
		cmocka_unit_test(large_numbers_stay_numbers),
		cmocka_unit_test(corrections_are_as_by_hand),
		cmocka_unit_test(clumps_are_seen_and_phases_are_not),
		cmocka_unit_test(few_samples_say_nothing_about_clumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
