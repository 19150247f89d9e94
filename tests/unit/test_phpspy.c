/* phpspy's text, in and out. */
#include "format/phpspy/phpspy.h"

#include "through.h"

/* The frames that a text is read as; warnings are counted. */
static void
assert_frames(const char *text, unsigned n_warnings, const char *want)
{
	struct through t;

	through(&t, text, strlen(text), "phpspy", "dump", NULL);
	if (t.status != BOB_EOF)
		print_error("error: %s\n", t.error.text);
	assert_int_equal(t.status, BOB_EOF);
	assert_dump_frames(&t, want);
	assert_int_equal(t.diags.n_warnings, n_warnings);
	through_done(&t);
}

static void
traces_are_written_as_they_were_read(void **state)
{
	(void)state;
	assert_same_through("0 usleep <internal>:-1\n"
	                    "1 <main> Command line code:1\n\n"
	                    "0 App\\P::m /srv/dir with space/a b.php:12\n"
	                    "1 <main> C:\\www\\x.php:3\n\n", "phpspy");
}

static void
names_and_paths_may_hold_spaces(void **state)
{
	(void)state;
	assert_frames("0 usleep <internal>:-1\n1 <main> Command line code:1\n"
	              "2 with space /app/f.php:27\n"
	              "3 X::{closure}(/my dir/x.php:3-4) /my dir/x.php:3\n"
	              "4 {closure}(Command line code:1-1) Command line code:1"
	              "\n5 m phar:///my app.phar/a.php:1\n6 f :3\n"
	              "7  /a.php:1\n\n", 0,
	    "P;usleep;<internal>;-1;- P;<main>;Command%20line%20code;1;- "
	    "P;with%20space;/app/f.php;27;- "
	    "P;X::{closure}(/my%20dir/x.php:3-4);/my%20dir/x.php;3;- "
	    "P;{closure}(Command%20line%20code:1-1);Command%20line%20code;1;- "
	    "P;m;phar:///my%20app.phar/a.php;1;- P;f;;3;- P;;/a.php;1;-\n");
}

static void
opcode_template_is_read(void **state)
{
	(void)state;
	assert_frames("0 <VM>::ZEND_ASSIGN <VM>:-1\n"
	              "1 f /m.php:33:ZEND_ASSIGN\n2 g C:\\m.php:4\n\n", 0,
	    "P;<VM>::ZEND_ASSIGN;<VM>;-1;- P;f;/m.php;33;ZEND_ASSIGN "
	    "P;g;C:\\m.php;4;-\n");
}

static void
native_frames_are_known(void **state)
{
	(void)state;
	assert_frames("0 libc.so.6::read+0x5a [native]:0\n"
	              "1 [jit]::TRACE-2$f$4+0x141 [native]:0\n"
	              "2 x.so::ns::operator new(int)+0xffffffffffffffff "
	              "[native]:0\n3 x::y [native]:0\n4 z+0x1 [native]:0\n\n",
	    0, "N;read;libc.so.6;90 N;TRACE-2$f$4;[jit];321 "
	    "N;ns::operator%20new(int);x.so;-1 N;y;x;- N;z;;1\n");
}

static void
one_line_may_be_a_whole_trace(void **state)
{
	(void)state;
	assert_through("0 a /a.php:1\t1 <main> /m.php:9\t# pid = 7\t\n"
	               "0 b /b.php:2\t\n0 tab\there /c.php:3\n\n", "phpspy",
	    "dump",
	    "1\t0\t7\t-\t-\t-\t-\t-\tP;a;/a.php;1;-\tP;<main>;/m.php;9;-\n"
	    "1\t0\t-\t-\t-\t-\t-\t-\tP;b;/b.php;2;-\n"
	    "1\t0\t-\t-\t-\t-\t-\t-\tP;tab%09here;/c.php;3;-\n");
}

static void
blank_lines_and_comments_alone_are_no_samples(void **state)
{
	(void)state;
	assert_frames("\n\n# only = comment\n\n0 a /a:1\r\n\r\n\n\n  \n"
	              "#no-space foo bar:1\n# some words\n0 b /b:2\n", 0,
	    "P;a;/a;1;-\nP;b;/b;2;-\n");
}

