/* Folded stacks, in and out. */
#include "format/folded/folded.h"

#include <stdlib.h>

#include "through.h"

static void
plain_stacks_are_written_as_they_were_read(void **state)
{
	(void)state;
	assert_same_through("<main> /app/i.php:9;App\\Db::run /app/Db.php:14 "
	                    "2\nmain;PDO::query <internal>:-1 5\n", "folded");
	assert_same_through("main;operator new(unsigned long) 3\n", "folded");
	assert_same_through("a /dir with space/a b.php:1;b C:\\x y.php:2 1\n",
	    "folded");
}

static void
line_without_frames_is_the_empty_stack(void **state)
{
	(void)state;
	assert_same_through(" 3\na;b 1\n", "folded");
	assert_through(" 3\n", "folded", "dump",
	    "3\t0\t-\t-\t-\t-\t-\t-\n");
}

static void
names_that_end_in_a_number_keep_it(void **state)
{
	(void)state;
	assert_same_through("worker 12;step 7 100\n", "folded");
	assert_through("worker 12;step 7 100\n", "folded", "dump",
	    "100\t0\t-\t-\t-\t-\t-\t-\tP;step%207;;-;-\tP;worker%2012;;-;-\n");
}

static void
equal_lines_are_summed(void **state)
{
	(void)state;
	assert_through("a;b 1\na 5\na;b 2\n", "folded", "folded",
	    "a 5\na;b 3\n");
}

/* Callers that the line before has too, also where they are more than is kept
 * of a line. */
static void
lines_that_share_callers_are_whole(void **state)
{
	size_t n = 3 << 19, i;
	char *text = malloc(2 * n + 64);
	char *p = text;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < 2; i++) {
		memset(p, 'a', n);
		p += n;
		p += snprintf(p, 32, ";b;%c 1\n", i == 0 ? 'c' : 'd');
	}
	assert_same_through(text, "folded");
	free(text);
	assert_same_through("a 1\na;b 1\na;b;c 1\na;b;d 1\na;c 1\nb 1\nb;b 1\n",
	    "folded");
}

static void
frames_of_other_tools_are_understood(void **state)
{
	struct through t;
	static const char in[] =
	    "run (srv/app.py:12);<module> (<frozen os>:3);f (x.py);"
	    "libc.so.6::read+0x1f [native]:0;"
	    "f /a.php:33:ZEND_ECHO;plain;g /no/line.php;h file: 1\n";

	(void)state;
	through(&t, in, strlen(in), "folded", "dump", NULL);
	assert_int_equal(t.status, BOB_EOF);
	assert_dump_frames(&t,
	    "P;h;file;-;- P;g;/no/line.php;-;- P;plain;;-;- "
	    "P;f;/a.php;33;ZEND_ECHO N;read;libc.so.6;31 "
	    "Y;f;x.py;-;-;-;-;- Y;<module>;<frozen%20os>;3;-;-;-;- "
	    "Y;run;srv/app.py;12;-;-;-;-\n");
	through_done(&t);
}

static void
comments_and_blank_lines_are_passed_over(void **state)
{
	(void)state;
	assert_through("# made by hand\n\n  \na 1\r\n\r\nb 2", "folded",
	    "folded", "a 1\nb 2\n");
}

static void
bad_line_is_a_warning_that_names_it(void **state)
{
	static const char in[] = "a 1\nnonsense\nb x2\nc -1\nd 4\n";
	struct through t;

	(void)state;
	through(&t, in, strlen(in), "folded", "folded", NULL);
	assert_int_equal(t.status, BOB_EOF);
	assert_string_equal((char *)t.out.p, "a 1\nd 4\n");
	assert_int_equal(t.diags.n_warnings, 3);
	assert_string_equal(t.diags.last.text,
	    "folded: line 4: no count at its end");
	assert_int_equal(t.diags.last.offset, 18);
	through_done(&t);
}

static void
fractions_are_rounded_with_one_warning(void **state)
{
	static const char in[] = "a 1.5\nb 2.49\nc 0.2\nd 7.\n";
	struct through t;

	(void)state;
	through(&t, in, strlen(in), "folded", "folded", NULL);
	assert_string_equal((char *)t.out.p, "a 2\nb 2\nd 7\n");
	assert_int_equal(t.diags.n_warnings, 1);
	through_done(&t);
}

