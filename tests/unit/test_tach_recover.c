/*
 * Recovery of TACH: what is lost is counted, what is not is given, nothing is
 * made up.
 */
#include "tach_make.h"

#define MAX_LINE 16384
#define VERSION " M:python.version=3.16.2"

static const struct bob_read_opts recover = { .size = sizeof(recover),
	.flags = BOB_READ_RECOVER };

/* Whole and a byte at a time. Frees b. */
static void
assert_bytes_give(struct bob_ctx *ctx, struct buf *b, const char *want)
{
	struct chunks slow = trickle(b->p, b->n);
	struct bob_reader *in;
	char line[MAX_LINE];

	assert_status(ctx, BOB_OK, bob_open_memory(ctx, b->p, b->n, "whole",
	    &recover, &in));
	make_listing(in, line, sizeof(line));
	assert_string_equal(line, want);
	bob_close(in);
	assert_status(ctx, BOB_OK, bob_open_fn(ctx, chunks_read, &slow, "slow",
	    &recover, &in));
	make_listing(in, line, sizeof(line));
	assert_string_equal(line, want);
	bob_close(in);
	buf_free(b);
}

static void
assert_gives(struct bob_ctx *ctx, struct make *m, const char *want)
{
	struct buf b = { 0 };

	make_file(m, &b);
	make_free(m);
	assert_bytes_give(ctx, &b, want);
}

static void
stack_is_lost_until_a_whole_one_is_shown(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 14,
		.n_threads = 2 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_full(&m, 7, 1, 1, "ab");
	put_text(&m.samples, "four samples were here");
	make_repeat(&m, MAKE_THREAD, 2, 1, 1); /* lost: it may be none */
	make_change(&m, 7, 3, 1, 1, 1, "c");
	make_full(&m, 7, 1, 1, "cd");
	make_change(&m, MAKE_THREAD, 2, 1, 1, 1, "");
	make_repeat(&m, 7, 1, 1, 1);
	make_change(&m, MAKE_THREAD, 2, 1, 1, 0, "d"); /* shares nothing */
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	assert_gives(*state, &m, " S" VERSION " ab=1@1001/1 t7:ab=1@1001/1"
	    " t7:c<lost>=1@1002/1 t7:cd=1@1003/1 <lost>=1@1004/1"
	    " t7:cd=1@1004/1 d=2@1005,1/1 R2 G6/22 $");
}

/* The clock goes on in samples that are lost: what comes behind them is
 * another run, though all else is the same. */
static void
run_ends_where_samples_are_lost(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 6,
		.n_threads = 1 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	put_text(&m.samples, "damage");
	make_repeat(&m, MAKE_THREAD, 2, 1, 1); /* lost: it may be none */
	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	assert_gives(*state, &m, " S" VERSION " ab=2@1001,1/1"
	    " ab=2@1005,1/1 G2/6 $");
}

/* Known frames come and go on top of those that are not; how many these are
 * is known once somebody shares some of them. */
static void
inner_frames_are_kept_while_outer_ones_are_lost(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 11,
		.n_threads = 1 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	put_text(&m.samples, "damage");
	make_change(&m, MAKE_THREAD, 3, 1, 1, 1, "c");
	make_change(&m, MAKE_THREAD, 3, 1, 1, 1, "da"); /* all of the known */
	make_change(&m, MAKE_THREAD, 3, 1, 1, 1, "");   /* some of them */
	make_change(&m, MAKE_THREAD, 3, 1, 1, 5, "b");  /* and beyond */
	make_change(&m, MAKE_THREAD, 2, 1, 1, 3, "c");  /* 3 are lost */
	make_change(&m, MAKE_THREAD, 2, 1, 1, 4, "d");
	make_change(&m, MAKE_THREAD, 3, 1, 1, 4, "a");  /* 1 is */
	make_change(&m, MAKE_THREAD, 3, 1, 1, 2, "b");  /* none */
	make_change(&m, MAKE_THREAD, 2, 1, 1, 1, "c");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	assert_gives(*state, &m, " S" VERSION " ab=1@1001/1 c<lost>=1@1002/1"
	    " da<lost>=1@1003/1 a<lost>=1@1004/1 b<lost>=1@1005/1"
	    " c<lost>=1@1006/1 dc<lost>=1@1007/1 a<lost>=1@1008/1"
	    " b=1@1009/1 cb=2@1010,1/1 R7 G0/6 $");
}

static void
sharing_more_than_there_is_is_damage_behind_a_gap_too(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 5,
		.n_threads = 1 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	put_text(&m.samples, "damage");
	make_change(&m, MAKE_THREAD, 2, 1, 1, 3, "c");
	make_change(&m, MAKE_THREAD, 2, 1, 1, 5, "d"); /* of 4 */
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	make_full(&m, MAKE_THREAD, 1, 1, "d");
	assert_gives(*state, &m, " S" VERSION " ab=1@1001/1 c<lost>=1@1002/1"
	    " R1 G0+/6 d=1@1004/1 G2/18 $");
}

