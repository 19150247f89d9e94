/* Samples into TACH records: which kind, held back for how long, and what the
 * model's tracks, times and frames become. */
#include "tach_rig.h"

#define U(n) ((uint64_t)(n))

enum { REPEAT, FULL, SUFFIX, POP_PUSH };

static void
whole_file_is_as_described(void **state)
{
	static const uint8_t tables[] = {
		4, 'a', '.', 'p', 'y', 1, 'f', /* strings */
		0, 1, 4, 0, 1, 0, 255, /* line 2 is innermost, so first */
		0, 1, 2, 0, 1, 0, 255,
	};
	struct tach_rig *g = *state;
	size_t end;

	tach_start(g);
	tach_meta(g, "python.version", "3.15.2");
	tach_sample(g, 7, tach_stack(g, 2));
	tach_finish(g);
	want_record(g, 7, FULL, U(1), U(1), U(2), U(0), U(1), NUMBERS_END);
	assert_records(g);
	end = 64 + g->want.n;
	assert_int_equal(tach_at(&g->got, 0, 4), 0x54414348);
	assert_int_equal(tach_at(&g->got, 4, 4), 1);
	assert_memory_equal(g->got.p + 8, "\3\17\2\0", 4);
	assert_int_equal(tach_at(&g->got, 12, 8), TACH_START);
	assert_int_equal(tach_at(&g->got, 20, 8), TACH_INTERVAL);
	assert_int_equal(tach_at(&g->got, 28, 8), 1);
	assert_int_equal(tach_at(&g->got, 36, 4), 1);
	assert_int_equal(tach_at(&g->got, 48, 8), end + 7);
	assert_int_equal(tach_at(&g->got, 56, 8), 0);
	assert_memory_equal(g->got.p + end, tables, sizeof(tables));
	end += sizeof(tables);
	assert_int_equal(g->got.n, end + 32);
	assert_int_equal(tach_at(&g->got, end, 4), 2);
	assert_int_equal(tach_at(&g->got, end + 4, 4), 2);
	assert_int_equal(tach_at(&g->got, end + 8, 8), g->got.n);
	assert_int_equal(tach_at(&g->got, end + 16, 8), 0);
	assert_int_equal(tach_at(&g->got, end + 24, 8), 0);
}

static void
kind_depends_on_what_is_in_common(void **state)
{
	struct tach_rig *g = *state;
	bob_stack five, other;

	tach_start(g);
	five = tach_stack(g, 5);
	/* Nothing before: all of it. */
	tach_sample(g, 7, five);
	want_record(g, 7, FULL, U(1), U(1), U(5), U(0), U(1), U(2), U(3),
	    U(4), NUMBERS_END);
	/* Frames were only added. */
	tach_sample(g, 7, tach_stack(g, 7));
	want_record(g, 7, SUFFIX, U(1), U(1), U(5), U(2), U(5), U(6),
	    NUMBERS_END);
	/* ... or only taken away. */
	tach_sample(g, 7, five);
	want_record(g, 7, POP_PUSH, U(1), U(1), U(2), U(0), NUMBERS_END);
	/* Half is in common (2 of 5, as integers go). */
	other = tach_push(g, tach_push(g, tach_push(g, tach_stack(g, 2), 20),
	    21), 22);
	tach_sample(g, 7, other);
	want_record(g, 7, POP_PUSH, U(1), U(1), U(3), U(3), U(7), U(8), U(9),
	    NUMBERS_END);
	/* Less than half is. */
	tach_sample(g, 7, tach_push(g, other, 23));
	want_record(g, 7, SUFFIX, U(1), U(1), U(5), U(1), U(10), NUMBERS_END);
	tach_sample(g, 7, tach_stack(g, 6));
	want_record(g, 7, FULL, U(1), U(1), U(6), U(6), U(0), U(1), U(2),
	    U(3), U(4), NUMBERS_END);
	/* Nothing is. */
	tach_sample(g, 7, tach_push(g, 0, 30));
	want_record(g, 7, FULL, U(1), U(1), U(1), U(11), NUMBERS_END);
	tach_sample(g, 7, 0);
	want_record(g, 7, FULL, U(1), U(1), U(0), NUMBERS_END);
	tach_finish(g);
	assert_records(g);
}

