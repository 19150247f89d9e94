/*
 * The kind of every character, and how outputs escape those that are not safe.
 * The sources are compiled into this program with char signed and unsigned,
 * because the result must not depend on the machine.
 */
#include <limits.h>
#include <stdlib.h>

#include "capture/python/values/repr_text.h"
#include "core/chars.h"
#include "core/json.h"
#include "core/utf8.h"
#include "format/flame/flame.h"
#include "format/heatmap/heatmap.h"
#include "support.h"

#define ALL 0x110000u

static size_t
encode(char to[4], uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	for (i = n; i > 1; i--, c >>= 6)
		to[i - 1] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
	return n;
}

/* Written anew from the Unicode standard: categories Cc, Zl and Zp, and the
 * property Bidi_Control. */
static int
acts(uint32_t c)
{
	return c < 0x20 || c == 0x7f || (c >= 0x80 && c <= 0x9f) ||
	    c == 0x2028 || c == 0x2029 || c == 0x61c || c == 0x200e ||
	    c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069);
}

static int
is_surrogate(uint32_t c)
{
	return c >= 0xd800 && c <= 0xdfff;
}

static void
the_flag_of_this_program_holds(void **state)
{
	(void)state;
#ifdef WANT_UNSIGNED
	assert_int_equal(CHAR_MIN, 0);
#else
	assert_true(CHAR_MIN < 0);
#endif
}

static void
every_character_is_of_one_kind(void **state)
{
	size_t n_hidden = 0, n_acts = 0, n;
	uint32_t c, back = 0;
	char p[4];

	(void)state;
	for (c = 0; c < ALL; c++) {
		enum bob_char_kind kind = bob_char_kind(c);

		assert_int_equal(kind == BOB_CHAR_ACTS,
		    acts(c) || is_surrogate(c));
		n_hidden += kind == BOB_CHAR_HIDDEN;
		n = encode(p, c);
		assert_int_equal(bob_char_take(p, n, &back),
		    is_surrogate(c) ? 0 : n);
		if (is_surrogate(c))
			continue;
		assert_int_equal(back, c);
		assert_int_equal(bob_char_take(p, n - 1, &back), 0);
		assert_int_equal(chars_acting(p, n), acts(c) ? n : 0);
		n_acts += kind == BOB_CHAR_ACTS;
	}
	assert_int_equal(n_acts, 32 + 1 + 32 + 2 + 12);
	/* Default_Ignorable_Code_Point of Unicode has 4174 code points; 12
	 * of them act, 260 are variation selectors and U+180F; with U+FFF9
	 * to U+FFFB. */
	assert_int_equal(n_hidden, 4174 - 12 - 260 + 3);
	assert_int_equal(bob_char_kind(ALL), BOB_CHAR_ACTS);
	assert_int_equal(bob_char_kind(UINT32_MAX), BOB_CHAR_ACTS);
}

/* All of a text are characters that may be shown. */
static void
assert_shown(const char *p, size_t n, uint32_t of)
{
	uint32_t c = 0;
	size_t len;

	for (; n > 0; p += len, n -= len) {
		len = bob_char_take(p, n, &c);
		if (len == 0 || bob_char_kind(c) != BOB_CHAR_PLAIN)
			fail_msg("U+%04X is shown", of);
	}
}

struct outputs {
	struct bob_ctx *ctx;
	struct out *out;
	struct text text;
	struct flame_page page;
	struct sink sink;
	struct repr_text repr;
};

static void
look_at_heatmap(struct outputs *o, const char *p, size_t n, int is_html,
    uint32_t c)
{
	text_begin(&o->text, o->out);
	heatmap_put_text(&o->text, (struct bob_bytes){ p, n }, is_html);
	if (c != '\t')
		assert_shown(o->text.p, o->text.n, c);
}

static void
look_at_others(struct outputs *o, const char *p, size_t n, uint32_t c)
{
	struct bob_bytes b = flame_clean(&o->page, (struct bob_bytes){ p, n });

	assert_shown(b.p, b.n, c);
	text_begin(&o->text, o->out);
	json_string(&o->text, p, n);
	assert_int_equal(chars_acting(p, n) > 0,
	    o->text.n > 2 && o->text.p[1] == '\\' && c != '"' && c != '\\' &&
	    c != '<' && c != '>' && c != '&');
	text_begin(&o->text, o->out);
	text_escaped(&o->text, p, n, TEXT_CTL);
	assert_int_equal(o->text.n, acts(c) ? 3 * n : n);
	assert_int_equal(text_unescape(o->text.p, o->text.p, o->text.n), n);
	assert_memory_equal(o->text.p, p, n);
}

static void
no_output_shows_what_acts(void **state)
{
	struct outputs o = { .ctx = *state };
	uint32_t c;
	char p[4];
	size_t n;

	assert_int_equal(out_open_memory(o.ctx, &o.out), BOB_OK);
	o.sink.ctx = o.ctx;
	o.page.sink = &o.sink;
	for (c = 0; c < ALL; c++) {
		if (is_surrogate(c))
			continue;
		n = encode(p, c);
		look_at_heatmap(&o, p, n, 0, c);
		look_at_heatmap(&o, p, n, 1, c);
		look_at_others(&o, p, n, c);
		o.repr.n = 0;
		repr_quoted(&o.repr, p, n, 0, 0);
		assert_shown(o.repr.p, o.repr.n, c);
	}
	free(o.page.clean);
	text_done(&o.text);
	out_discard(o.out);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_flag_of_this_program_holds),
		cmocka_unit_test(every_character_is_of_one_kind),
		cmocka_unit_test_setup_teardown(no_output_shows_what_acts,
		    ctx_setup, ctx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