static void
huge_counts_saturate(void **state)
{
	(void)state;
	assert_through("a 99999999999999999999999\na 5\nb 0\n", "folded",
	    "folded", "a 9223372036854775807\n");
}

static void
deep_stack_is_an_error_that_names_its_line(void **state)
{
	struct buf in = { 0 };
	struct through t;
	size_t i;

	(void)state;
	put_text(&in, "ok 1\na");
	for (i = 0; i < BOB_MAX_DEPTH; i++)
		put_text(&in, ";a");
	put_text(&in, " 1\n");
	through(&t, in.p, in.n, "folded", "folded", NULL);
	assert_int_equal(t.status, BOB_FATAL);
	assert_int_equal(t.error.code, BOB_E_LIMIT);
	assert_string_equal((char *)t.out.p, "ok 1\n");
	assert_non_null(strstr(t.error.text, "line 2"));
	through_done(&t);
	buf_free(&in);
}

static void
what_a_line_does_not_show_makes_no_second_line(void **state)
{
	struct bob_frame php = { .where = 3, .lang = BOB_LANG_PHP };
	struct bob_frame native = { .where = 0x10, .lang = BOB_LANG_NATIVE };
	struct hand h;

	(void)state;
	hand_begin(&h, "folded", NULL, NULL);
	php.opname = hand_str(&h, "ZEND_ADD");
	hand_samples(&h, 0, hand_push(&h, 0, php, "f", "/a.php"), 1);
	php.flags = BOB_FRAME_OPNAME;
	hand_samples(&h, 0, hand_push(&h, 0, php, "f", "/a.php"), 2);
	hand_samples(&h, 0, hand_push(&h, 0, native, "read", "libc.so.6"), 1);
	native.where = 0x20;
	hand_samples(&h, 0, hand_push(&h, 0, native, "read", "libc.so.6"), 1);
	hand_end(&h, "f /a.php:3 3\nread libc.so.6:0 2\n");
}

static void
odd_frames_are_escaped(void **state)
{
	struct bob_frame f = { .where = 7, .lang = BOB_LANG_PHP };
	struct bob_frame no_line = { .flags = BOB_FRAME_NO_LINE,
		.lang = BOB_LANG_PHP };
	struct hand h;

	(void)state;
	hand_begin(&h, "folded", NULL, NULL);
	hand_samples(&h, 0,
	    hand_push(&h, 0, f, "a;b c\n%41", "/x;y z\t.php"), 1);
	hand_samples(&h, 0, hand_push(&h, 0, f, "#f", "x /y"), 1);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "f", "/a b.php"), 1);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "f", "libc.so.6"), 1);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "f /x", ""), 1);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "f g", ""), 1);
	hand_samples(&h, 0, hand_push(&h, 0, f, "f", ""), 1);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "#!", ""), 1);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "", ""), 1);
	hand_end(&h, "a%3Bb%20c%0A%2541 /x%3By z%09.php:7 1\n"
	    "%23f x%20/y:7 1\n"
	    "f /a%20b.php 1\n"
	    "f libc.so.6: 1\n"
	    "f%20/x 1\n"
	    "f g 1\n"
	    "f :7 1\n"
	    "%23! 1\n"
	    " : 1\n");
}

static void
escaped_frames_read_back(void **state)
{
	(void)state;
	assert_same_through("a%3Bb%20c%0A%2541 /x%3By z%09.php:7 1\n"
	                    "%23f x%20/y:7 1\nf /a%20b.php 1\n"
	                    "f libc.so.6: 1\nf%20/x 1\nf :7 1\n"
	                    "%23! 1\n : 1\n", "folded");
	assert_through("a%3Bb%20c%0A%2541 /x%3By z%09.php:7 1\n", "folded",
	    "dump", "1\t0\t-\t-\t-\t-\t-\t-\t"
	            "P;a%3Bb%20c%0A%2541;/x%3By%20z%09.php;7;-\n");
}