static void
repeats_wait_for_a_change_or_the_end(void **state)
{
	struct tach_rig *g = *state;
	bob_stack a, b;
	int i;

	tach_start(g);
	a = tach_stack(g, 1);
	b = tach_push(g, 0, 2);
	for (i = 0; i < 3; i++) {
		tach_sample(g, 8, a);
		tach_sample(g, 7, a);
	}
	tach_sample(g, 7, b);
	tach_sample(g, 7, b);
	want_record(g, 8, FULL, U(1), U(1), U(1), U(0), NUMBERS_END);
	want_record(g, 7, FULL, U(2), U(1), U(1), U(0), NUMBERS_END);
	want_record(g, 7, REPEAT, U(2), U(2), U(1), U(2), U(1), NUMBERS_END);
	want_record(g, 7, FULL, U(1), U(1), U(1), U(1), NUMBERS_END);
	/* At the end in the order of first appearance. */
	want_record(g, 8, REPEAT, U(2), U(2), U(1), U(2), U(1), NUMBERS_END);
	want_record(g, 7, REPEAT, U(1), U(1), U(1), NUMBERS_END);
	tach_finish(g);
	assert_records(g);
	assert_int_equal(tach_at(&g->got, 28, 8), 8);
	assert_int_equal(tach_at(&g->got, 36, 4), 2);
}

static void
empty_first_stack_is_a_repeat(void **state)
{
	struct tach_rig *g = *state;

	tach_start(g);
	tach_sample(g, 7, 0);
	tach_finish(g);
	want_record(g, 7, REPEAT, U(1), U(1), U(1), NUMBERS_END);
	assert_records(g);
}

static void
repeats_are_8187_at_most(void **state)
{
	struct tach_rig *g = *state;
	bob_stack a;
	int i;

	tach_start(g);
	a = tach_stack(g, 1);
	for (i = 0; i < 1 + 8187 + 2; i++)
		tach_sample(g, 7, a);
	tach_finish(g);
	want_record(g, 7, FULL, U(1), U(1), U(1), U(0), NUMBERS_END);
	want_record(g, 7, REPEAT, U(8187), NUMBERS_END);
	for (i = 0; i < 8187; i++)
		put_bytes(&g->want, "\1\1", 2);
	want_record(g, 7, REPEAT, U(2), U(1), U(1), U(1), U(1), NUMBERS_END);
	assert_records(g);
}

/* The last pair may be a long one: what counts is the room for another. */
static void
long_deltas_fill_the_room_for_repeats(void **state)
{
	struct bob_run run = { .count = 1,
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };
	struct tach_rig *g = *state;
	uint64_t n = 0, v;
	size_t at;
	int i;

	tach_start(g);
	run.stack = 0;
	/* Back and forth: 10-byte deltas every other time. */
	for (i = 0; i < 4000; i++) {
		run.t_first = run.t_last = TACH_START - U(i % 2);
		tach_runs(g, &run);
	}
	tach_finish(g);
	/* 13 bytes per two samples: room for the next ends above 16373. */
	at = 64 + 13;
	v = g->got.p[at] & 0x7f;
	v |= U(g->got.p[at + 1]) << 7;
	for (i = 0; n + 11 <= 16384; i++)
		n += i == 0 || i % 2 == 0 ? 2 : 11;
	assert_int_equal(v, i);
}

/* The records of two runs, each written at once or sample by sample. */
static void
write_runs(struct tach_rig *g, struct bob_run run, uint64_t period, int apart)
{
	uint64_t count = run.count, n = apart ? 1 : count, i, k;

	g->got.n = 0;
	run.count = n;
	tach_start(g);
	tach_segment(g, period, TACH_START);
	for (k = 0; k < 2; k++) {
		run.stack = tach_stack(g, 1 + (int)k);
		for (i = 0; i < count; i += n)
			tach_runs(g, &run);
	}
	tach_finish(g);
}

/* However many fit into a record, and however long a delta is. */
static void
equal_samples_are_those_of_single_runs(void **state)
{
	static const uint64_t counts[] = { 1, 2, 3, 4096, 4097, 5457, 5458,
		5459, 8186, 8187, 8188, 8189, 8190, 20000 };
	static const uint64_t periods[] = { 0, 1, 128, 20000, U(1) << 31 };
	struct tach_rig *g = *state;
	size_t i, k;

	for (i = 0; i < COUNT_OF(counts) * COUNT_OF(periods); i++) {
		struct bob_run run = { .count = counts[i % COUNT_OF(counts)],
			.t_first = TACH_START + 300,
			.t_last = TACH_START + 300 };

		for (k = 0; k < 2; k++) {
			struct buf once;

			run.flags = k == 0 ? 0 : BOB_RUN_TIMED;
			write_runs(g, run, periods[i / COUNT_OF(counts)], 0);
			once = g->got;
			g->got = (struct buf){ 0 };
			write_runs(g, run, periods[i / COUNT_OF(counts)], 1);
			assert_int_equal(once.n, g->got.n);
			assert_memory_equal(once.p, g->got.p, once.n);
			buf_free(&once);
		}
	}
}

