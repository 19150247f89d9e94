/* JSON strings and numbers. */
#include "core/json.h"

#include "support.h"

static struct out *out;
static struct text text;

static int
setup(void **state)
{
	if (ctx_setup(state) != 0)
		return -1;
	return out_open_memory(*state, &out);
}

static int
teardown(void **state)
{
	text_done(&text);
	out_discard(out);
	return ctx_teardown(state);
}

static void
assert_string(const char *p, size_t n, const char *want)
{
	const uint8_t *got;
	size_t len;

	text_begin(&text, out);
	json_string(&text, p, n);
	assert_int_equal(text_commit(&text), BOB_OK);
	got = out_memory_take(out, &len);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(got, want, len);
}

#define assert_json(s, want) assert_string(s, sizeof(s) - 1, want)

static void
plain_text_stays(void **state)
{
	(void)state;
	assert_json("", "\"\"");
	assert_json("App\\K::f", "\"App\\\\K::f\"");
	assert_json("say \"x\"", "\"say \\\"x\\\"\"");
	assert_json("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8d",
	    "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8d\"");
}

static void
what_could_end_a_script_or_a_line_is_escaped(void **state)
{
	(void)state;
	assert_json("</script>&", "\"\\u003c/script\\u003e\\u0026\"");
	assert_json("a\nb\tc\x01\x7f", "\"a\\nb\\tc\\u0001\\u007f\"");
	assert_json("a\0b", "\"a\\u0000b\"");
	assert_json("\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xaa",
	    "\"\\u2028|\\u2029|\\u202a\"");
}

static void
what_is_not_utf8_is_replaced(void **state)
{
	(void)state;
	assert_json("a\xff" "b", "\"a\xef\xbf\xbd" "b\"");
	assert_json("\xe2\x80", "\"\xef\xbf\xbd\"");
	assert_json("\xed\xa0\x80",
	    "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void
assert_thousandths(int64_t v, const char *want)
{
	const uint8_t *got;
	size_t len;

	text_begin(&text, out);
	json_thousandths(&text, v);
	assert_int_equal(text_commit(&text), BOB_OK);
	got = out_memory_take(out, &len);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(got, want, len);
}

static void
thousandths_have_no_exponent_and_no_zeros_behind(void **state)
{
	(void)state;
	assert_thousandths(0, "0");
	assert_thousandths(1500, "1.5");
	assert_thousandths(1005, "1.005");
	assert_thousandths(-7, "-0.007");
	assert_thousandths(42000, "42");
	assert_thousandths(230, "0.23");
	assert_thousandths(INT64_MAX, "9223372036854775.807");
	assert_thousandths(INT64_MIN, "-9223372036854775.808");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plain_text_stays, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(
		    what_could_end_a_script_or_a_line_is_escaped, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(what_is_not_utf8_is_replaced,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(
		    thousandths_have_no_exponent_and_no_zeros_behind, setup,
		    teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
