/* Variables of PHP: what is asked for, what is found, what it looks like. */
#include "support.h"

#include <math.h>

#include "capture/php/variables/deps.h"
#include "capture/php/variables/spec.h"
#include "capture/php/variables/table.h"
#include "capture/php/variables/text.h"
#include "capture/runtime.h"
#include "core/pattern.h"
#include "../../fuzz/fakemem.h"

/* --- specs --------------------------------------------------------------- */

static const struct {
	const char *text, *why;
} wrong[] = {
	{ "", "character 1: it begins with global::" },
	{ "globals::$x", "character 1: it begins with global::" },
	{ "global::x", "character 9: a variable begins with $" },
	{ "global::$", "character 10: the name of a variable is missing" },
	{ "global::$x.y", "character 11: [key] or ->property may follow" },
	{ "global::$x[", "character 11: a key stands between [ and ]" },
	{ "global::$x[]", "character 11: a key stands between [ and ]" },
	{ "global::$x['a]", "character 11: a quoted key ends with" },
	{ "global::$x->", "character 13: the name of a property" },
	{ "global::$x[a][b][c][d][e][f][g][h][i]", "too many steps" },
	{ "local::$x", "character 8: a function and its variable" },
	{ "local::()$x", "character 8: a function and its variable" },
	{ "func_static::f$x", "character 14: a function and its variable" },
	{ "static::$x", "character 9: a class and its property" },
	{ "static::C::x", "character 9: a class and its property" },
	{ "memory::usage", "character 9: memory_get_usage" },
};

static void
a_wrong_spec_is_refused_with_its_place(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct spec s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(wrong); i++) {
		assert_int_equal(spec_parse(ctx, wrong[i].text, &s),
		    BOB_FAILED);
		assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_USAGE);
		if (strstr(bob_ctx_error(ctx)->text, wrong[i].why) == NULL)
			fail_msg("'%s' gives: %s", wrong[i].text,
			    bob_ctx_error(ctx)->text);
	}
	bob_ctx_free(ctx);
}

static void
a_spec_is_taken_apart(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct spec s;

	(void)state;
	assert_int_equal(spec_parse(ctx,
	    "local::\\A\\B::{closure:1-2}()$x->p['a]b'][-7][007]", &s),
	    BOB_OK);
	assert_int_equal(s.scope, SPEC_LOCAL);
	assert_int_equal(s.owner_len, strlen("A\\B::{closure:1-2}"));
	assert_memory_equal(s.owner, "A\\B::{closure:1-2}", s.owner_len);
	assert_int_equal(s.name.n, 1);
	assert_int_equal(s.n_step, 4);
	assert_true(s.step[0].is_property && !s.step[1].is_property);
	assert_memory_equal(s.step[1].key.s, "a]b", 3);
	assert_int_equal(s.step[1].key.n, 3);
	assert_true(s.step[2].key.is_number);
	assert_int_equal((int64_t)s.step[2].key.h, -7);
	assert_false(s.step[3].key.is_number);
	bob_ctx_free(ctx);
}

static const struct {
	const char *key;
	int is_number;
} keys[] = {
	{ "0", 1 }, { "-0", 0 }, { "00", 0 }, { "1e3", 0 }, { "-", 0 },
	{ "9223372036854775807", 1 }, { "9223372036854775808", 0 },
	{ "-9223372036854775808", 1 }, { "-9223372036854775809", 0 },
	{ " 1", 0 }, { "99999999999999999999", 0 },
};

static void
keys_are_numbers_where_they_are_in_php(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct spec s;
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(keys); i++) {
		(void)snprintf(text, sizeof(text), "global::$a[%s]",
		    keys[i].key);
		assert_int_equal(spec_parse(ctx, text, &s), BOB_OK);
		if (s.step[0].key.is_number != keys[i].is_number)
			fail_msg("%s", keys[i].key);
	}
	bob_ctx_free(ctx);
}

/* --- text ---------------------------------------------------------------- */

static void
expect_text(const char *buf, size_t n, const char *want)
{
	if (n != strlen(want) || memcmp(buf, want, n) != 0)
		fail_msg("%.*s is not %s", (int)n, buf, want);
}