static void
last_trace_needs_no_end(void **state)
{
	struct through t;

	(void)state;
	assert_frames("0 a /a:1\n1 b /b:2", 0, "P;a;/a;1;- P;b;/b;2;-\n");
	through(&t, "0 a /a:1", 8, "phpspy", "dump", NULL);
	assert_true(t.is_incomplete);
	through_done(&t);
	through(&t, "0 a /a:1\n", 9, "phpspy", "dump", NULL);
	assert_false(t.is_incomplete);
	through_done(&t);
}

static void
bad_line_is_a_warning_and_costs_only_itself(void **state)
{
	static const char in[] = "0 a /a:1\n\n0 b /b:2\nnonsense\n1 c /c:3\n"
	                         "2 d no line\n\n0 e /e:99999999999999999999"
	                         "\n1 f /f:4\n\n";
	struct through t;

	(void)state;
	assert_frames(in, 3,
	    "P;a;/a;1;-\nP;b;/b;2;- P;c;/c;3;-\nP;f;/f;4;-\n");
	through(&t, in, strlen(in), "phpspy", "dump", NULL);
	assert_string_equal(t.diags.last.text,
	    "phpspy: line 8: neither a frame nor a comment");
	through_done(&t);
}

static void
equal_traces_in_a_row_are_one_run(void **state)
{
	(void)state;
	assert_through("0 a /a:1\n\n0 a /a:1\n\n0 a /a:1\n\n0 b /b:1\n\n",
	    "phpspy", "dump",
	    "3\t0\t-\t-\t-\t-\t-\t-\tP;a;/a;1;-\n"
	    "1\t0\t-\t-\t-\t-\t-\t-\tP;b;/b;1;-\n");
}

static void
comments_become_facts(void **state)
{
	(void)state;
	assert_through("0 a /a:1\n# uri = /x?a=1 = 2\n# mem 10 20\n"
	               "# glopeek server.X = \n# trace_ts = 1760000000.125\n"
	               "# pid = 31000\n\n"
	               "0 a /a:1\n# trace_ts = 1760000000.135101\n\n",
	    "phpspy", "dump",
	    "1\t0\t31000\t-\t-\t-\t0\turi=/x?a%3D1%20%3D%202,mem=10,"
	    "mem_peak=20,glopeek%20server.X=\tP;a;/a;1;-\n"
	    "1\t0\t-\t-\t-\t-\t10101\t-\tP;a;/a;1;-\n");
	assert_same_through("0 a /a:1\n# uri = /x%20y%0A\n# k = \n"
	                    "# trace_ts = 1760000000.125000\n# pid = 7\n\n",
	    "phpspy");
}

static void
bad_facts_are_warnings(void **state)
{
	(void)state;
	assert_frames("0 a /a:1\n# pid = me\n# trace_ts = soon\n\n"
	              "0 b /b:1\n# trace_ts = 99999999999999999999\n\n", 3,
	    "P;a;/a;1;-\nP;b;/b;1;-\n");
}

/* Small times count from the beginning and stay as they are. */
static void
relative_times_survive(void **state)
{
	(void)state;
	assert_through("0 a /a:1\n# trace_ts = 5.000001\n\n"
	               "0 a /a:1\n# trace_ts = 4\n\n", "phpspy", "dump",
	    "1\t0\t-\t-\t-\t-\t5000001\t-\tP;a;/a;1;-\n"
	    "1\t0\t-\t-\t-\t-\t4000000\t-\tP;a;/a;1;-\n");
}

static void
time_begins_a_segment_and_so_does_going_back(void **state)
{
	(void)state;
	assert_through("0 a /a:1\n\n0 a /a:1\n# trace_ts = 1760000000.5\n\n"
	               "0 a /a:1\n\n0 a /a:1\n# trace_ts = 1760000000.25\n\n",
	    "phpspy", "dump",
	    "1\t0\t-\t-\t-\t-\t-\t-\tP;a;/a;1;-\n"
	    "1\t1\t-\t-\t-\t-\t0\t-\tP;a;/a;1;-\n"
	    "1\t1\t-\t-\t-\t-\t-\t-\tP;a;/a;1;-\n"
	    "1\t2\t-\t-\t-\t-\t0\t-\tP;a;/a;1;-\n");
}

