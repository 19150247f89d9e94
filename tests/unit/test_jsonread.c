/* The pull parser for JSON. */
#include "core/jsonread.h"

#include <stdio.h>

#include "fault.h"
#include "support.h"

struct rig {
	struct bob_ctx *ctx;
	struct in *in;
	struct json_reader j;
};

static void
rig_open(struct rig *t, const char *p, size_t n)
{
	t->ctx = bob_ctx_new();
	assert_non_null(t->ctx);
	assert_int_equal(in_open_memory(t->ctx, p, n, "test", &t->in), BOB_OK);
	json_begin(&t->j, t->in, "test");
}

static void
rig_close(struct rig *t)
{
	json_done(&t->j);
	in_close(t->in);
	bob_ctx_free(t->ctx);
}

/* All pieces as a line: one letter each, with the text of strings and the
 * digits and exponent of numbers. */
static void
list(const char *text, char *to, size_t cap)
{
	static const char letter[] = "{}[]n";
	struct rig t;
	size_t at = 0;
	int r;

	rig_open(&t, text, strlen(text));
	*to = '\0';
	while ((r = json_next(&t.j)) == BOB_OK) {
		assert_true(at < cap - 100);
		if (t.j.kind == JSON_NAME || t.j.kind == JSON_STRING)
			at += (size_t)snprintf(to + at, cap - at, "%s'%.*s' ",
			    t.j.kind == JSON_NAME ? "n" : "",
			    (int)t.j.n_text, t.j.n_text ? t.j.text : "");
		else if (t.j.kind == JSON_NUMBER)
			at += (size_t)snprintf(to + at, cap - at, "%s%llue%d ",
			    t.j.number.is_negative ? "-" : "",
			    (unsigned long long)t.j.number.digits,
			    t.j.number.exponent);
		else if (t.j.kind == JSON_WORD)
			at += (size_t)snprintf(to + at, cap - at, "w ");
		else
			at += (size_t)snprintf(to + at, cap - at, "%c ",
			    letter[t.j.kind]);
	}
	if (r == BOB_FATAL)
		(void)snprintf(to + at, cap - at, "%s",
		    bob_ctx_error(t.ctx)->text);
	rig_close(&t);
}

static void
documents_and_what_they_hold(void **state)
{
	static const struct {
		const char *json, *want;
	} v[] = {
		{ "{}", "{ } " },
		{ " [ ] \n", "[ ] " },
		{ "[1,-20,3.25,4e2,5.5E-1,0,-0.0]",
		    "[ 1e0 -20e0 325e-2 4e2 55e-2 0e0 -0e-1 ] " },
		{ "{\"a\" : [true,false,null] , \"\":{}}",
		    "{ n'a' [ w w w ] n'' { } } " },
		{ "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'a\"\\/\b\f\n\r\t' " },
		{ "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
		    "'A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80' " },
		/* Halves of pairs, alone and in a row. */
		{ "\"\\ud83dx\\ude00\\ud83d\\ud83d\\ude00\"",
		    "'\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd"
		    "\xf0\x9f\x98\x80' " },
		/* More digits than there is room for. */
		{ "123456789012345678901234", "12345678901234567890e4 " },
		{ "0.12345678901234567890123", "12345678901234567890e-20 " },
		{ "1e999999999999", "1e99999 " },
	};
	char got[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		list(v[i].json, got, sizeof(got));
		assert_string_equal(got, v[i].want);
	}
}

static void
what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *json, *want;
	} v[] = {
		{ "", "test: byte 0: the document ends too early" },
		{ "[", "[ test: byte 1: the document ends too early" },
		{ "[1", "[ 1e0 test: byte 2: the document ends too early" },
		{ "[1,", "[ 1e0 test: byte 3: the document ends too early" },
		{ "[1,]", "[ 1e0 test: byte 3: not JSON" },
		{ "[1 2]", "[ 1e0 test: byte 3: a comma is missing" },
		{ "[1}", "[ 1e0 test: byte 2: a comma is missing" },
		{ "{1:2}", "{ test: byte 1: a name is missing" },
		{ "{\"a\" 1}", "{ test: byte 5: a colon is missing" },
		{ "{\"a\":1,}", "{ n'a' 1e0 test: byte 7: a name is missing" },
		{ "{} x", "{ } test: byte 3: something behind the end" },
		{ "nul", "test: byte 0: not JSON" },
		{ "01", "test: byte 1: a number that begins with 0" },
		{ "-", "test: byte 1: the document ends too early" },
		{ "1.x", "test: byte 2: a digit is missing" },
		{ "1e+", "test: byte 3: the document ends too early" },
		{ "\"\\x\"", "test: byte 2: an escape that JSON lacks" },
		{ "\"\\u12g4\"", "test: byte 5: \\u without 4 digits" },
		{ "\"a", "test: byte 2: the document ends too early" },
		{ "\"a\nb\"",
		    "test: byte 2: a control character in a string" },
	};
	char got[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		list(v[i].json, got, sizeof(got));
		assert_string_equal(got, v[i].want);
	}
}

