/* Firefox Profiler's JSON: the timeline, the packed columns and the intervals
 * beneath it. */
#include "through.h"

#include <stdlib.h>

#include "fault.h"
#include "format/common/axis.h"
#include "format/gecko/marks.h"
#include "format/gecko/rows.h"

/* ---- the timeline ----------------------------------------------------- */

static void
enter(struct axis *a, uint64_t period, uint64_t start_us)
{
	struct bob_segment s = { .period_us = period, .start_us = start_us };

	axis_segment(a, &s);
}

static void
first_sample_is_the_origin(void **state)
{
	struct axis a = { 0 };

	(void)state;
	enter(&a, 1000, 0);
	assert_int_equal(axis_at(&a, 5000000), 0);
	assert_int_equal(axis_at(&a, 5001234), 1234);
	assert_int_equal(axis_at(&a, 4999000), -1000);
}

static void
segment_without_a_date_follows(void **state)
{
	struct axis a = { 0 };

	(void)state;
	enter(&a, 1000, 0);
	assert_int_equal(axis_at(&a, 77), 0);
	a.end = 9000;
	enter(&a, 1000, 0);
	assert_int_equal(axis_begin(&a), 9000);
	assert_int_equal(axis_at(&a, 12), 9000);
	assert_int_equal(axis_at(&a, 13), 9001);
}

static void
segments_with_dates_are_where_they_were(void **state)
{
	struct axis a = { 0 };

	(void)state;
	enter(&a, 1000, 1700000000000000);
	assert_int_equal(axis_at(&a, 500), 0);
	assert_true(a.has_epoch);
	assert_int_equal(a.epoch, 1700000000000500);
	a.end = 20000;
	enter(&a, 1000, 1700000003000000);
	assert_int_equal(axis_at(&a, 600), 3000100);
	/* Another one at the same time, begun earlier. */
	enter(&a, 1000, 1699999999000000);
	assert_int_equal(axis_at(&a, 0), -1000500);
	/* Samples without times begin with the segment. */
	enter(&a, 1000, 1700000005000500);
	assert_int_equal(axis_begin(&a), 5000000);
}

static void
date_is_learnt_late(void **state)
{
	struct axis a = { 0 };

	(void)state;
	enter(&a, 1000, 0);
	assert_int_equal(axis_begin(&a), 0);
	assert_false(a.has_epoch);
	a.end = 4000;
	enter(&a, 1000, 1700000000000000);
	assert_int_equal(axis_begin(&a), 4000);
	assert_int_equal(a.epoch, 1700000000000000 - 4000);
}

static void
unknown_period_is_ten_milliseconds(void **state)
{
	struct axis a = { 0 };

	(void)state;
	enter(&a, 0, 0);
	assert_int_equal(a.period, 10000);
}

static void
absurd_times_do_not_overflow(void **state)
{
	struct axis a = { 0 };
	int64_t at;

	(void)state;
	enter(&a, 1000, UINT64_MAX);
	assert_int_equal(axis_at(&a, 0), 0);
	at = axis_at(&a, (uint64_t)1 << 62);
	assert_true(at > 0 && at <= AXIS_FAR);
	at = axis_at(&a, (uint64_t)3 << 62);
	assert_true(at < 0 && at >= -AXIS_FAR);
	assert_int_equal(axis_later(at, UINT64_MAX), AXIS_FAR);
	assert_int_equal(axis_later(AXIS_FAR - 1, 1), AXIS_FAR);
	assert_int_equal(axis_later(AXIS_FAR, BOB_MAX_COUNT), AXIS_FAR);
	assert_int_equal(axis_later(5, 3), 8);
}

/* ---- rows ------------------------------------------------------------- */

#define N_LANES 3

/* Row i of lane k: all fields change, in different steps. */
static struct row
row_of(unsigned k, unsigned i)
{
	return (struct row){ .at = (int64_t)i * i * 7 - 1000 * (int64_t)k,
		.weight = i % 5 == 0 ? (uint64_t)i << 40 : 1,
		.period = 1000 + i / 100, .stack = i / 3 };
}

static int
put_all(struct lanes *s, struct rows *rows, unsigned n, unsigned spill_every)
{
	unsigned i, k, j;

	for (i = 0; i < n; i++) {
		for (k = 0; k < N_LANES; k++) {
			struct row row = row_of(k, i);

			if (rows_put(s, &rows[k], &row) < 0)
				return BOB_FATAL;
		}
		if (spill_every == 0 || i % spill_every != 0)
			continue;
		assert_true(lanes_are_full(s));
		for (j = 0; j < N_LANES; j++)
			if (lane_spill(s, &rows[j].lane) < 0)
				return BOB_FATAL;
		lanes_spilled(s);
		assert_false(lanes_are_full(s));
	}
	return lanes_rewind(s);
}