static void
cost_of_a_gap_is_at_least_what_was_seen(void **state)
{
	/* The header counts less than there is: it cannot be trusted. */
	struct make m = { .dialect = MAKE_1B, .n_samples = 2,
		.n_threads = 1 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	put_text(&m.samples, "damage");
	make_repeat(&m, MAKE_THREAD, 2, 1, 1);
	make_full(&m, MAKE_THREAD, 1, 1, "cd");
	assert_gives(*state, &m, " S" VERSION " ab=1@1001/1 cd=1@1004/1"
	    " G2+/6 $");
}

static void
holes_are_no_records(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 3,
		.n_threads = 1 };
	unsigned i;

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	for (i = 0; i < 1000; i++)
		put_byte(&m.samples, 0);
	make_full(&m, MAKE_THREAD, 1, 1, "cd");
	make_full(&m, MAKE_THREAD, 1, 1, "d");
	assert_gives(*state, &m, " S" VERSION " ab=1@1001/1 cd=1@1002/1"
	    " d=1@1003/1 G0/1000 $");
}

/* Thread 0 in a hole: each 14 bytes of it are a REPEAT of nothing. */
static void
holes_are_no_records_of_thread_0_either(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 2,
		.n_threads = 1 };
	unsigned i;

	make_full(&m, 0, 1, 1, "ab");
	put_text(&m.samples, "damage");
	for (i = 0; i < 1000; i++)
		put_byte(&m.samples, 0);
	put_byte(&m.samples, 0x7f);
	make_full(&m, 0, 1, 1, "cd");
	assert_gives(*state, &m, " S" VERSION " t0:ab=1@1001/1"
	    " t0:cd=1@1002/1 G0/1007 $");
}

static void
thread_that_is_new_behind_a_gap_has_lost_its_stack_too(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 5,
		.n_threads = 2 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	put_text(&m.samples, "some damage");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	make_repeat(&m, 7, 2, 1, 1);
	make_full(&m, 7, 1, 1, "c");
	assert_gives(*state, &m, " S" VERSION " ab=1@1001/1"
	    " t7:<lost>=2@1001,1/1 t7:c=1@1003/1 R2 G1/11 $");
}

/* One zstd frame with the bytes as they are. */
static void
put_zstd(struct buf *b, const struct buf *content, int is_damaged)
{
	unsigned block = (unsigned)content->n << 3 | 1 | (is_damaged ? 6 : 0);

	put_bytes(b, "\x28\xb5\x2f\xfd\x20", 5);
	put_byte(b, (unsigned)content->n);
	put_byte(b, block & 0xff);
	put_byte(b, block >> 8 & 0xff);
	put_byte(b, block >> 16);
	put_bytes(b, content->p, content->n);
}

static void
frame_behind_a_damaged_one_is_read(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 6,
		.n_threads = 1, .compression = 1 };
	struct buf packed = { 0 };
	int i;

	for (i = 0; i < 3; i++) {
		make_full(&m, MAKE_THREAD, 1, 1, i == 1 ? "b" : "a");
		make_repeat(&m, MAKE_THREAD, 1, 1, 1);
		put_zstd(&packed, &m.samples, i == 1);
		buf_free(&m.samples);
		m.samples = (struct buf){ 0 };
	}
	m.samples = packed;
	assert_gives(*state, &m, " S" VERSION " a=4@1001,1,1,1/1 G2/36 $");
}

static void
raw_samples_that_claim_to_be_packed_are_read(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 3,
		.n_threads = 1, .compression = 1 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_repeat(&m, MAKE_THREAD, 2, 1, 1);
	assert_gives(*state, &m, " S" VERSION " ab=3@1001,1,1/1 $");
}

static void
rest_of_a_damaged_repeat_is_lost(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 11,
		.n_threads = 1 };
	unsigned i;

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_head(&m, MAKE_THREAD, 0);
	put_varint(&m.samples, 8);
	put_bytes(&m.samples, "\1\1\1\1", 4);
	for (i = 0; i < 12; i++)
		put_byte(&m.samples, 0x80);
	make_full(&m, MAKE_THREAD, 1, 1, "c");
	make_full(&m, MAKE_THREAD, 1, 1, "d");
	assert_gives(*state, &m, " S" VERSION " ab=3@1001,1,1/1 c=1@1004/1"
	    " d=1@1005/1 G6/12 $");
}

static void
offset_that_is_none_costs_only_names(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 2,
		.n_threads = 1 };
	struct buf b = { 0 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_repeat(&m, MAKE_THREAD, 1, 1, 1);
	make_file(&m, &b);
	make_free(&m);
	b.p[40] = 63;
	assert_bytes_give(*state, &b, " S" VERSION " G0/8"
	    " frame 0frame 1=2@1001,1/1 G0/13 $");
}