/* Three bytes each, of which two are certain whatever the delta is. */
static void
equal_samples_above_the_limit_are_not_begun(void **state)
{
	struct bob_limits l = { .size = sizeof(l), .max_output = 2500000 };
	struct bob_run run = { .count = 1000000 };
	struct tach_rig *g = *state;

	bob_ctx_set_limits(g->ctx, &l);
	tach_start(g);
	tach_segment(g, 1000, TACH_START);
	assert_status(g->ctx, BOB_FATAL, bob_write_runs(g->w, &run, 1));
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_BUDGET);
	assert_int_equal(g->got.n, 0);
}

static void
first_stack_of_a_new_thread_is_full(void **state)
{
	struct tach_rig *g = *state;

	tach_start(g);
	tach_sample(g, 7, tach_stack(g, 2));
	tach_sample(g, 8, tach_stack(g, 3));
	want_record(g, 7, FULL, U(1), U(1), U(2), U(0), U(1), NUMBERS_END);
	want_record(g, 8, FULL, U(2), U(1), U(3), U(2), U(0), U(1),
	    NUMBERS_END);
	tach_finish(g);
	assert_records(g);
}

static bob_stack
php(struct tach_rig *g, bob_stack parent, const char *opname)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP, .where = 3,
		.flags = BOB_FRAME_OPNAME };

	assert_int_equal(bob_frame_set_php_name(g->d, &f, "A\\B::c", 6), 0);
	f.file = bob_str_put(g->d, "b.php", 5);
	f.opname = bob_str_put(g->d, opname, strlen(opname));
	return bob_stack_push(g->d, parent, bob_frame_put(g->d, &f));
}

static void
frames_that_look_alike_are_one(void **state)
{
	static const uint8_t tables[] = { 5, 'b', '.', 'p', 'h', 'p', 6, 'A',
		'\\', 'B', ':', ':', 'c', 0, 1, 6, 0, 1, 0, 255 };
	struct tach_rig *g = *state;

	tach_start(g);
	tach_sample(g, 7, php(g, php(g, 0, "X"), "X"));
	tach_sample(g, 7, php(g, php(g, 0, "Y"), "X"));
	tach_sample(g, 7, php(g, php(g, php(g, 0, "Y"), "Y"), "Y"));
	tach_finish(g);
	want_record(g, 7, FULL, U(1), U(1), U(2), U(0), U(0), NUMBERS_END);
	want_record(g, 7, REPEAT, U(1), U(1), U(1), NUMBERS_END);
	want_record(g, 7, SUFFIX, U(1), U(1), U(2), U(1), U(0), NUMBERS_END);
	assert_records(g);
	assert_memory_equal(g->got.p + 64 + g->want.n, tables,
	    sizeof(tables));
}

static bob_stack
frame(struct tach_rig *g, struct bob_frame f)
{
	f.name = bob_str_put(g->d, "f", 1);
	f.file = bob_str_put(g->d, "a.py", 4);
	return bob_stack_push(g->d, 0, bob_frame_put(g->d, &f));
}

static void
frames_have_what_is_known(void **state)
{
	static const uint8_t frames[] = {
		0, 1, 20, 4, 10, 13, 9,      /* 10 to 12, 5 to -2; opcode 9 */
		0, 1, 1, 0, 1, 0, 255,       /* no line */
		0, 1, 1, 0, 1, 0, 0,         /* no line, but an opcode */
		0, 1, 20, 0, 1, 0, 255,      /* only a line */
		0, 1, 20, 0, 1, 0, 255,      /* -1 ends are no difference */
		0, 1, 0xfe, 0xff, 0xff, 0xff, 0xf, 0, 1, 0, 255,
	};
	struct tach_rig *g = *state;
	size_t at;

	tach_start(g);
	tach_sample(g, 7, frame(g, (struct bob_frame){ .where = 10,
	    .end_line = 12, .col = 5, .end_col = -2, .opcode = 9,
	    .flags = BOB_FRAME_COLUMNS | BOB_FRAME_OPCODE }));
	tach_sample(g, 7, frame(g, (struct bob_frame){ .where = 10,
	    .flags = BOB_FRAME_NO_LINE | BOB_FRAME_COLUMNS }));
	tach_sample(g, 7, frame(g, (struct bob_frame){ .where = 64,
	    .lang = BOB_LANG_NATIVE, .flags = BOB_FRAME_OPCODE }));
	tach_sample(g, 7, frame(g, (struct bob_frame){ .where = 10 }));
	tach_sample(g, 7, frame(g, (struct bob_frame){ .where = 10,
	    .end_line = -1, .col = -1, .end_col = 4, .opcode = 255,
	    .flags = BOB_FRAME_COLUMNS | BOB_FRAME_OPCODE }));
	tach_sample(g, 7, frame(g, (struct bob_frame){ .where = INT64_MAX }));
	tach_finish(g);
	at = tach_at(&g->got, 48, 8);
	assert_int_equal(g->got.n - 32 - at, sizeof(frames));
	assert_memory_equal(g->got.p + at, frames, sizeof(frames));
}

