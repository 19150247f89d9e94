/* The listing: its columns, and which samples share a line. */
#include "through.h"

static const struct bob_frame php = { .where = 3, .lang = BOB_LANG_PHP };

static void
every_kind_of_frame_has_its_columns(void **state)
{
	struct bob_frame f = php;
	struct hand h;
	bob_stack s;

	(void)state;
	hand_begin(&h, "dump", NULL, NULL);
	s = hand_push(&h, 0, f, "other", "o");
	f.flags = BOB_FRAME_OPNAME;
	f.opname = hand_str(&h, "ZEND_ADD");
	s = hand_push(&h, s, f, "f g", "/a;b");
	f.opname = 0;
	s = hand_push(&h, s, f, "empty", "");
	f.flags = BOB_FRAME_NO_LINE;
	s = hand_push(&h, s, f, "php", "/a");
	f = (struct bob_frame){ .where = INT64_MIN, .lang = BOB_LANG_NATIVE };
	s = hand_push(&h, s, f, "read", "libc");
	f = (struct bob_frame){ .where = 7, .lang = BOB_LANG_PYTHON };
	s = hand_push(&h, s, f, "py", "a.py");
	f.flags = BOB_FRAME_COLUMNS | BOB_FRAME_OPCODE;
	f.end_line = -1;
	f.col = 2;
	f.end_col = 5;
	f.opcode = 100;
	s = hand_push(&h, s, f, "py", "a.py");
	f.flags |= BOB_FRAME_NO_LINE;
	s = hand_push(&h, s, f, "<GC>", "~");
	hand_samples(&h, 0, s, 1);
	hand_end(&h, "1\t0\t-\t-\t-\t-\t-\t-\tY;<GC>;~;-;-;-;-;100\t"
	             "Y;py;a.py;7;-1;2;5;100\tY;py;a.py;7;-;-;-;-\t"
	             "N;read;libc;-9223372036854775808\tP;php;/a;-;-\t"
	             "P;empty;;3;\tP;f%20g;/a%3Bb;3;ZEND_ADD\t"
	             "P;other;o;3;-\n");
}

static void
every_fact_has_its_column(void **state)
{
	struct bob_track track = { .pid = 0, .tid = 5, .interp = 2,
		.flags = BOB_TRACK_PID | BOB_TRACK_TID | BOB_TRACK_INTERP };
	struct bob_segment segment = { .index = 9 };
	struct bob_run run = { .count = BOB_MAX_COUNT, .t_first = 77,
		.t_last = 77, .status = 3,
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };
	struct bob_pair pair[2];
	struct hand h;

	(void)state;
	hand_begin(&h, "dump", NULL, NULL);
	pair[0].key = hand_str(&h, "k=");
	pair[0].value = hand_str(&h, "a,b");
	pair[1].key = pair[1].value = 0;
	run.track = bob_track_put(h.d, &track);
	run.annot = bob_annot_put(h.d, pair, 2);
	hand_segment(&h, &segment);
	hand_run(&h, &run);
	run = (struct bob_run){ .count = 1, .annot = bob_annot_put(h.d, NULL,
		0) };
	hand_run(&h, &run);
	hand_end(&h, "9223372036854775807\t9\t0\t5\t2\t3\t77\tk%3D=a%2Cb,=\n"
	             "1\t9\t-\t-\t-\t-\t-\t{}\n");
}

static void
lines_that_look_alike_are_one(void **state)
{
	struct bob_frame split = php, whole = php;
	struct bob_track named = { .pid = 1, .flags = BOB_TRACK_PID };
	struct bob_run run = { .count = 1 };
	struct hand h;

	(void)state;
	hand_begin(&h, "dump", NULL, NULL);
	split.ns = hand_str(&h, "A");
	split.scope = hand_str(&h, "B");
	whole.lang = BOB_LANG_OTHER;
	whole.col = 4;
	run.stack = hand_push(&h, 0, split, "m", "/a");
	run.track = bob_track_put(h.d, &named);
	hand_run(&h, &run);
	run.stack = hand_push(&h, 0, whole, "A\\B::m", "/a");
	named.name = hand_str(&h, "worker");
	run.track = bob_track_put(h.d, &named);
	hand_run(&h, &run);
	whole.flags = BOB_FRAME_OPNAME;
	whole.opname = hand_str(&h, "-");
	run.stack = hand_push(&h, 0, whole, "A\\B::m", "/a");
	hand_run(&h, &run);
	run.stack = hand_push(&h, 0, whole, "A\\B::n", "/a");
	hand_run(&h, &run);
	run.stack = hand_push(&h, 0, whole, "A\\B::nn", "/a");
	hand_run(&h, &run);
	hand_end(&h, "3\t0\t1\t-\t-\t-\t-\t-\tP;A\\B::m;/a;3;-\n"
	             "1\t0\t1\t-\t-\t-\t-\t-\tP;A\\B::n;/a;3;-\n"
	             "1\t0\t1\t-\t-\t-\t-\t-\tP;A\\B::nn;/a;3;-\n");
}