static void
bytes_behind_the_footer_are_passed_over(void **state)
{
	struct make m = { .dialect = MAKE_1B, .n_samples = 1,
		.n_threads = 1 };
	struct buf b = { 0 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_file(&m, &b);
	put_text(&b, "and more");
	make_free(&m);
	assert_bytes_give(*state, &b, " S" VERSION " G0/8 ab=1@1001/1 $");
}

/* What a killed writer leaves. */
static void
make_killed(struct make *m, struct buf *b)
{
	uint8_t header[64] = { 0 };

	put_bytes(b, header, sizeof(header));
	put_bytes(b, m->samples.p, m->samples.n);
	make_free(m);
}

static void
killed_writer_leaves_shapes(void **state)
{
	struct make m = { .is_big = 1 };
	struct buf b = { 0 };

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_repeat(&m, MAKE_THREAD, 2, 1, 1);
	make_change(&m, MAKE_THREAD, 2, 1, 1, 1, "c");
	put_byte(&m.samples, 0);
	make_killed(&m, &b);
	assert_bytes_give(*state, &b, " S G0/64 frame 0frame 1=3@1,1,1/1"
	    " frame 2frame 1=1@4/1 G0+/1 $");
}

static void
strict_reading_says_that_it_was_never_finished(void **state)
{
	struct make m = { 0 };
	struct bob_reader *in;
	struct buf b = { 0 };
	struct bob_event ev;

	make_full(&m, MAKE_THREAD, 1, 1, "ab");
	make_killed(&m, &b);
	assert_status(*state, BOB_OK, bob_open_memory(*state, b.p, b.n, "x",
	    NULL, &in));
	assert_int_equal(bob_next(in, &ev), BOB_FATAL);
	assert_non_null(strstr(bob_ctx_error(*state)->text,
	    "never finished"));
	bob_close(in);
	buf_free(&b);
}

static void
count_samples(struct bob_ctx *ctx, const struct buf *b, size_t n,
    uint64_t *samples, uint64_t *lost)
{
	struct bob_reader *in;
	struct bob_event ev;
	size_t i;
	int r;

	*samples = *lost = 0;
	assert_status(ctx, BOB_OK, bob_open_memory(ctx, b->p, n, "x.tach",
	    &recover, &in));
	while ((r = bob_next(in, &ev)) == BOB_OK) {
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			*samples += ev.runs[i].count;
		if (ev.kind == BOB_EVENT_MARK &&
		    ev.mark->kind == BOB_MARK_GAP)
			*lost += ev.mark->gap->lost;
	}
	assert_true(r == BOB_EOF || n < 64);
	bob_close(in);
}

static void
file_cut_anywhere_gives_every_whole_record(void **state)
{
	static const enum make_dialect dialect[] = { MAKE_V2, MAKE_1A,
		MAKE_1B };
	unsigned d;

	for (d = 0; d < COUNT_OF(dialect); d++) {
		struct make m = { .dialect = dialect[d], .n_samples = 4,
			.n_threads = 1 };
		size_t end[4], n, i;
		struct buf b = { 0 };
		uint64_t samples, lost, whole;

		for (i = 0; i < 4; i++) {
			make_full(&m, MAKE_THREAD, 1, 1, i % 2 ? "ab" : "c");
			end[i] = 64 + m.samples.n;
		}
		make_file(&m, &b);
		for (n = 64; n <= b.n; n++) {
			for (whole = 0; whole < 4 && end[whole] <= n; whole++)
				;
			count_samples(*state, &b, n, &samples, &lost);
			assert_int_equal(samples, whole);
			assert_int_equal(lost, 4 - whole);
		}
		buf_free(&b);
		make_free(&m);
	}
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)
	const struct CMUnitTest tests[] = {
		TEST(stack_is_lost_until_a_whole_one_is_shown),
		TEST(run_ends_where_samples_are_lost),
		TEST(inner_frames_are_kept_while_outer_ones_are_lost),
		TEST(sharing_more_than_there_is_is_damage_behind_a_gap_too),
		TEST(cost_of_a_gap_is_at_least_what_was_seen),
		TEST(holes_are_no_records),
		TEST(holes_are_no_records_of_thread_0_either),
		TEST(thread_that_is_new_behind_a_gap_has_lost_its_stack_too),
		TEST(frame_behind_a_damaged_one_is_read),
		TEST(raw_samples_that_claim_to_be_packed_are_read),
		TEST(rest_of_a_damaged_repeat_is_lost),
		TEST(offset_that_is_none_costs_only_names),
		TEST(bytes_behind_the_footer_are_passed_over),
		TEST(killed_writer_leaves_shapes),
		TEST(strict_reading_says_that_it_was_never_finished),
		TEST(file_cut_anywhere_gives_every_whole_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
