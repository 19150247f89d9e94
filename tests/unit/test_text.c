/* Building text, escaping, numbers, lines, and texts by id. */
#include "core/text.h"

#include <stdlib.h>

#include "core/lines.h"
#include "core/textmemo.h"
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

/* What was committed so far is `want`. */
static void
assert_written(const char *want)
{
	assert_int_equal(out->len, strlen(want));
	assert_memory_equal(out->buf, want, out->len);
	out->len = 0;
}

static void
assert_escaped(const char *p, size_t n, unsigned kinds, const char *want)
{
	text_begin(&text, out);
	text_escaped(&text, p, n, kinds);
	assert_int_equal(text_commit(&text), BOB_OK);
	assert_written(want);
}

/* Escapes p and expects `want`; undone, it must be p again. */
static void
assert_both_ways(const char *p, unsigned kinds, const char *want)
{
	char back[100];
	size_t n;

	assert_escaped(p, strlen(p), kinds, want);
	n = text_unescape(back, want, strlen(want));
	assert_int_equal(n, strlen(p));
	assert_memory_equal(back, p, n);
}

static void
numbers_of_all_sizes_are_written(void **state)
{
	(void)state;
	text_begin(&text, out);
	text_u64(&text, 0);
	text_byte(&text, ' ');
	text_u64(&text, UINT64_MAX);
	text_byte(&text, ' ');
	text_i64(&text, INT64_MIN);
	text_byte(&text, ' ');
	text_i64(&text, -1);
	text_byte(&text, ' ');
	text_hex(&text, UINT64_MAX);
	text_byte(&text, ' ');
	text_digits(&text, 42, 6);
	assert_int_equal(text_commit(&text), BOB_OK);
	assert_written("0 18446744073709551615 -9223372036854775808 -1 "
	               "ffffffffffffffff 000042");
}

/* Digits are made in pairs: every length, against the library. */
static void
digits_are_those_of_printf(void **state)
{
	char got[TEXT_MAX_U64], want[TEXT_MAX_U64 + 1];
	uint64_t power = 1, v;
	unsigned i, n;

	(void)state;
	for (i = 0; i < 20; i++, power *= 10)
		for (v = power - 1; v <= power + 1; v++) {
			n = (unsigned)snprintf(want, sizeof(want), "%llu",
			    (unsigned long long)v);
			assert_int_equal(text_format_u64(got, v), n);
			assert_memory_equal(got, want, n);
		}
}

static void
escapes_are_undone(void **state)
{
	(void)state;
	assert_both_ways("a;b", TEXT_SEMI, "a%3Bb");
	assert_both_ways("a;b c\n", TEXT_CTL, "a;b c%0A");
	assert_both_ways(" \x7f", TEXT_CTL | TEXT_SPACE, "%20%7F");
	assert_both_ways("a sentence that is long enough; with one\tescape",
	    TEXT_CTL, "a sentence that is long enough; with one%09escape");
}

static void
percent_is_escaped_where_it_looks_like_an_escape(void **state)
{
	(void)state;
	assert_both_ways("100%", TEXT_SEMI, "100%");
	assert_both_ways("%;", TEXT_SEMI, "%%3B");
	assert_both_ways("%2;", TEXT_SEMI, "%2%3B");
	assert_both_ways("%3B", TEXT_SEMI, "%253B");
	assert_both_ways("%41", TEXT_SEMI, "%2541");
	assert_both_ways("%253b", TEXT_SEMI, "%25253b");
	assert_escaped("%41\n", 4, TEXT_CTL | TEXT_ONE_WAY, "%41%0A");
}

static void
foreign_escapes_are_left_alone(void **state)
{
	char back[10];

	(void)state;
	assert_int_equal(text_unescape(back, "%41%zz%4", 8), 8);
	assert_memory_equal(back, "%41%zz%4", 8);
}

static void
listing_is_plain_ascii(void **state)
{
	(void)state;
	assert_escaped("a b%,;=\xff\0z~!", 12, TEXT_LISTING,
	    "a%20b%25%2C%3B%3D%FF%00z~!");
}

static void
long_text_goes_out_in_pieces(void **state)
{
	static char big[3 * TEXT_SPILL + 5];

	(void)state;
	memset(big, 'x', sizeof(big));
	text_begin(&text, out);
	text_byte(&text, '<');
	text_bytes(&text, big, sizeof(big));
	text_byte(&text, '>');
	assert_true(text.is_spilled);
	assert_true(text.cap_p <= 2 * TEXT_SPILL);
	assert_int_equal(text_commit(&text), BOB_OK);
	assert_int_equal(out->len, sizeof(big) + 2);
	assert_int_equal(out->buf[out->len - 1], '>');
	out->len = 0;
}

static void
numbers_are_read_or_refused(void **state)
{
	uint64_t u;
	int64_t i;

	(void)state;
	assert_true(text_get_u64("18446744073709551615", 20, &u));
	assert_true(u == UINT64_MAX);
	assert_false(text_get_u64("18446744073709551616", 20, &u));
	assert_false(text_get_u64("", 0, &u));
	assert_false(text_get_u64("1x", 2, &u));
	assert_false(text_get_u64("-1", 2, &u));
	assert_true(text_get_i64("-9223372036854775808", 20, &i));
	assert_true(i == INT64_MIN);
	assert_true(text_get_i64("9223372036854775807", 19, &i));
	assert_true(i == INT64_MAX);
	assert_false(text_get_i64("9223372036854775808", 19, &i));
	assert_false(text_get_i64("-9223372036854775809", 20, &i));
	assert_false(text_get_i64("-", 1, &i));
	assert_true(text_get_i64("-0", 2, &i));
	assert_int_equal(i, 0);
	assert_true(text_get_hex("fFfFfFfFfFfFfFfF", 16, &u));
	assert_true(u == UINT64_MAX);
	assert_false(text_get_hex("10000000000000000", 17, &u));
	assert_false(text_get_hex("", 0, &u));
}