static void
frames_that_differ_visibly_stay_apart(void **state)
{
	struct bob_frame v[7];
	struct bob_run run = { .count = 1 };
	struct hand h;
	size_t i;

	(void)state;
	hand_begin(&h, "dump", NULL, NULL);
	for (i = 0; i < COUNT_OF(v); i++)
		v[i] = php;
	v[1].where = 4;
	v[2].flags = BOB_FRAME_OPNAME;
	v[3].flags = BOB_FRAME_NO_LINE;
	v[4].lang = BOB_LANG_NATIVE;
	v[5].lang = BOB_LANG_PYTHON;
	v[6].lang = BOB_LANG_PYTHON;
	v[6].flags = BOB_FRAME_COLUMNS;
	for (i = 0; i < COUNT_OF(v); i++) {
		run.stack = hand_push(&h, 0, v[i], "f", "/a");
		hand_run(&h, &run);
	}
	hand_end(&h, "1\t0\t-\t-\t-\t-\t-\t-\tP;f;/a;3;-\n"
	             "1\t0\t-\t-\t-\t-\t-\t-\tP;f;/a;4;-\n"
	             "1\t0\t-\t-\t-\t-\t-\t-\tP;f;/a;3;\n"
	             "1\t0\t-\t-\t-\t-\t-\t-\tP;f;/a;-;-\n"
	             "1\t0\t-\t-\t-\t-\t-\t-\tN;f;/a;3\n"
	             "1\t0\t-\t-\t-\t-\t-\t-\tY;f;/a;3;-;-;-;-\n"
	             "1\t0\t-\t-\t-\t-\t-\t-\tY;f;/a;3;0;0;0;-\n");
}

static void
segments_and_times_part_lines(void **state)
{
	static const uint32_t dt[] = { 0, 4 };
	struct bob_run run = { .count = 3, .t_first = 1, .t_last = 5,
		.dt = dt, .flags = BOB_RUN_TIMED };
	struct bob_segment segment = { .index = 1 };
	struct hand h;

	(void)state;
	hand_begin(&h, "dump", NULL, NULL);
	hand_run(&h, &run);
	hand_segment(&h, &segment);
	run = (struct bob_run){ .count = 2, .t_first = 5, .t_last = 5,
		.flags = BOB_RUN_TIMED };
	hand_run(&h, &run);
	run.flags = 0;
	hand_run(&h, &run);
	hand_end(&h, "2\t0\t-\t-\t-\t-\t1\t-\n1\t0\t-\t-\t-\t-\t5\t-\n"
	             "2\t1\t-\t-\t-\t-\t5\t-\n2\t1\t-\t-\t-\t-\t-\t-\n");
}

static void
barrier_brings_out_the_line_held_back(void **state)
{
	struct bob_run run = { .count = 1 };
	struct hand h;

	(void)state;
	hand_begin(&h, "dump", NULL, NULL);
	hand_run(&h, &run);
	assert_int_equal(h.out.n, 0);
	assert_int_equal(bob_barrier(h.w, 0), BOB_OK);
	assert_int_equal(h.out.n, 16);
	hand_end(&h, "1\t0\t-\t-\t-\t-\t-\t-\n");
}

static void
listing_cannot_be_read(void **state)
{
	struct through t;

	(void)state;
	through(&t, "", 0, "dump", "dump", NULL);
	assert_int_equal(t.status, BOB_FAILED);
	assert_int_equal(t.error.code, BOB_E_FORMAT);
	through_done(&t);
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_survives_faults("0 App\\A::f /a.php:1\n1 b /b:2\n# k = v\n\n"
	                       "0 x /y:1\n\n", "phpspy", "dump");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_frame_has_its_columns),
		cmocka_unit_test(every_fact_has_its_column),
		cmocka_unit_test(lines_that_look_alike_are_one),
		cmocka_unit_test(frames_that_differ_visibly_stay_apart),
		cmocka_unit_test(segments_and_times_part_lines),
		cmocka_unit_test(barrier_brings_out_the_line_held_back),
		cmocka_unit_test(listing_cannot_be_read),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
