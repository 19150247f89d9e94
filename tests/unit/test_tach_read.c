/*
 * Reading TACH: dialects, runs, what is wanted, and limits. Each file is read
 * whole and a byte at a time.
 */
#include "tach_make.h"

#include <stdlib.h>

#include "fault.h"

#define MAX_LINE 16384
#define VERSION " M:python.version=3.16.2"

/* Both ways of reading must give `want`. Frees m. */
static void
assert_reads_with(struct bob_ctx *ctx, struct make *m,
    const struct bob_read_opts *o, const char *want)
{
	struct buf b = { 0 };
	struct chunks slow;
	struct bob_reader *in;
	char line[MAX_LINE];

	make_file(m, &b);
	assert_status(ctx, BOB_OK, bob_open_memory(ctx, b.p, b.n, "whole", o,
	    &in));
	make_listing(in, line, sizeof(line));
	assert_string_equal(line, want);
	bob_close(in);
	slow = trickle(b.p, b.n);
	assert_status(ctx, BOB_OK, bob_open_fn(ctx, chunks_read, &slow, "slow",
	    o, &in));
	make_listing(in, line, sizeof(line));
	assert_string_equal(line, want);
	bob_close(in);
	buf_free(&b);
	make_free(m);
}

static void
assert_reads(struct bob_ctx *ctx, struct make *m, const char *want)
{
	struct bob_read_opts o = { .size = sizeof(o) };

	assert_reads_with(ctx, m, &o, want);
}

static struct make
new_file(uint64_t n_samples, uint32_t n_threads)
{
	return (struct make){ .dialect = MAKE_1B, .n_samples = n_samples,
		.n_threads = n_threads };
}

/* Every kind of record, once. */
static void
put_all_kinds(struct make *m)
{
	make_full(m, MAKE_THREAD, 5, 1, "ab");
	make_repeat(m, MAKE_THREAD, 2, 10, 1);
	make_change(m, MAKE_THREAD, 2, 1, 1, 2, "c");
	make_change(m, MAKE_THREAD, 3, 1, 1, 2, "dd");
	m->n_samples = 5;
	m->n_threads = 1;
}

#define ALL_KINDS " ab=3@1005,10,10/1 cab=1@1026/1 ddb=1@1027/1 $"

static void
every_dialect_and_byte_order_reads_alike(void **state)
{
	static const char *const name[] = { "v2", "early-1", "1a", "1b" };
	unsigned i;

	for (i = 0; i < 8; i++) {
		struct make m = { .dialect = (enum make_dialect)(i / 2),
			.is_big = i % 2 };
		struct bob_reader *in;
		struct buf b = { 0 };
		char line[MAX_LINE];

		put_all_kinds(&m);
		make_file(&m, &b);
		assert_status(*state, BOB_OK, bob_open_memory(*state, b.p,
		    b.n, "x", NULL, &in));
		make_listing(in, line, sizeof(line));
		assert_string_equal(bob_reader_dialect(in), name[i / 2]);
		assert_string_equal(line, i / 2 == MAKE_V2 ? " S" ALL_KINDS :
		    " S" VERSION ALL_KINDS);
		bob_close(in);
		buf_free(&b);
		make_free(&m);
	}
}

static void
mode_features_and_statistics_travel_as_metadata(void **state)
{
	struct make m = { .dialect = MAKE_1B, .word = 0x8 | 0x40 | 2 };
	uint8_t block[56] = { 0 };
	double v[4] = { 0.1, 1e6, 33.5, -0.25 };

	memcpy(block, v, sizeof(v));
	block[32] = 3; /* both percentages are there */
	memcpy(block + 40, "TACHSTAT\1\0\0\0\x38", 13);
	put_bytes(&m.block, block, sizeof(block));
	put_all_kinds(&m);
	assert_reads(*state, &m, " S" VERSION " M:profiler.mode=cpu"
	    " M:profiler.features=gc M:profiler.duration_s=0.1"
	    " M:profiler.samples_per_s=1000000 M:profiler.failed_percent=33.5"
	    " M:profiler.missed_percent=-0.25" ALL_KINDS);
}

static void
dialect_that_could_be_two_is_asked_for(void **state)
{
	struct bob_option option = { "dialect", "1a" };
	struct bob_read_opts o = { .size = sizeof(o), .options = &option,
		.n_options = 1 };
	struct make m = { .dialect = MAKE_1A, .n_frames = 3 };

	put_all_kinds(&m);
	assert_reads(*state, &m, " !");
	assert_non_null(strstr(bob_ctx_error(*state)->text,
	    "could be dialect 1a or early-1; say which with --dialect"));

	m = (struct make){ .dialect = MAKE_1A, .n_frames = 3 };
	make_full(&m, MAKE_THREAD, 5, 1, "ab");
	m.n_samples = m.n_threads = 1;
	assert_reads_with(*state, &m, &o, " S" VERSION " ab=1@1005/1 $");
}

