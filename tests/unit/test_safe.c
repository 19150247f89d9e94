/* What is safe to print, how wide it is, and numbers for people. */
#include "text/number.h"
#include "text/safe.h"
#include "text/width.h"

#include "support.h"

/* The text as it is printed. */
static const char *
printed(const char *p, size_t n, int is_ascii, char *buf)
{
	struct safe_text t;
	struct safe_char c;
	char *out = buf;

	safe_init(&t, p, n, is_ascii);
	while (safe_next(&t, &c)) {
		memcpy(out, c.p, c.n);
		out += c.n;
	}
	*out = '\0';
	return buf;
}

static void
assert_printed(const char *s, const char *want, size_t width)
{
	char buf[256];

	assert_string_equal(printed(s, strlen(s), 0, buf), want);
	assert_int_equal(safe_width(s, strlen(s), 0), width);
	/* What is safe stays as it is. */
	assert_string_equal(printed(want, strlen(want), 0, buf), want);
	assert_int_equal(safe_width(want, strlen(want), 0), width);
}

static void
hostile_text_is_escaped(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "\x1b[2J", "\\x1b[2J" },
		{ "\r\n\t\b\a", "\\x0d\\x0a\\x09\\x08\\x07" },
		{ "\x7f", "\\x7f" },
		{ "\xc2\x9b" "2J", "\\xc2\\x9b2J" }, /* U+009B, C1 */
		{ "\xd8\x9c", "\\xd8\\x9c" },        /* U+061C */
		{ "\xe2\x80\x8f", "\\xe2\\x80\\x8f" }, /* U+200F */
		{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" }, /* U+2028 */
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" }, /* U+202E */
		{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6" }, /* U+2066 */
		{ "\xe2\x80\x8b", "\\xe2\\x80\\x8b" }, /* U+200B: hidden */
		{ "\xef\xbb\xbf", "\\xef\\xbb\\xbf" }, /* U+FEFF: hidden */
		{ "\xff", "\\xff" },
		{ "\xc0\x80", "\\xc0\\x80" },         /* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" }, /* a surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xe2\x82", "\\xe2\\x82" },          /* cut off */
		{ "\xcc\x81", "\\xcc\\x81" },          /* a mark alone */
	};
	char text[64], want[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(rows); i++) {
		assert_printed(rows[i].text, rows[i].want,
		    strlen(rows[i].want));
		if (rows[i].text[0] == '\xcc') /* it has something now */
			continue;
		(void)snprintf(text, sizeof(text), "a%sb", rows[i].text);
		(void)snprintf(want, sizeof(want), "a%sb", rows[i].want);
		assert_printed(text, want, strlen(want));
	}
}

static void
other_text_stays(void **state)
{
	char buf[64];

	(void)state;
	assert_printed("", "", 0);
	assert_printed("App\\K::f", "App\\K::f", 8);
	assert_printed("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", 4);
	assert_printed("\xe9\x9d\xa2", "\xe9\x9d\xa2", 2); /* U+9762 */
	assert_printed("e\xcc\x81tat", "e\xcc\x81tat", 4);
	/* More marks than a cell of a screen holds. */
	assert_printed("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
	    "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81", 1);
	assert_string_equal(printed("\xc3\xa9", 2, 1, buf), "\\xc3\\xa9");
	assert_int_equal(safe_width("\xc3\xa9", 2, 1), 8);
}

static void
widths_are_those_of_unicode(void **state)
{
	static const struct {
		uint32_t cp;
		unsigned width;
	} rows[] = { { 0, 1 }, { 'a', 1 }, { 0xad, 1 }, { 0x2ff, 1 },
		{ 0x300, 0 }, { 0x36f, 0 }, { 0x370, 1 }, { 0x600, 1 },
		{ 0x4dc0, 2 }, { 0xd7b0, 0 }, { 0x10ff, 1 },
		{ 0x1100, 2 }, { 0x1160, 0 }, { 0x2500, 1 }, { 0x2e80, 2 },
		{ 0x3042, 2 }, { 0x9762, 2 }, { 0xfe0f, 0 }, { 0xff21, 2 },
		{ 0x1f600, 2 }, { 0x20000, 2 }, { 0x3fffd, 2 },
		{ 0xe0100, 0 }, { 0x10ffff, 1 }, { UINT32_MAX, 1 } };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(char_width(rows[i].cp), rows[i].width);
}

static void
width_of_long_text_stops(void **state)
{
	(void)state;
	assert_int_equal(safe_width_upto("abcdef", 6, 0, 3), 4);
	assert_int_equal(safe_width_upto("abcdef", 6, 0, 6), 6);
}

static void
numbers_are_readable(void **state)
{
	char b[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_count(b, 0), "0");
	assert_string_equal(number_count(b, 1234567), "1,234,567");
	assert_string_equal(number_count(b, UINT64_MAX),
	    "18,446,744,073,709,551,615");
	assert_string_equal(number_nouns(b, 1, "sample"), "1 sample");
	assert_string_equal(number_nouns(b, 2, "sample"), "2 samples");
	assert_string_equal(number_bytes(b, 292), "292 B");
	assert_string_equal(number_bytes(b, 2360000), "2.36 MB");
	assert_string_equal(number_bytes(b, UINT64_MAX), "18.4 EB");
	assert_string_equal(number_time(b, 12), "12 us");
	assert_string_equal(number_time(b, 3140000), "3.14 s");
	assert_string_equal(number_time(b, 7380000000), "2 h 03 m");
	assert_string_equal(number_percent(b, 0.123), " 12.3%");
	assert_string_equal(number_percent(b, 1), "100.0%");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_text_is_escaped),
		cmocka_unit_test(other_text_stays),
		cmocka_unit_test(widths_are_those_of_unicode),
		cmocka_unit_test(width_of_long_text_stops),
		cmocka_unit_test(numbers_are_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