/* All lines of the input, with | behind each; A where it said AGAIN. */
static int
read_lines(struct bob_ctx *ctx, struct chunks *c, struct buf *got,
    unsigned *n_again)
{
	struct lines l;
	struct in *in;
	const char *p;
	size_t n;
	int r;

	assert_int_equal(in_open_fn(ctx, chunks_read, c, "text", &in), BOB_OK);
	lines_init(&l, in, "test");
	*n_again = 0;
	while ((r = lines_next(&l, &p, &n)) == BOB_OK || r == BOB_AGAIN) {
		if (r == BOB_AGAIN) {
			(*n_again)++;
			continue;
		}
		put_bytes(got, p, n);
		put_byte(got, '|');
	}
	in_close(in);
	return r;
}

static void
lines_end_in_any_way(void **state)
{
	static const char in[] = "one\r\n\ntwo\rx\nlast";
	static const char want[] = "one||two\rx|last|";
	struct chunks all = { .p = (const uint8_t *)in, .n = strlen(in),
		.step = 100 };
	struct chunks drops = trickle(in, strlen(in));
	struct buf got = { 0 };
	unsigned n_again;

	assert_int_equal(read_lines(*state, &all, &got, &n_again), BOB_EOF);
	assert_int_equal(n_again, 0);
	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
	got.n = 0;
	assert_int_equal(read_lines(*state, &drops, &got, &n_again), BOB_EOF);
	assert_true(n_again >= strlen(in) - 1);
	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
	buf_free(&got);
}

static void
endless_line_is_an_error_that_names_it(void **state)
{
	struct buf in = { 0 }, got = { 0 };
	struct chunks c = { .step = 1 << 20 };
	unsigned n_again;
	size_t i;

	put_text(&in, "first\n");
	for (i = 0; i <= BOB_MAX_LINE; i += 16)
		put_text(&in, "0123456789abcdef");
	c.p = in.p;
	c.n = in.n;
	assert_int_equal(read_lines(*state, &c, &got, &n_again), BOB_FATAL);
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_LIMIT);
	assert_string_equal(bob_ctx_error(*state)->text,
	    "test: line 2: longer than 16777216 bytes");
	buf_free(&in);
	buf_free(&got);
}

static void
warnings_fall_silent(void **state)
{
	struct diags diags;
	struct bob_ctx *ctx = ctx_with(&diags);
	struct lines l;
	struct in *in;
	unsigned i;

	(void)state;
	assert_int_equal(in_open_memory(ctx, "", 0, "text", &in), BOB_OK);
	lines_init(&l, in, "test");
	for (i = 0; i < 3 * LINES_MAX_WARNINGS; i++)
		lines_warn(&l, "odd");
	assert_int_equal(diags.n_warnings, LINES_MAX_WARNINGS);
	assert_string_equal(diags.last.text, "test: line 0: odd (more lines "
	                                     "like this are not reported)");
	in_close(in);
	bob_ctx_free(ctx);
}

static void
memo_keeps_within_its_memory(void **state)
{
	static char big[TEXTMEMO_MAX_TEXT + 1];
	struct textmemo m = { 0 };
	size_t n;
	uint32_t id;

	memset(big, 'x', sizeof(big));
	assert_null(textmemo_get(&m, 0, &n));
	assert_int_equal(textmemo_put(&m, *state, 7, "seven", 5), BOB_OK);
	assert_int_equal(textmemo_put(&m, *state, 3, "", 0), BOB_OK);
	assert_memory_equal(textmemo_get(&m, 7, &n), "seven", 5);
	assert_int_equal(n, 5);
	assert_non_null(textmemo_get(&m, 3, &n));
	assert_int_equal(n, 0);
	assert_null(textmemo_get(&m, 4, &n));
	assert_int_equal(textmemo_put(&m, *state, 8, big, sizeof(big)),
	    BOB_OK);
	assert_null(textmemo_get(&m, 8, &n));
	for (id = 100; id < 200; id++)
		assert_int_equal(textmemo_put(&m, *state, id, big,
		    sizeof(big) - 1), BOB_OK);
	assert_non_null(textmemo_get(&m, 199, &n));
	assert_null(textmemo_get(&m, 7, &n));
	assert_true(m.cap_text <= TEXTMEMO_MAX);
	textmemo_done(&m);
}

static void
a_text_may_be_shorter_than_its_tail(void **state)
{
	char *one = malloc(1);

	(void)state;
	assert_non_null(one);
	one[0] = '}';
	assert_true(text_ends_in(one, 1, "}"));
	assert_true(text_ends_in(one, 1, ""));
	assert_false(text_ends_in(one, 1, "{}"));
	assert_false(text_ends_in(one, 0, "}"));
	assert_true(text_ends_in("A::{closure}", 12, "{closure}"));
	assert_false(text_ends_in("A::{closure}", 11, "{closure}"));
	free(one);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(numbers_of_all_sizes_are_written),
		TEST(digits_are_those_of_printf),
		TEST(escapes_are_undone),
		TEST(percent_is_escaped_where_it_looks_like_an_escape),
		TEST(foreign_escapes_are_left_alone),
		TEST(listing_is_plain_ascii),
		TEST(long_text_goes_out_in_pieces),
		TEST(numbers_are_read_or_refused),
		TEST(lines_end_in_any_way),
		TEST(endless_line_is_an_error_that_names_it),
		TEST(warnings_fall_silent),
		TEST(memo_keeps_within_its_memory),
		TEST(a_text_may_be_shorter_than_its_tail),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