static void
deep_stacks_are_cut_as_cpython_does(void **state)
{
	struct tach_rig *g = *state;
	bob_stack deep, deeper;
	uint64_t i;

	tach_start(g);
	deep = tach_stack(g, 300);
	deeper = tach_push(g, deep, 301);
	tach_sample(g, 7, deep);
	want_record(g, 7, FULL, U(1), U(1), U(256), NUMBERS_END);
	for (i = 0; i < 256; i++)
		put_varint(&g->want, i);
	tach_sample(g, 7, deep);
	want_record(g, 7, REPEAT, U(1), U(1), U(1), NUMBERS_END);
	/* The outermost that is left is another frame now. */
	tach_sample(g, 7, deeper);
	want_record(g, 7, FULL, U(1), U(1), U(256), U(256), NUMBERS_END);
	for (i = 0; i < 255; i++)
		put_varint(&g->want, i);
	tach_sample(g, 7, tach_stack(g, 1));
	want_record(g, 7, FULL, U(1), U(1), U(1), U(257), NUMBERS_END);
	tach_finish(g);
	assert_records(g);
	assert_int_equal(g->diags.n_warnings, 1);
	assert_non_null(strstr(g->diags.last.text, "3 samples of 2 stacks"));
}

/* Recursion looks the same at every depth, once it is cut. */
static void
cut_stacks_repeat_when_what_is_left_is_equal(void **state)
{
	struct tach_rig *g = *state;
	bob_stack s = 0;
	int i;

	tach_start(g);
	for (i = 0; i < 256; i++)
		s = tach_push(g, s, 1);
	tach_sample(g, 7, s);
	for (i = 0; i < 3; i++) {
		s = tach_push(g, s, 1);
		tach_sample(g, 7, s);
	}
	tach_sample(g, 7, tach_push(g, s, 2));
	tach_finish(g);
	want_record(g, 7, FULL, U(1), U(1), U(256), NUMBERS_END);
	for (i = 0; i < 256; i++)
		put_varint(&g->want, 0);
	want_record(g, 7, REPEAT, U(3), U(1), U(1), U(1), U(1), U(1), U(1),
	    NUMBERS_END);
	/* 255 are in common: one goes, one comes. */
	want_record(g, 7, POP_PUSH, U(1), U(1), U(1), U(1), U(1),
	    NUMBERS_END);
	assert_records(g);
}

static void
deep_keeps_all_frames(void **state)
{
	static const char *const options[] = { "compression", "none", "deep",
		NULL, NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);
	bob_stack deep;

	tach_create(g, &to, "tach", options);
	tach_segment(g, TACH_INTERVAL, TACH_START);
	deep = tach_stack(g, 300);
	tach_sample(g, 7, deep);
	tach_sample(g, 7, tach_push(g, deep, 301));
	tach_finish(g);
	assert_int_equal(g->got.p[64 + 12], FULL);
	assert_memory_equal(g->got.p + 64 + 13, "\1\1\254\2", 4);
	assert_int_equal(g->diags.n_warnings, 0);
	assert_int_equal(g->diags.n_notes, 1);
	assert_non_null(strstr(g->diags.last.text, "CPython cannot read"));
}