static const struct {
	double v;
	const char *text;
} doubles[] = {
	{ 0, "(float) 0" }, { -0.0, "(float) -0" }, { 3.14, "(float) 3.14" },
	{ 0.1 + 0.2, "(float) 0.3" }, { 1e25, "(float) 1.0E+25" },
	{ 1.5e-7, "(float) 1.5E-7" }, { -2e-10, "(float) -2.0E-10" },
	{ 1e14, "(float) 1.0E+14" }, { 12345678901234.0,
	    "(float) 12345678901234" }, { INFINITY, "(float) INF" },
	{ -INFINITY, "(float) -INF" }, { NAN, "(float) NAN" },
};

static void
numbers_look_as_php_prints_them(void **state)
{
	char buf[VARTEXT_ROOM];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(doubles); i++)
		expect_text(buf, vartext_double(doubles[i].v, buf),
		    doubles[i].text);
	expect_text(buf, vartext_long(INT64_MIN, buf),
	    "(int) -9223372036854775808");
	expect_text(buf, vartext_count(UINT32_MAX, buf),
	    "(array) count=4294967295");
}

static void
strings_are_one_line_of_utf8(void **state)
{
	char buf[VARTEXT_ROOM], s[VARTEXT_MAX_BYTES];
	size_t n, i;

	(void)state;
	expect_text(buf, vartext_string("a\"\\\b\f\n\r\t\x01\x7f/\0b", 13, 0,
	    buf), "(string) \"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7f/\\u0000b\"");
	expect_text(buf, vartext_string("", 0, 0, buf), "(string) \"\"");
	expect_text(buf, vartext_string("a\xff", 2, 0, buf),
	    "(string) \"<invalid-utf8>\"");
	/* As many as there may be, each as long as it can be. */
	for (i = 0; i + 4 <= sizeof(s); i += 4)
		memcpy(s + i, "\xf0\x9f\x90\x98", 4);
	n = vartext_string(s, 4 * VARTEXT_MAX_CHARS, 0, buf);
	assert_int_equal(n, 11 + 4 * VARTEXT_MAX_CHARS);
	n = vartext_string(s, 4 * VARTEXT_MAX_CHARS, 1, buf);
	assert_int_equal(n, 14 + 4 * VARTEXT_MAX_CHARS);
	assert_memory_equal(buf + n - 4, "...\"", 4);
	memset(s, 1, sizeof(s));
	n = vartext_string(s, sizeof(s), 1, buf);
	assert_int_equal(n, 14 + 6 * VARTEXT_MAX_CHARS);
}

/* --- secrets ------------------------------------------------------------- */

static const struct {
	const char *pattern, *value;
	int is_cut;
	const char *told;
} secrets[] = {
	{ "token=\\w+", "a=1&token=abc&b=2", 0, "a=1&***&b=2" },
	{ "\\d+", "12 and 34", 0, "*** and ***" },
	{ "x", "xxx", 0, "*********" },
	{ "x*", "abc", 0, "abc" },
	{ "(?<=id=)\\w+", "id=7,id=8", 0, "id=***,id=***" },
	{ "a\\Kb", "abab", 0, "a***a***" },
	{ ".*", "", 0, "" },
	{ ".+", "all of it", 0, "***" },
	/* Of one that was cut, what may be the beginning of a match. */
	{ "token=\\w{8};", "a token=abcd", 1, "a ***" },
	{ "token=\\w{8};", "a token=abcd", 0, "a token=abcd" },
	{ "token=\\w{8};", "a token=abcdefgh; b", 1, "a *** b" },
	/* And of one that takes too long, everything. */
	{ "^(a+)+$", NULL, 0, "***" },
};

static void
secrets_are_told_as_stars(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct process p = { .ctx = ctx };
	char buf[256], slow[64];
	size_t i, n;

	(void)state;
	memset(slow, 'a', sizeof(slow));
	slow[sizeof(slow) - 2] = '!';
	slow[sizeof(slow) - 1] = '\0';
	for (i = 0; i < COUNT_OF(secrets); i++) {
		const char *value = secrets[i].value != NULL
		    ? secrets[i].value : slow;

		assert_int_equal(pattern_new(ctx, "redact",
		    secrets[i].pattern, &p.redact), BOB_OK);
		n = process_redact(&p, value, strlen(value),
		    secrets[i].is_cut, buf, sizeof(buf));
		expect_text(buf, n, secrets[i].told);
		pattern_free(p.redact);
	}
	bob_ctx_free(ctx);
}