static void
what_nobody_wants_is_not_given(void **state)
{
	static const char in[] = "0 a /a:1\n# k = 1\n# pid = 1\n"
	                         "# trace_ts = 1\n\n0 a /a:1\n# k = 2\n\n";
	struct through_how how = { .want = BOB_WANT_NONE };
	struct through t;

	(void)state;
	through(&t, in, strlen(in), "phpspy", "dump", &how);
	assert_string_equal((char *)t.out.p,
	    "2\t0\t-\t-\t-\t-\t-\t-\tP;a;/a;1;-\n");
	through_done(&t);
}

static void
empty_stack_is_said_in_a_comment(void **state)
{
	struct hand h;

	(void)state;
	hand_begin(&h, "phpspy", NULL, NULL);
	hand_samples(&h, 0, 0, 2);
	hand_end(&h, "# frames = 0\n\n# frames = 0\n\n");
	assert_same_through("# frames = 0\n\n0 a /a:1\n\n", "phpspy");
}

static void
odd_frames_read_back(void **state)
{
	struct bob_frame f = { .where = 7, .lang = BOB_LANG_PHP };
	struct hand h;
	bob_stack s;

	(void)state;
	hand_begin(&h, "phpspy", NULL, NULL);
	s = hand_push(&h, 0, f, "a\nb%41", "x\ty");
	s = hand_push(&h, s, f, "f", "x /y");
	s = hand_push(&h, s, f, "f <g", "h");
	s = hand_push(&h, s, f, "f g", "/h");
	hand_samples(&h, 0, s, 1);
	hand_end(&h, "0 f g /h:7\n1 f%20<g h:7\n2 f x%20/y:7\n"
	             "3 a%0Ab%2541 x%09y:7\n\n");
	assert_frames("0 f g /h:7\n1 f%20<g h:7\n2 f x%20/y:7\n"
	              "3 a%0Ab%2541 x%09y:7\n\n", 0,
	    "P;f%20g;/h;7;- P;f%20<g;h;7;- P;f;x%20/y;7;- "
	    "P;a%0Ab%2541;x%09y;7;-\n");
}

static void
options_keep_opcodes_and_native_frames(void **state)
{
	static const char in[] = "0 a:b::c::d+0x1f [native]:0\n"
	                         "1 f /a.php:3:ZEND_ADD\n\n";
	struct through_how opcodes = { .option = "opcodes" };
	struct through_how native = { .option = "native" };
	struct through t;

	(void)state;
	through(&t, in, strlen(in), "phpspy", "phpspy", NULL);
	assert_string_equal((char *)t.out.p,
	    "0 c::d a:b:0\n1 f /a.php:3\n\n");
	through_done(&t);
	through(&t, in, strlen(in), "phpspy", "phpspy", &opcodes);
	assert_string_equal((char *)t.out.p,
	    "0 c::d a:b:0\n1 f /a.php:3:ZEND_ADD\n\n");
	through_done(&t);
	through(&t, in, strlen(in), "phpspy", "phpspy", &native);
	assert_string_equal((char *)t.out.p,
	    "0 a%3Ab::c::d+0x1f [native]:0\n1 f /a.php:3\n\n");
	through_done(&t);
}

static void
runs_with_times_are_written_sample_by_sample(void **state)
{
	static const uint32_t dt[] = { 0, 5 };
	struct bob_frame f = { .where = 1, .lang = BOB_LANG_PHP };
	struct bob_segment segment = { .start_us = 1760000000000000,
		.flags = BOB_SEGMENT_TIMED };
	struct bob_run run = { .count = 3, .t_first = 10, .t_last = 15,
		.dt = dt, .flags = BOB_RUN_TIMED };
	struct hand h;

	(void)state;
	hand_begin(&h, "phpspy", NULL, NULL);
	run.stack = hand_push(&h, 0, f, "a", "/a");
	hand_segment(&h, &segment);
	hand_run(&h, &run);
	hand_end(&h, "0 a /a:1\n# trace_ts = 1760000000.000010\n\n"
	             "0 a /a:1\n# trace_ts = 1760000000.000010\n\n"
	             "0 a /a:1\n# trace_ts = 1760000000.000015\n\n");
}