static void
tracks_become_threads(void **state)
{
	struct bob_track tracks[] = {
		{ .pid = 5, .tid = 7, .interp = 3,
		    .flags = BOB_TRACK_PID | BOB_TRACK_TID | BOB_TRACK_INTERP },
		{ .tid = 7, .interp = 3,
		    .flags = BOB_TRACK_TID | BOB_TRACK_INTERP },
		{ .pid = 7, .interp = 3,
		    .flags = BOB_TRACK_PID | BOB_TRACK_INTERP },
	};
	struct tach_rig *g = *state;
	struct bob_run run = { .count = 1, .t_first = TACH_START,
		.t_last = TACH_START, .flags = BOB_RUN_TIMED };
	size_t i;

	tach_start(g);
	for (i = 0; i < COUNT_OF(tracks); i++) {
		run.track = bob_track_put(g->d, &tracks[i]);
		tach_runs(g, &run);
	}
	run.track = 0;
	tach_runs(g, &run);
	tach_finish(g);
	/* All with tid 7, one without anything; status unknown is 4. */
	want_record(g, 7, REPEAT, U(3), U(0), U(4), U(0), U(4), U(0), U(4),
	    NUMBERS_END);
	put_bytes(&g->want, "\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\4", 16);
	assert_records(g);
	assert_int_equal(tach_at(&g->got, 36, 4), 2);
}

static void
samples_without_times_are_a_period_apart(void **state)
{
	struct tach_rig *g = *state;
	struct bob_run run = { .count = 3 };

	tach_start(g);
	tach_segment(g, 50, 0);
	tach_runs(g, &run);
	tach_finish(g);
	put_bytes(&g->want, "\0\0\0\0\0\0\0\0\0\0\0\0\0", 13);
	put_bytes(&g->want, "\3\62\4\62\4\62\4", 7);
	assert_records(g);
	/* Two periods, one field. */
	assert_int_equal(g->diags.n_warnings, 1);
	assert_int_equal(tach_at(&g->got, 20, 8), TACH_INTERVAL);
}

static void
times_in_a_run_are_kept(void **state)
{
	static const uint32_t dt[] = { 5, 300 };
	struct tach_rig *g = *state;
	struct bob_run run = { .count = 3, .t_first = TACH_START + 9,
		.t_last = TACH_START + 314, .dt = dt,
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };

	tach_start(g);
	tach_runs(g, &run);
	/* All at once, and before the last one: modulo 2^64. */
	run.dt = NULL;
	run.count = 2;
	run.t_first = run.t_last = TACH_START;
	tach_runs(g, &run);
	tach_finish(g);
	put_bytes(&g->want, "\0\0\0\0\0\0\0\0\0\0\0\0\0", 13);
	put_bytes(&g->want, "\5\11\0\5\0\254\2\0", 8);
	put_bytes(&g->want, "\306\375\377\377\377\377\377\377\377\1\0\0\0", 13);
	assert_records(g);
}

static void
start_is_the_first_sample_when_nobody_knows(void **state)
{
	static const char *const raw[] = { "compression", "none", NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);

	tach_create(g, &to, "tach", raw);
	tach_segment(g, TACH_INTERVAL, 0);
	g->t = 5000;
	tach_sample(g, 7, 0);
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 12, 8), 5001);
	want_record(g, 7, REPEAT, U(1), U(0), U(1), NUMBERS_END);
	assert_records(g);
}

static void
start_may_come_as_metadata(void **state)
{
	static const char *const raw[] = { "compression", "none", NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);

	tach_create(g, &to, "tach", raw);
	tach_segment(g, TACH_INTERVAL, 0);
	tach_meta(g, "profiler.t_begin_us", "18446744073709551615");
	g->t = 5000;
	tach_sample(g, 7, 0);
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 12, 8), UINT64_MAX);
	want_record(g, 7, REPEAT, U(1), U(5002), U(1), NUMBERS_END);
	assert_records(g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TACH_TEST(whole_file_is_as_described),
		TACH_TEST(kind_depends_on_what_is_in_common),
		TACH_TEST(repeats_wait_for_a_change_or_the_end),
		TACH_TEST(empty_first_stack_is_a_repeat),
		TACH_TEST(repeats_are_8187_at_most),
		TACH_TEST(long_deltas_fill_the_room_for_repeats),
		TACH_TEST(equal_samples_are_those_of_single_runs),
		TACH_TEST(equal_samples_above_the_limit_are_not_begun),
		TACH_TEST(first_stack_of_a_new_thread_is_full),
		TACH_TEST(frames_that_look_alike_are_one),
		TACH_TEST(frames_have_what_is_known),
		TACH_TEST(deep_stacks_are_cut_as_cpython_does),
		TACH_TEST(cut_stacks_repeat_when_what_is_left_is_equal),
		TACH_TEST(deep_keeps_all_frames),
		TACH_TEST(tracks_become_threads),
		TACH_TEST(samples_without_times_are_a_period_apart),
		TACH_TEST(times_in_a_run_are_kept),
		TACH_TEST(start_is_the_first_sample_when_nobody_knows),
		TACH_TEST(start_may_come_as_metadata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