static void
unequal_periods_weigh_by_time_and_say_so(void **state)
{
	struct bob_frame f = { .where = 1, .lang = BOB_LANG_PHP };
	struct hand h;

	(void)state;
	hand_begin(&h, "folded", NULL, NULL);
	hand_samples(&h, 10000, hand_push(&h, 0, f, "slow", "/a"), 2);
	hand_samples(&h, 250, hand_push(&h, 0, f, "fast", "/a"), 3);
	assert_int_equal(h.diags.n_notes, 0);
	hand_end(&h, "slow /a:1 80\nfast /a:1 3\n");
	assert_int_equal(h.diags.n_notes, 1);
	assert_string_equal(h.diags.last.text,
	    "folded: segments have periods from 250 to 10000 us: counts are "
	    "in units of 250 us");
}

static void
unit_samples_counts_samples(void **state)
{
	struct bob_frame f = { .where = 1, .lang = BOB_LANG_PHP };
	struct hand h;

	(void)state;
	hand_begin(&h, "folded", "unit", "samples");
	hand_samples(&h, 10000, hand_push(&h, 0, f, "slow", "/a"), 2);
	hand_samples(&h, 250, hand_push(&h, 0, f, "fast", "/a"), 3);
	hand_end(&h, "slow /a:1 2\nfast /a:1 3\n");
	assert_int_equal(h.diags.n_notes, 0);
}

static void
unknown_unit_is_refused(void **state)
{
	struct through_how how = { .option = "unit", .value = "pounds" };
	struct through t;

	(void)state;
	through(&t, "a 1\n", 4, "folded", "folded", &how);
	assert_int_equal(t.status, BOB_FAILED);
	assert_int_equal(t.error.code, BOB_E_USAGE);
	through_done(&t);
}

static void
any_chunking_reads_the_same(void **state)
{
	static const char in[] = "a /a.php:1;b 3\n\n#c\nbad\nc;d e 2\r\n"
	                         " 1\nz 9";
	struct through whole, part;
	struct through_how how = { .stutter = 1 };

	(void)state;
	through(&whole, in, strlen(in), "folded", "dump", NULL);
	for (how.step = 1; how.step < 8; how.step++) {
		through(&part, in, strlen(in), "folded", "dump", &how);
		assert_string_equal((char *)part.out.p, (char *)whole.out.p);
		assert_int_equal(part.diags.n_warnings, 1);
		through_done(&part);
	}
	through_done(&whole);
}

static void
folded_text_is_recognised(void **state)
{
	static const struct {
		const char *text;
		int is_folded;
	} cases[] = {
		{ "a;b 1\n", 1 },
		{ "# note\n\nmain 12\n", 1 },
		{ "a;b 1", 1 },
		{ " 3\n", 1 },
		{ "a very long line;that is cut", 1 },
		{ "a;b\n", 0 },
		{ "a;b 1\nno count\n", 0 },
		{ "bin\x01;ary 1\n", 0 },
		{ "", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(folded_format.bid(
		    (const uint8_t *)cases[i].text,
		    strlen(cases[i].text)) > BID_NO, cases[i].is_folded);
}

static void
every_allocation_may_fail(void **state)
{
	(void)state;
	assert_survives_faults("a /a.php:1;b c 3\na /a.php:1 2\n", "folded",
	    "folded");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_stacks_are_written_as_they_were_read),
		cmocka_unit_test(line_without_frames_is_the_empty_stack),
		cmocka_unit_test(names_that_end_in_a_number_keep_it),
		cmocka_unit_test(equal_lines_are_summed),
		cmocka_unit_test(lines_that_share_callers_are_whole),
		cmocka_unit_test(frames_of_other_tools_are_understood),
		cmocka_unit_test(comments_and_blank_lines_are_passed_over),
		cmocka_unit_test(bad_line_is_a_warning_that_names_it),
		cmocka_unit_test(fractions_are_rounded_with_one_warning),
		cmocka_unit_test(huge_counts_saturate),
		cmocka_unit_test(deep_stack_is_an_error_that_names_its_line),
		cmocka_unit_test(
		    what_a_line_does_not_show_makes_no_second_line),
		cmocka_unit_test(odd_frames_are_escaped),
		cmocka_unit_test(escaped_frames_read_back),
		cmocka_unit_test(unequal_periods_weigh_by_time_and_say_so),
		cmocka_unit_test(unit_samples_counts_samples),
		cmocka_unit_test(unknown_unit_is_refused),
		cmocka_unit_test(any_chunking_reads_the_same),
		cmocka_unit_test(folded_text_is_recognised),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