static int
get_all(struct lanes *s, struct rows *rows, unsigned n)
{
	struct rows_reader in = { 0 };
	unsigned i, k;
	int r = BOB_OK;

	for (k = 0; r == BOB_OK && k < N_LANES; k++) {
		r = rows_begin(&in, s, &rows[k]);
		for (i = 0; r == BOB_OK && i < n; i++) {
			struct row want = row_of(k, i);

			r = rows_next(&in);
			if (r < 0)
				break;
			assert_int_equal(r, 1);
			assert_int_equal(in.row.at, want.at);
			assert_int_equal(in.row.weight, want.weight);
			assert_int_equal(in.row.period, want.period);
			assert_int_equal(in.row.stack, want.stack);
			r = BOB_OK;
		}
		if (r == BOB_OK)
			r = rows_next(&in);
	}
	lane_reader_done(&in.in);
	return r;
}

struct row_case {
	struct bob_ctx *ctx;
	unsigned n, spill_every;
};

static int
rows_there_and_back(void *user)
{
	struct row_case *c = user;
	struct rows rows[N_LANES] = { { .n = 0 } };
	struct lanes s;
	unsigned k;
	int r;

	lanes_init(&s, c->ctx, 0);
	r = put_all(&s, rows, c->n, c->spill_every);
	/* Twice: a column is read after the other. */
	if (r == BOB_OK)
		r = get_all(&s, rows, c->n);
	if (r == BOB_OK)
		r = get_all(&s, rows, c->n);
	for (k = 0; k < N_LANES; k++)
		lane_done(&rows[k].lane);
	lanes_done(&s);
	return r;
}

static void
rows_come_back(void **state)
{
	static const unsigned every[] = { 0, 1, 7, 1000, 19000 };
	size_t i;

	for (i = 0; i < COUNT_OF(every); i++) {
		struct row_case c = { *state, 20000, every[i] };

		assert_status(c.ctx, BOB_OK, rows_there_and_back(&c));
	}
}

static void
rows_survive_faults(void **state)
{
	struct row_case c = { *state, 300, 100 };

	fault_each(rows_there_and_back, &c);
}

static void
weights_are_noticed(void **state)
{
	struct rows rows = { .n = 0 };
	struct row row = { .weight = 1, .period = 1 };
	struct lanes s;

	lanes_init(&s, *state, 1 << 20);
	assert_int_equal(rows_put(&s, &rows, &row), BOB_OK);
	assert_false(rows.has_weights);
	row.weight = 2;
	assert_int_equal(rows_put(&s, &rows, &row), BOB_OK);
	assert_true(rows.has_weights);
	assert_int_equal(rows.n, 2);
	lane_done(&rows.lane);
	lanes_done(&s);
}

/* ---- intervals -------------------------------------------------------- */

static void
status_bits_become_states(void **state)
{
	(void)state;
	assert_int_equal(marks_state(0, 0), 0);
	assert_int_equal(marks_state(1, 0), 1 << MARKS_GIL);
	assert_int_equal(marks_state(2, 0), 1 << MARKS_CPU);
	assert_int_equal(marks_state(4, 0), 0);
	assert_int_equal(marks_state(2 | 4, 0), 0);
	assert_int_equal(marks_state(8, 0), 1 << MARKS_WAITS);
	assert_int_equal(marks_state(16, 0), 1 << MARKS_EXCEPTION);
	assert_int_equal(marks_state(32 | 64 | 128, 0), 0);
	assert_int_equal(marks_state(1, 1), 1 << MARKS_GIL | 1 << MARKS_GC);
}

static void
expect_mark(struct marks_reader *in, unsigned kind, int64_t begin,
    int64_t end)
{
	assert_int_equal(marks_next(in), 1);
	assert_int_equal(in->mark.kind, kind);
	assert_int_equal(in->mark.begin, begin);
	assert_int_equal(in->mark.end, end);
}