static void
run_ends_where_status_or_clock_jump(void **state)
{
	struct make m = new_file(6, 1);

	make_full(&m, MAKE_THREAD, 0, 1, "a");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	make_repeat(&m, MAKE_THREAD, 1, 1, 2);
	make_repeat(&m, MAKE_THREAD, 1, UINT32_MAX, 2);
	make_repeat(&m, MAKE_THREAD, 1, (uint64_t)UINT32_MAX + 1, 2);
	make_repeat(&m, MAKE_THREAD, 1, UINT64_MAX, 2);
	assert_reads(*state, &m, " S" VERSION " a=2@1000,1/1"
	    " a=2@1002,4294967295/2 a=1@8589935593/2 a=1@8589935592/2 $");
}

static void
threads_have_states_of_their_own(void **state)
{
	struct make m = new_file(5, 2);

	make_full(&m, MAKE_THREAD, 5, 1, "ab");
	make_full(&m, 7, 9, 1, "ab");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	make_repeat(&m, 7, 1, 1, 1);
	make_change(&m, MAKE_THREAD, 3, 1, 1, 1, "");
	assert_reads(*state, &m, " S" VERSION " ab=1@1005/1 t7:ab=1@1009/1"
	    " ab=1@1006/1 t7:ab=1@1010/1 b=1@1007/1 $");
}

static void
suffix_without_new_frames_keeps_the_outermost(void **state)
{
	struct make m = new_file(2, 1);

	make_full(&m, MAKE_THREAD, 0, 0, "abcd");
	make_change(&m, MAKE_THREAD, 2, 0, 0, 2, "");
	assert_reads(*state, &m, " S" VERSION " abcd=1@1000/0 cd=1@1000/0 $");
}

static void
what_is_not_wanted_is_left_out_and_joined(void **state)
{
	struct bob_read_opts o = { .size = sizeof(o), .want = BOB_WANT_NONE };
	struct make m = new_file(8, 2);

	make_full(&m, MAKE_THREAD, 5, 1, "a");
	make_repeat(&m, MAKE_THREAD, 3, 200, 2);
	make_full(&m, 7, 9, 1, "a");
	make_repeat(&m, 7, 3, 1, 1);
	assert_reads_with(*state, &m, &o, " S a=8 $");
	o.want = BOB_WANT_STATUS;
	m = new_file(4, 1);
	make_full(&m, MAKE_THREAD, 5, 1, "a");
	make_repeat(&m, MAKE_THREAD, 3, 200, 2);
	assert_reads_with(*state, &m, &o, " S a=1/1 a=3/2 $");
}

static void
equal_samples_of_two_threads_stay_apart_where_it_matters(void **state)
{
	struct bob_read_opts o = { .size = sizeof(o) };
	int i;

	for (i = 0; i < 2; i++) {
		struct make m = new_file(4, 2);

		make_full(&m, MAKE_THREAD, 5, 1, "a");
		make_full(&m, 7, 9, 1, "a");
		make_repeat(&m, 7, 1, 1, 1);
		make_repeat(&m, MAKE_THREAD, 1, 1, 1);
		o.want = i == 0 ? BOB_WANT_TIMES : BOB_WANT_TRACKS;
		assert_reads_with(*state, &m, &o, i == 0 ?
		    " S a=1@1005 a=2@1009,1 a=1@1006 $" :
		    " S a=1 t7:a=2 a=1 $");
	}
}

/* Sum of the counts and the last time, to the end. */
static void
read_sums(struct bob_ctx *ctx, const struct buf *b, uint64_t *n,
    uint64_t *t_last)
{
	struct bob_reader *in;
	struct bob_event ev;
	size_t i, k;
	int r;

	*n = 0;
	assert_status(ctx, BOB_OK, bob_open_memory(ctx, b->p, b->n, "x", NULL,
	    &in));
	while ((r = bob_next(in, &ev)) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++) {
			const struct bob_run *run = &ev.runs[i];
			uint64_t t = run->t_first;

			for (k = 0; k + 1 < run->count; k++)
				t += run->dt[k];
			assert_true(t == run->t_last);
			*n += run->count;
			*t_last = t;
		}
	assert_status(ctx, BOB_EOF, r);
	bob_close(in);
}

static void
repeat_of_any_length_is_streamed(void **state)
{
	static const uint64_t delta[] = { 3, 130, 20000 };
	uint64_t n, t_last = 0;
	unsigned i;

	for (i = 0; i < 3; i++) {
		struct make m = new_file(200001, 1);
		struct buf b = { 0 };

		make_full(&m, MAKE_THREAD, 0, 1, "a");
		make_repeat(&m, MAKE_THREAD, 200000, delta[i], 1);
		make_file(&m, &b);
		read_sums(*state, &b, &n, &t_last);
		assert_int_equal(n, 200001);
		assert_int_equal(t_last, MAKE_START + 200000 * delta[i]);
		buf_free(&b);
		make_free(&m);
	}
}