static void
absurd_run_is_refused(void **state)
{
	struct bob_run run = { .count = 1000000001 };
	struct hand h;

	(void)state;
	hand_begin(&h, "phpspy", NULL, NULL);
	assert_int_equal(bob_write_runs(h.w, &run, 1), BOB_FATAL);
	assert_int_equal(bob_ctx_error(h.ctx)->code, BOB_E_LIMIT);
	bob_discard(h.w);
	bob_ctx_free(h.ctx);
	buf_free(&h.out);
}

static void
any_chunking_reads_the_same(void **state)
{
	static const char in[] = "0 a /a:1\n1 b c /b:2\n# k = v\n\nbad\n"
	                         "0 a /a:1\t# pid = 1\t\n0 z /z:3\r\n\r\n"
	                         "0 z /z:3\n# trace_ts = 1.5\n\n0 e /e:1";
	struct through whole, part;
	struct through_how how = { .stutter = 1 };

	(void)state;
	through(&whole, in, strlen(in), "phpspy", "dump", NULL);
	for (how.step = 1; how.step < 8; how.step++) {
		through(&part, in, strlen(in), "phpspy", "dump", &how);
		assert_string_equal((char *)part.out.p, (char *)whole.out.p);
		assert_int_equal(part.diags.n_warnings, 1);
		through_done(&part);
	}
	through_done(&whole);
}

static void
phpspy_text_is_recognised(void **state)
{
	static const struct {
		const char *text;
		int is_phpspy;
	} cases[] = {
		{ "0 a /a.php:1\n", 1 },
		{ "\r\n\n# uri = /\n0 <main> Command line code:1\n", 1 },
		{ "0 a /a.php:1\t1 b /b.php:2\n", 1 },
		{ "0 a /a.ph", 1 },
		{ "# uri = /", 1 },
		{ "a;b 1\n", 0 },
		{ "0 a no line\n", 0 },
		{ "plain text: 1\n", 0 },
		{ "", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(phpspy_format.bid(
		    (const uint8_t *)cases[i].text,
		    strlen(cases[i].text)) > BID_NO, cases[i].is_phpspy);
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_survives_faults("0 App\\A::f /a.php:1\n1 b c /b:2:ZEND_ADD\n"
	                       "# k = v\n# pid = 1\n# trace_ts = 1\n\n"
	                       "0 x /y:1\n\n", "phpspy", "phpspy");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_are_written_as_they_were_read),
		cmocka_unit_test(names_and_paths_may_hold_spaces),
		cmocka_unit_test(opcode_template_is_read),
		cmocka_unit_test(native_frames_are_known),
		cmocka_unit_test(one_line_may_be_a_whole_trace),
		cmocka_unit_test(
		    blank_lines_and_comments_alone_are_no_samples),
		cmocka_unit_test(last_trace_needs_no_end),
		cmocka_unit_test(bad_line_is_a_warning_and_costs_only_itself),
		cmocka_unit_test(equal_traces_in_a_row_are_one_run),
		cmocka_unit_test(comments_become_facts),
		cmocka_unit_test(bad_facts_are_warnings),
		cmocka_unit_test(relative_times_survive),
		cmocka_unit_test(time_begins_a_segment_and_so_does_going_back),
		cmocka_unit_test(what_nobody_wants_is_not_given),
		cmocka_unit_test(empty_stack_is_said_in_a_comment),
		cmocka_unit_test(odd_frames_read_back),
		cmocka_unit_test(options_keep_opcodes_and_native_frames),
		cmocka_unit_test(runs_with_times_are_written_sample_by_sample),
		cmocka_unit_test(absurd_run_is_refused),
		cmocka_unit_test(any_chunking_reads_the_same),
		cmocka_unit_test(phpspy_text_is_recognised),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("phpspy", tests, NULL, NULL);
}
