/* The .rbt writer, event by event: what it writes is put together again by
 * hand. */
#include "rig.h"

static void
empty_trace_is_a_header_and_an_end(void **state)
{
	struct rig *g = *state;

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	want_end(g, 0, 0, 0);
	finish_and_compare(g);
	assert_int_equal(g->got.n, 23);
}

static void
run_is_a_sample_and_a_repeat_from_three_on(void **state)
{
	struct rig *g = *state;
	bob_stack a, b;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	b = push(g, 0, "work");
	put_header(&g->want, 100, 0);
	write_segment(g, 100, 0);
	write_run(g, a, 1);
	want_first(g, "main");
	put_compact(&g->want, 0);
	write_run(g, b, 2);
	want_second(g, "work");
	put_compact(&g->want, 1);
	put_compact(&g->want, 1);
	write_run(g, a, 3);
	put_compact(&g->want, 0);
	put_repeat(&g->want, 2);
	write_run(g, b, 500);
	put_compact(&g->want, 1);
	put_repeat(&g->want, 499);
	want_end(g, 2, 2, 506);
	finish_and_compare(g);
}

static void
equal_runs_in_a_row_are_one(void **state)
{
	struct rig *g = *state;
	bob_stack a;
	int i;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	for (i = 0; i < 300; i++)
		write_run(g, a, 2);
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, 599);
	want_end(g, 1, 1, 600);
	finish_and_compare(g);
}

static void
run_of_two_is_written_the_shorter_way(void **state)
{
	struct rig *g = *state;
	bob_stack stack = 0;
	char name[16];
	size_t n;
	int i;

	start(g, NULL, NULL);
	for (i = 0; i < 129; i++) {
		(void)snprintf(name, sizeof(name), "f%d", i);
		stack = push(g, 0, name);
		write_run(g, stack, 1);
	}
	assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	n = g->got.n;
	write_run(g, push(g, 0, "f0"), 1);
	write_run(g, stack, 2);
	finish(g);
	/* 08 00, 08 80 01, 09 01, checkpoint, end */
	assert_memory_equal(g->got.p + n, "\x08\x00\x08\x80\x01\x09\x01", 7);
}

static void
annotations_are_part_of_a_run(void **state)
{
	struct rig *g = *state;
	struct bob_run run = { .count = 1 };

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	run.stack = push(g, 0, "main");
	run.annot = annotate(g, "q", "1");
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	want_first(g, "main");
	put_string(&g->want, 3, "q");
	put_string(&g->want, 4, "1");
	put_compact(&g->want, 0);
	put_annotation(&g->want, 3, 4);
	put_repeat(&g->want, 1);
	run.annot = annotate(g, "q", "");
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	put_compact(&g->want, 0);
	put_annotation(&g->want, 3, 0);
	run.annot = bob_annot_put(g->d, NULL, 0);
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	put_compact(&g->want, 0);
	put_bytes(&g->want, "\x0b\x01\x00", 3);
	run.annot = 0;
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	put_compact(&g->want, 0);
	want_end(g, 1, 1, 5);
	finish_and_compare(g);
}

static void
pids_keep_their_place_and_repeat(void **state)
{
	struct rig *g = *state;
	struct bob_track t = { .pid = 300, .flags = BOB_TRACK_PID };
	struct bob_run run = { .count = 2 };
	bob_stack a;

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	a = run.stack = push(g, 0, "main");
	write_run(g, a, 3);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, 2);
	run.track = bob_track_put(g->d, &t);
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	put_pid_sample(&g->want, 0, 300);
	put_repeat(&g->want, 1);
	write_run(g, a, 1);
	put_compact(&g->want, 0);
	want_end(g, 1, 1, 6);
	finish_and_compare(g);
}

static void
times_are_deltas_and_may_go_back(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, NULL, NULL);
	put_header(&g->want, 50, 1);
	write_segment(g, 50, BOB_SEGMENT_TIMED);
	a = push(g, 0, "main");
	want_first(g, "main");
	write_at(g, a, 1, 1000);
	put_sample(&g->want, 0, 1000);
	write_at(g, a, 1, 1500);
	put_sample(&g->want, 0, 500);
	write_at(g, a, 1, 1400);
	put_sample(&g->want, 0, (uint64_t)-100);
	write_at(g, a, 3, 1401);
	put_sample(&g->want, 0, 1);
	put_repeat(&g->want, 2);
	write_run(g, a, 1); /* a sample without a time */
	put_compact(&g->want, 0);
	write_at(g, a, 1, 1402);
	put_sample(&g->want, 0, 1);
	want_end(g, 1, 1, 8);
	finish_and_compare(g);
}