static void
depth_has_a_limit(void **state)
{
	char text[JSON_MAX_DEPTH + 1];
	struct rig t;
	unsigned i;

	(void)state;
	memset(text, '[', sizeof(text));
	rig_open(&t, text, sizeof(text));
	for (i = 0; i < JSON_MAX_DEPTH; i++)
		assert_int_equal(json_next(&t.j), BOB_OK);
	assert_int_equal(json_next(&t.j), BOB_FATAL);
	assert_int_equal(bob_ctx_error(t.ctx)->code, BOB_E_LIMIT);
	rig_close(&t);
}

static void
objects_and_arrays_take_turns(void **state)
{
	static const char text[] = "[{\"a\":[{\"b\":1}]},[{}]]";
	char got[256];

	(void)state;
	list(text, got, sizeof(got));
	assert_string_equal(got, "[ { n'a' [ { n'b' 1e0 } ] } [ { } ] ] ");
}

static void
values_are_passed_over(void **state)
{
	static const char text[] =
	    "{\"a\":{\"x\":[1,{\"y\":\"\\n\"}]},\"b\":\"s\",\"c\":7}";
	struct rig t;

	(void)state;
	rig_open(&t, text, sizeof(text) - 1);
	assert_int_equal(json_next(&t.j), BOB_OK);
	assert_int_equal(json_member(&t.j), BOB_OK);
	assert_true(json_is(&t.j, "a"));
	assert_int_equal(json_skip(&t.j), BOB_OK);
	assert_int_equal(json_member(&t.j), BOB_OK);
	assert_true(json_is(&t.j, "b"));
	assert_false(json_is(&t.j, "bb"));
	assert_int_equal(json_skip(&t.j), BOB_OK);
	assert_int_equal(json_member(&t.j), BOB_OK);
	assert_int_equal(json_next(&t.j), BOB_OK);
	assert_int_equal(t.j.offset, sizeof(text) - 3);
	assert_int_equal(json_skip(&t.j), BOB_OK);
	assert_int_equal(json_member(&t.j), BOB_EOF);
	assert_int_equal(json_next(&t.j), BOB_EOF);
	rig_close(&t);
}

static void
numbers_are_scaled_and_rounded(void **state)
{
	static const struct {
		struct json_number v;
		int power;
		uint64_t want;
	} v[] = {
		{ { 125, -2, 0 }, 6, 1250000 },
		{ { 125, -2, 0 }, 0, 1 },
		{ { 15, -1, 0 }, 0, 2 },
		{ { 149, -2, 0 }, 0, 1 },
		{ { 5, -1, 0 }, 0, 1 },
		{ { 4, -1, 0 }, 0, 0 },
		{ { 9, -5, 0 }, 0, 0 },
		{ { 7, -20000, 0 }, 9, 0 },
		{ { 0, 20000, 0 }, 9, 0 },
		{ { 7, 20000, 0 }, 0, BOB_MAX_COUNT },
		{ { 3, 0, 1 }, 3, 3000 },
		{ { UINT64_MAX, 0, 0 }, 0, BOB_MAX_COUNT },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		assert_int_equal(json_scaled(&v[i].v, v[i].power), v[i].want);
}

static void
memory_may_be_out(void **state)
{
	static const char text[] = "\"some text that needs room\"";
	struct rig t;

	(void)state;
	rig_open(&t, text, sizeof(text) - 1);
	fault_arm(1);
	assert_int_equal(json_next(&t.j), BOB_FATAL);
	fault_arm(0);
	assert_int_equal(bob_ctx_error(t.ctx)->code, BOB_E_NOMEM);
	rig_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_and_what_they_hold),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(objects_and_arrays_take_turns),
		cmocka_unit_test(values_are_passed_over),
		cmocka_unit_test(numbers_are_scaled_and_rounded),
		cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