static void
alternating_status_is_no_worse_than_linear(void **state)
{
	struct make m = new_file(300000, 1);
	struct buf b = { 0 };
	uint64_t n, t_last = 0;
	unsigned i;

	make_head(&m, MAKE_THREAD, 0);
	put_varint(&m.samples, 300000);
	for (i = 0; i < 300000; i++) {
		put_varint(&m.samples, 1);
		put_byte(&m.samples, i & 1);
	}
	make_file(&m, &b);
	read_sums(*state, &b, &n, &t_last);
	assert_int_equal(n, 300000);
	assert_int_equal(t_last, MAKE_START + 300000);
	buf_free(&b);
	make_free(&m);
}

/* A stack of `depth` frames; only n of them are there. */
static void
put_deep(struct make *m, uint64_t depth, uint64_t n)
{
	make_head(m, MAKE_THREAD, 1);
	put_varint(&m->samples, 1);
	put_byte(&m->samples, 0);
	put_varint(&m->samples, depth);
	for (; n > 0; n--)
		put_byte(&m->samples, n % 4);
}

static void
deep_stacks_are_read_to_the_limit_and_claims_fail_fast(void **state)
{
	struct make m = new_file(1, 1);
	struct buf b = { 0 };
	uint64_t n, t_last;

	put_deep(&m, 300000, 300000);
	make_file(&m, &b);
	read_sums(*state, &b, &n, &t_last);
	assert_int_equal(n, 1);
	buf_free(&b);
	make_free(&m);
	m = new_file(1, 1);
	put_deep(&m, UINT32_MAX, 4);
	assert_reads(*state, &m, " S" VERSION " !");
	m = new_file(1, 1);
	put_deep(&m, 100000, 4);
	fault_arm(0);
	assert_reads(*state, &m, " S" VERSION " !");
	assert_non_null(strstr(bob_ctx_error(*state)->text,
	    "more than the sample data holds"));
}

static void
samples_before_an_error_come_first(void **state)
{
	struct make m = new_file(2, 1);

	make_full(&m, MAKE_THREAD, 5, 1, "ab");
	make_full(&m, MAKE_THREAD, 5, 1, "z");
	assert_reads(*state, &m, " S" VERSION " ab=1@1005/1 !");
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_CORRUPT);
	assert_int_equal(bob_ctx_error(*state)->offset, 64 + 18);
	assert_string_equal(bob_ctx_error(*state)->text,
	    "tach: byte 82: frame 25 is used, but there are 4");
}

static int
read_once(void *user)
{
	struct buf *b = user;
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *in;
	struct bob_event ev;
	int r;

	if (ctx == NULL)
		return -1;
	r = bob_open_memory(ctx, b->p, b->n, "x", NULL, &in);
	if (r == BOB_OK) {
		while ((r = bob_next(in, &ev)) == BOB_OK)
			;
		bob_close(in);
	}
	if (r < 0)
		assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_NOMEM);
	bob_ctx_free(ctx);
	return r;
}

static void
memory_may_run_out_anywhere(void **state)
{
	struct make m = new_file(5, 1);
	struct buf b = { 0 };

	(void)state;
	put_all_kinds(&m);
	make_file(&m, &b);
	fault_each(read_once, &b);
	buf_free(&b);
	make_free(&m);
}

static void
samples_cost_no_memory(void **state)
{
	unsigned long cost[2];
	int round, i;

	for (round = 0; round < 2; round++) {
		struct make m = new_file(3001 << round, 1);
		struct buf b = { 0 };
		uint64_t n, t_last;

		make_full(&m, MAKE_THREAD, 1, 0, "ab");
		for (i = 0; i < 1000 << round; i++)
			make_change(&m, MAKE_THREAD, 3, 1, 0, 1,
			    i % 2 ? "c" : "d");
		make_repeat(&m, MAKE_THREAD, m.n_samples - 1 -
		    (1000u << round), 1, 0);
		make_file(&m, &b);
		fault_arm(0);
		read_sums(*state, &b, &n, &t_last);
		cost[round] = fault_count();
		buf_free(&b);
		make_free(&m);
	}
	assert_int_equal(cost[0], cost[1]);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_dialect_and_byte_order_reads_alike),
		TEST(mode_features_and_statistics_travel_as_metadata),
		TEST(dialect_that_could_be_two_is_asked_for),
		TEST(run_ends_where_status_or_clock_jump),
		TEST(threads_have_states_of_their_own),
		TEST(suffix_without_new_frames_keeps_the_outermost),
		TEST(what_is_not_wanted_is_left_out_and_joined),
		TEST(equal_samples_of_two_threads_stay_apart_where_it_matters),
		TEST(repeat_of_any_length_is_streamed),
		TEST(alternating_status_is_no_worse_than_linear),
		TEST(deep_stacks_are_read_to_the_limit_and_claims_fail_fast),
		TEST(samples_before_an_error_come_first),
		TEST(memory_may_run_out_anywhere),
		TEST(samples_cost_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