static void
run_with_times_of_its_own_is_written_sample_by_sample(void **state)
{
	struct rig *g = *state;
	static const uint32_t dt[] = { 10, 0, 20 };
	struct bob_run run = { .count = 4, .t_first = 5, .t_last = 35,
		.dt = dt, .flags = BOB_RUN_TIMED };

	start(g, NULL, NULL);
	put_header(&g->want, 50, 1);
	write_segment(g, 50, BOB_SEGMENT_TIMED);
	run.stack = push(g, 0, "main");
	want_first(g, "main");
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	put_sample(&g->want, 0, 5);
	put_sample(&g->want, 0, 10);
	put_repeat(&g->want, 1);
	put_sample(&g->want, 0, 20);
	want_end(g, 1, 1, 4);
	finish_and_compare(g);
}

static void
times_can_be_left_out(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, "timestamps", "none");
	put_header(&g->want, 50, 0);
	write_segment(g, 50, BOB_SEGMENT_TIMED);
	a = push(g, 0, "main");
	want_first(g, "main");
	write_at(g, a, 1, 10);
	write_at(g, a, 1, 20);
	write_at(g, a, 1, 30);
	put_compact(&g->want, 0);
	put_repeat(&g->want, 2);
	want_end(g, 1, 1, 3);
	finish_and_compare(g);
}

static void
times_that_are_asked_for_but_unknown_are_zero(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, "timestamps", "delta");
	put_header(&g->want, 50, 1);
	write_segment(g, 50, 0);
	a = push(g, 0, "main");
	want_first(g, "main");
	write_run(g, a, 3);
	put_sample(&g->want, 0, 0);
	put_repeat(&g->want, 2);
	want_end(g, 1, 1, 3);
	finish_and_compare(g);
}

static void
checkpoint_comes_when_due_and_cuts_no_run(void **state)
{
	struct rig *g = *state;
	bob_stack a, b;
	int i;

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	a = push(g, 0, "main");
	b = push(g, 0, "work");
	write_run(g, a, 5000000);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, 4999999);
	put_checkpoint(&g->want, 1, 1, 5000000);
	want_second(g, "work");
	for (i = 0; i < 1001; i++) {
		write_run(g, i % 2 == 0 ? b : a, 1);
		put_compact(&g->want, i % 2 == 0);
		if (i == 999)
			put_checkpoint(&g->want, 2, 2, 5001000);
	}
	want_end(g, 2, 2, 5001001);
	finish_and_compare(g);
}

static void
barrier_writes_the_run_and_a_repeat_goes_on_with_it(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	a = push(g, 0, "main");
	want_first(g, "main");
	write_run(g, a, 5);
	assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	put_compact(&g->want, 0);
	put_repeat(&g->want, 4);
	assert_bytes(&g->got, &g->want);
	assert_int_equal(g->n_writes, 1);
	write_run(g, a, 5);
	assert_int_equal(bob_barrier(g->w, 1), BOB_OK);
	put_repeat(&g->want, 5);
	assert_bytes(&g->got, &g->want);
	write_run(g, a, 1);
	assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	put_compact(&g->want, 0);
	assert_bytes(&g->got, &g->want);
	assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	want_end(g, 1, 1, 11);
	finish_and_compare(g);
}

static void
metadata_and_unknown_events_keep_their_place(void **state)
{
	struct rig *g = *state;
	struct bob_mark m = { .kind = BOB_MARK_UNKNOWN, .raw_type = 0x7f,
		.bytes = "xyz", .length = 3 };
	struct bob_mark end = { .kind = BOB_MARK_END };
	bob_stack a;

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	write_meta(g, "pid", "77");
	put_meta(&g->want, "pid", "77");
	a = push(g, 0, "main");
	want_first(g, "main");
	write_run(g, a, 4);
	put_compact(&g->want, 0);
	put_repeat(&g->want, 3);
	assert_status(g->ctx, BOB_OK, bob_write_mark(g->w, &m));
	put_bytes(&g->want, "\x7f\x03xyz", 5);
	m.raw_type = 0x08; /* from a format where 8 means something else */
	assert_status(g->ctx, BOB_OK, bob_write_mark(g->w, &m));
	m.raw_type = 'R';
	assert_status(g->ctx, BOB_OK, bob_write_mark(g->w, &m));
	write_run(g, a, 4);
	write_meta(g, "host", "");
	put_repeat(&g->want, 4);
	put_meta(&g->want, "host", "");
	assert_status(g->ctx, BOB_OK, bob_write_mark(g->w, &end));
	want_end(g, 1, 1, 8);
	finish_and_compare(g);
}

static void
segment_defines_only_what_it_needs(void **state)
{
	struct rig *g = *state;
	bob_stack a, b;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	b = push(g, 0, "work");
	put_header(&g->want, 1, 0);
	write_segment(g, 1, 0);
	write_run(g, a, 1);
	write_run(g, b, 1);
	want_first(g, "main");
	put_compact(&g->want, 0);
	want_second(g, "work");
	put_compact(&g->want, 1);
	want_end(g, 2, 2, 2);
	put_header(&g->want, UINT32_MAX, 0);
	write_segment(g, (uint64_t)1 << 40, 0);
	write_run(g, b, 1);
	want_first(g, "work");
	put_compact(&g->want, 0);
	want_end(g, 1, 1, 1);
	finish_and_compare(g);
}

