/* Breaking text into lines. */
#include "text/wrap.h"

#include <string.h>

#include "support.h"

/* All lines of a text, with '|' between them; `column` of the first one are
 * used. */
static const char *
lines(const char *text, size_t column, size_t width)
{
	static char buf[256];
	size_t n = strlen(text), at = 0, len, next;
	unsigned turns = 0;

	while (n > 0) {
		len = wrap_line(text, n, column, column > 0, width, &next);
		assert_true(len <= next && next <= n);
		assert_true(++turns < 100 && at + len + 1 < sizeof(buf));
		memcpy(buf + at, text, len);
		at += len;
		text += next;
		n -= next;
		if (n > 0)
			buf[at++] = '|';
		column = 0;
	}
	buf[at] = '\0';
	return buf;
}

static void
lines_end_at_spaces(void **state)
{
	(void)state;
	assert_string_equal(lines("one two three", 0, 20), "one two three");
	assert_string_equal(lines("one two three", 0, 7), "one two|three");
	assert_string_equal(lines("one two three", 0, 6), "one|two|three");
	assert_string_equal(lines("one   two", 0, 4), "one|two");
	assert_string_equal(lines("one two", 0, 3), "one|two");
	assert_string_equal(lines("", 0, 3), "");
	/* Colours take no column. */
	assert_string_equal(lines("\033[31mone\033[0m two", 0, 7),
	    "\033[31mone\033[0m two");
	assert_string_equal(lines("\033[31mone\033[0m two", 0, 4),
	    "\033[31mone\033[0m|two");
}

static void
a_line_that_is_begun_may_get_nothing(void **state)
{
	(void)state;
	assert_string_equal(lines("three", 4, 8), "|three");
	assert_string_equal(lines(" three", 4, 8), "|three");
	assert_string_equal(lines(" one", 4, 8), " one");
	assert_string_equal(lines("a", 9, 8), "|a");
}

static void
numbers_keep_their_units(void **state)
{
	(void)state;
	assert_string_equal(lines("in 370 ms.", 0, 8), "in|370 ms.");
	assert_string_equal(lines("has 24.0 % \xc2\xb1 6.7 of", 0, 10),
	    "has 24.0 %|\xc2\xb1 6.7 of");
	assert_string_equal(lines("some 12 of us", 0, 7), "some 12|of us");
	assert_string_equal(lines("a 12 samples", 0, 7), "a 12|samples");
}

static void
long_words_are_broken_behind_slashes(void **state)
{
	(void)state;
	assert_string_equal(lines("abcdefgh", 0, 3), "abc|def|gh");
	assert_string_equal(lines("/srv/app/Shop.php:123", 0, 15),
	    "/srv/app/|Shop.php:123");
	assert_string_equal(lines("App\\Shop\\Cart::load", 0, 12),
	    "App\\Shop\\|Cart::load");
	assert_string_equal(lines("a abcdef", 0, 4), "a|abcd|ef");
	/* Wide characters, marks, and bytes that are no UTF-8. */
	assert_string_equal(lines("\xe4\xb8\xad\xe4\xb8\xad", 0, 3),
	    "\xe4\xb8\xad|\xe4\xb8\xad");
	assert_string_equal(lines("ae\xcc\x81z", 0, 2), "ae\xcc\x81|z");
	assert_string_equal(lines("\xff\xff\xff", 0, 2), "\xff\xff|\xff");
	/* A character that no line has room for. */
	assert_string_equal(lines("\xe4\xb8\xad\xe4\xb8\xad", 0, 1),
	    "\xe4\xb8\xad|\xe4\xb8\xad");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_at_spaces),
		cmocka_unit_test(a_line_that_is_begun_may_get_nothing),
		cmocka_unit_test(numbers_keep_their_units),
		cmocka_unit_test(long_words_are_broken_behind_slashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