static void
told_secrets_stay_in_their_room(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct process p = { .ctx = ctx };
	char buf[16];
	size_t cap;

	(void)state;
	assert_int_equal(pattern_new(ctx, "redact", "b", &p.redact), BOB_OK);
	for (cap = 0; cap < 12; cap++) {
		memset(buf, '#', sizeof(buf));
		assert_int_equal(process_redact(&p, "abbac", 5, 0, buf, cap),
		    cap < 9 ? cap : 9);
		assert_int_equal(buf[cap < 9 ? cap : 9], '#');
	}
	assert_memory_equal(buf, "a******ac", 9);
	pattern_free(p.redact);
	bob_ctx_free(ctx);
}

/* --- tables -------------------------------------------------------------- */

#define AT ((uint64_t)0x10000)
#define IMAGE 4096

struct image {
	struct fakemem m;
	uint8_t b[IMAGE];
	size_t change_at; /* at this read ... */
	size_t change;    /* ... this byte */
};

static void
change(struct fakemem *m, size_t i, size_t n)
{
	struct image *t = m->user;

	(void)n;
	if (i == 0 && m->mem.n_calls == t->change_at)
		t->b[t->change] ^= 0x5a;
}

static void
put(struct image *t, size_t at, uint64_t v, size_t n)
{
	fakemem_put(&t->m, at, v, n);
}

/* A table at 64 with n buckets from 1024 on, all in one chain, whose keys are
 * "a", "b" and so on, and whose values are 0, 1, ... */
static void
build(struct image *t, uint32_t n)
{
	uint32_t i;

	memset(t, 0, sizeof(*t));
	fakemem_init(&t->m, AT, t->b, IMAGE);
	t->m.before = change;
	t->m.user = t;
	put(t, 64 + ARR_MASK, (uint32_t)-2, 4);
	put(t, 64 + ARR_DATA, AT + 1024, 8);
	put(t, 64 + ARR_USED, n, 4);
	for (i = 0; i < n; i++) {
		size_t at = 1024 + i * BUCKET_SIZE, key = 256 + i * 32;
		char c = (char)('a' + i);

		put(t, at, i, 8);
		put(t, at + ZVAL_TYPE, ZVAL_IS_LONG, 4);
		put(t, at + ZVAL_NEXT, i + 1 < n ? i + 1 : UINT32_MAX, 4);
		put(t, at + BUCKET_HASH, table_key_of(&c, 1).h, 8);
		put(t, at + BUCKET_KEY, AT + key, 8);
		put(t, key + STR_LEN, 1, 8);
		t->b[key + STR_VAL] = (uint8_t)c;
	}
}

static int
find(struct image *t, struct deps *p, const char *name, uint64_t *ret)
{
	struct table_key key = table_key_of(name, strlen(name));

	deps_init(p, &t->m.mem);
	return ht_find(p, php_offsets_of(82), AT + 64, &key, ret);
}

static void
keys_are_found_along_a_chain(void **state)
{
	static struct image t;
	struct deps p;
	uint64_t at;

	(void)state;
	build(&t, 20);
	assert_int_equal(find(&t, &p, "t", &at), TABLE_OK);
	assert_int_equal(at, AT + 1024 + 19 * BUCKET_SIZE);
	assert_true(deps_unchanged(&p, NULL, 0));
	assert_int_equal(find(&t, &p, "u", &at), TABLE_NONE);
	put(&t, 64 + ARR_USED, 0, 4);
	assert_int_equal(find(&t, &p, "a", &at), TABLE_NONE);
}

static void
crafted_tables_end(void **state)
{
	static struct image t;
	struct deps p;
	uint64_t at;

	(void)state;
	/* A chain that bites its tail. */
	build(&t, 3);
	put(&t, 1024 + 2 * BUCKET_SIZE + ZVAL_NEXT, 1, 4);
	assert_int_equal(find(&t, &p, "z", &at), TABLE_TORN);
	assert_true(t.m.mem.n_calls < 200);
	/* A bucket that is none. */
	put(&t, 1024 + 2 * BUCKET_SIZE + ZVAL_NEXT, 7, 4);
	assert_int_equal(find(&t, &p, "z", &at), TABLE_TORN);
	/* A mask that is not one, and one that leads far away. */
	put(&t, 64 + ARR_MASK, 2, 4);
	assert_int_equal(find(&t, &p, "a", &at), TABLE_TORN);
	put(&t, 64 + ARR_MASK, 0x80000000u, 4);
	assert_int_equal(find(&t, &p, "a", &at), TABLE_TORN);
	put(&t, 64 + ARR_MASK, (uint32_t)-2, 4);
	put(&t, 64 + ARR_DATA, UINT64_MAX - 7, 8);
	assert_int_equal(find(&t, &p, "a", &at), TABLE_TORN);
	/* A key that says it is longer than it is. */
	build(&t, 1);
	put(&t, 256 + STR_LEN, UINT64_MAX, 8);
	assert_int_equal(find(&t, &p, "a", &at), TABLE_NONE);
}