static void
period_can_be_overridden(void **state)
{
	struct rig *g = *state;

	start(g, "period", "250");
	write_segment(g, 1, 0);
	put_header(&g->want, 250, 0);
	want_end(g, 0, 0, 0);
	finish_and_compare(g);
}

static void
counts_above_the_limit_become_two_runs(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, "checkpoint", "9223372036854775807");
	put_header(&g->want, 10000, 0);
	a = push(g, 0, "main");
	write_run(g, a, BOB_MAX_COUNT);
	write_run(g, a, 10);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, BOB_MAX_COUNT - 1);
	put_checkpoint(&g->want, 1, 1, BOB_MAX_COUNT);
	put_repeat(&g->want, 10);
	want_end(g, 1, 1, BOB_MAX_COUNT);
	finish_and_compare(g);
}

static void
frames_of_all_kinds_are_written(void **state)
{
	struct rig *g = *state;
	struct bob_frame f = { .where = -1, .lang = BOB_LANG_PHP,
		.flags = BOB_FRAME_OPNAME };
	bob_stack s;

	start(g, NULL, NULL);
	f.ns = bob_str_put(g->d, "N", 1);
	f.scope = bob_str_put(g->d, "C", 1);
	f.name = bob_str_put(g->d, "m", 1);
	f.file = bob_str_put(g->d, "f", 1);
	s = bob_stack_push(g->d, 0, bob_frame_put(g->d, &f));
	memset(&f, 0, sizeof(f));
	f.lang = BOB_LANG_NATIVE;
	f.where = 0x90;
	f.name = bob_str_put(g->d, "sym", 3);
	f.file = bob_str_put(g->d, "lib", 3);
	s = bob_stack_push(g->d, s, bob_frame_put(g->d, &f));
	memset(&f, 0, sizeof(f));
	f.lang = BOB_LANG_PYTHON;
	f.flags = BOB_FRAME_COLUMNS;
	f.where = 3;
	f.col = 9;
	f.name = bob_str_put(g->d, "py", 2);
	s = bob_stack_push(g->d, s, bob_frame_put(g->d, &f));
	write_run(g, s, 1);

	put_header(&g->want, 10000, 0);
	put_meta(&g->want, "bobbin.language", "python");
	put_string(&g->want, 0, "");
	put_string(&g->want, 1, "py");
	put_bytes(&g->want, "\x01\x07\x00\x00\x00\x00\x01\x00\x03", 9);
	put_string(&g->want, 2, "sym");
	put_string(&g->want, 3, "lib");
	put_bytes(&g->want, "\x01\x06\x01\x01\x02\x03\x90\x01", 8);
	put_meta(&g->want, "bobbin.language", "php");
	put_string(&g->want, 4, "N");
	put_string(&g->want, 5, "C");
	put_string(&g->want, 6, "m");
	put_string(&g->want, 7, "f");
	put_bytes(&g->want, "\x01\x11\x02\x02\x04\x05\x06\x07"
	    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 19);
	put_bytes(&g->want, "\x02\x05\x00\x03\x00\x01\x02", 7);
	put_compact(&g->want, 0);
	want_end(g, 3, 1, 1);
	finish_and_compare(g);
}

static void
empty_stack_is_a_stack(void **state)
{
	struct rig *g = *state;

	start(g, NULL, NULL);
	put_header(&g->want, 10000, 0);
	write_run(g, 0, 1);
	put_stack(&g->want, 0, NULL, 0);
	put_compact(&g->want, 0);
	want_end(g, 0, 1, 1);
	finish_and_compare(g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(empty_trace_is_a_header_and_an_end),
		RIG_TEST(run_is_a_sample_and_a_repeat_from_three_on),
		RIG_TEST(equal_runs_in_a_row_are_one),
		RIG_TEST(run_of_two_is_written_the_shorter_way),
		RIG_TEST(annotations_are_part_of_a_run),
		RIG_TEST(pids_keep_their_place_and_repeat),
		RIG_TEST(times_are_deltas_and_may_go_back),
		RIG_TEST(run_with_times_of_its_own_is_written_sample_by_sample),
		RIG_TEST(times_can_be_left_out),
		RIG_TEST(times_that_are_asked_for_but_unknown_are_zero),
		RIG_TEST(checkpoint_comes_when_due_and_cuts_no_run),
		RIG_TEST(barrier_writes_the_run_and_a_repeat_goes_on_with_it),
		RIG_TEST(metadata_and_unknown_events_keep_their_place),
		RIG_TEST(segment_defines_only_what_it_needs),
		RIG_TEST(period_can_be_overridden),
		RIG_TEST(counts_above_the_limit_become_two_runs),
		RIG_TEST(frames_of_all_kinds_are_written),
		RIG_TEST(empty_stack_is_a_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