static void
intervals_end_with_the_state(void **state)
{
	struct bob_dict *d = bob_dict_new(*state);
	struct functions fns;
	struct lanes lanes;
	struct marks_to to = { .lanes = &lanes, .fns = &fns };
	struct marks m = { .n = 0 };
	struct marks_reader in = { 0 };

	lanes_init(&lanes, *state, 1 << 20);
	assert_int_equal(functions_init(&fns, *state, d), BOB_OK);
	assert_int_equal(marks_change(&to, &m, 1, 0, -500), BOB_OK);
	assert_int_equal(marks_change(&to, &m, 1 | 4, 0, 100), BOB_OK);
	assert_int_equal(marks_change(&to, &m, 1 | 4, 0, 200), BOB_OK);
	assert_int_equal(marks_change(&to, &m, 4, 0, 300), BOB_OK);
	assert_int_equal(marks_change(&to, &m, 0, 0, 700), BOB_OK);
	assert_int_equal(m.n, 2);
	assert_int_equal(marks_begin(&in, &lanes, &m), BOB_OK);
	expect_mark(&in, MARKS_GIL, -500, 300);
	expect_mark(&in, MARKS_CPU, 100, 700);
	assert_int_equal(marks_next(&in), 0);
	lane_reader_done(&in.in);
	marks_done(&m);
	lanes_done(&lanes);
	functions_done(&fns);
	bob_dict_free(d);
}

static bob_annot
annotation(struct bob_dict *d, const char *const *word, size_t n)
{
	struct bob_pair pair[4];
	size_t i;

	for (i = 0; i < n; i++) {
		pair[i].key = bob_str_put(d, word[2 * i],
		    strlen(word[2 * i]));
		pair[i].value = bob_str_put(d, word[2 * i + 1],
		    strlen(word[2 * i + 1]));
	}
	return bob_annot_put(d, pair, n);
}

static void
expect_note(struct marks_reader *in, const struct functions *fns,
    const char *value, int64_t begin, int64_t end)
{
	struct bob_bytes s;

	expect_mark(in, MARKS_ANNOTATION, begin, end);
	s = bob_str_get(fns->own, in->mark.value);
	assert_int_equal(s.n, strlen(value));
	assert_memory_equal(s.p, value, s.n);
}

static void
annotations_go_on_when_others_change(void **state)
{
	static const char *const one[] = { "uri", "/", "sql", "1" };
	static const char *const two[] = { "uri", "/", "sql", "\xff" };
	static const char *const swapped[] = { "sql", "\xff", "uri", "/" };
	struct bob_dict *d = bob_dict_new(*state);
	struct functions fns;
	struct lanes lanes;
	struct marks_to to = { .lanes = &lanes, .fns = &fns };
	struct marks m = { .n = 0 };
	struct marks_reader in = { 0 };

	lanes_init(&lanes, *state, 1 << 20);
	assert_int_equal(functions_init(&fns, *state, d), BOB_OK);
	marks_change(&to, &m, 0, annotation(d, one, 2), 10);
	marks_change(&to, &m, 0, annotation(d, two, 2), 20);
	/* In another order, what was passed over ends and begins. */
	marks_change(&to, &m, 0, annotation(d, swapped, 2), 30);
	marks_change(&to, &m, 0, annotation(d, NULL, 0), 40);
	assert_int_equal(marks_begin(&in, &lanes, &m), BOB_OK);
	expect_note(&in, &fns, "1", 10, 20);
	expect_note(&in, &fns, "/", 10, 30);
	expect_note(&in, &fns, "\xef\xbf\xbd", 20, 40);
	expect_note(&in, &fns, "/", 30, 40);
	assert_int_equal(marks_next(&in), 0);
	lane_reader_done(&in.in);
	marks_done(&m);
	free(to.utf8);
	lanes_done(&lanes);
	functions_done(&fns);
	bob_dict_free(d);
}

/* ---- the whole -------------------------------------------------------- */

static void
conversions_survive_faults(void **state)
{
	(void)state;
	assert_survives_faults("0 App\\A::f /a.php:1\n1 b\xff /b:2\n# k = v\n"
	                       "# uri = \xff/x\n\n0 c /c.php:3\n\n", "phpspy",
	    "gecko");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_sample_is_the_origin),
		cmocka_unit_test(segment_without_a_date_follows),
		cmocka_unit_test(segments_with_dates_are_where_they_were),
		cmocka_unit_test(date_is_learnt_late),
		cmocka_unit_test(unknown_period_is_ten_milliseconds),
		cmocka_unit_test(absurd_times_do_not_overflow),
		cmocka_unit_test_setup_teardown(rows_come_back, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(rows_survive_faults,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(weights_are_noticed,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test(status_bits_become_states),
		cmocka_unit_test_setup_teardown(intervals_end_with_the_state,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    annotations_go_on_when_others_change, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test(conversions_survive_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