static void
references_in_a_circle_end(void **state)
{
	static struct image t;
	const struct php_offsets *o = php_offsets_of(82);
	uint8_t zval[ZVAL_SIZE];
	struct deps p;
	uint64_t at = AT + 512 + REF_VAL;

	(void)state;
	build(&t, 1);
	put(&t, 512 + REF_VAL, AT + 512, 8);
	put(&t, 512 + REF_VAL + ZVAL_TYPE, ZVAL_IS_REFERENCE, 4);
	deps_init(&p, &t.m.mem);
	assert_int_equal(ht_follow(&p, o, &at, zval), TABLE_TORN);
	assert_true(t.m.mem.n_calls < 20);
}

static void
lists_are_as_their_version_has_them(void **state)
{
	static struct image t;
	struct table_key one = { .h = 1, .is_number = 1 };
	struct table_key past = { .h = 3, .is_number = 1 };
	struct deps p;
	uint64_t at;

	(void)state;
	build(&t, 3);
	put(&t, 64 + ARR_FLAGS, ARR_IS_LIST, 4);
	deps_init(&p, &t.m.mem);
	assert_int_equal(ht_find(&p, php_offsets_of(82), AT + 64, &one, &at),
	    TABLE_OK);
	assert_int_equal(at, AT + 1024 + ZVAL_SIZE);
	assert_int_equal(ht_find(&p, php_offsets_of(81), AT + 64, &one, &at),
	    TABLE_OK);
	assert_int_equal(at, AT + 1024 + BUCKET_SIZE);
	assert_int_equal(ht_find(&p, php_offsets_of(82), AT + 64, &past,
	    &at), TABLE_NONE);
	assert_int_equal(find(&t, &p, "a", &at), TABLE_NONE);
}

/* Whatever of the way changes after it was gone: the proof does not hold. */
static void
a_proof_ends_with_what_it_depends_on(void **state)
{
	static const size_t parts[] = { 64 + ARR_MASK, 64 + ARR_DATA,
		1024 + 2 * BUCKET_SIZE + BUCKET_HASH,
		1024 + 2 * BUCKET_SIZE + BUCKET_KEY };
	static struct image t;
	struct deps p;
	uint64_t at;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(parts); i++) {
		build(&t, 4);
		assert_int_equal(find(&t, &p, "c", &at), TABLE_OK);
		t.change = parts[i];
		t.change_at = t.m.mem.n_calls + 2;
		assert_true(deps_unchanged(&p, NULL, 0));
		assert_false(deps_unchanged(&p, NULL, 0));
	}
	/* The value itself and other keys may change. */
	build(&t, 4);
	assert_int_equal(find(&t, &p, "c", &at), TABLE_OK);
	t.b[1024 + 2 * BUCKET_SIZE] ^= 1;
	t.b[1024 + 3 * BUCKET_SIZE + BUCKET_HASH] ^= 1;
	assert_true(deps_unchanged(&p, NULL, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_spec_is_refused_with_its_place),
		cmocka_unit_test(a_spec_is_taken_apart),
		cmocka_unit_test(keys_are_numbers_where_they_are_in_php),
		cmocka_unit_test(numbers_look_as_php_prints_them),
		cmocka_unit_test(strings_are_one_line_of_utf8),
		cmocka_unit_test(secrets_are_told_as_stars),
		cmocka_unit_test(told_secrets_stay_in_their_room),
		cmocka_unit_test(keys_are_found_along_a_chain),
		cmocka_unit_test(crafted_tables_end),
		cmocka_unit_test(references_in_a_circle_end),
		cmocka_unit_test(lists_are_as_their_version_has_them),
		cmocka_unit_test(a_proof_ends_with_what_it_depends_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
