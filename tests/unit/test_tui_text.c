/*
 * The explorer's text and keys: what foreign bytes become on a screen, and
 * what bytes of a terminal mean.
 */
#include <locale.h>

#include "explore/keymap.h"
#include "text/safe.h"
#include "tui/canvas.h"
#include "tui/glyph.h"
#include "tui/key.h"
#include "tui/label.h"

#include "support.h"

/* A row of a canvas as UTF-8, without blanks at its end. */
static const char *
row_text(const struct canvas *c, int y, char *buf)
{
	char *out = buf, *end = buf;
	int x, i;

	for (x = 0; x < c->cols; x++) {
		const struct cell *cell = &c->cell[y * c->cols + x];

		for (i = 0; cell->width > 0 && i < 1 + SAFE_MARKS &&
		     cell->ch[i] != 0; i++) {
			uint32_t cp = cell->ch[i];

			if (cp < 0x80) {
				*out++ = (char)cp;
			} else if (cp < 0x800) {
				*out++ = (char)(0xc0 | cp >> 6);
				*out++ = (char)(0x80 | (cp & 0x3f));
			} else {
				*out++ = (char)(0xe0 | cp >> 12);
				*out++ = (char)(0x80 | (cp >> 6 & 0x3f));
				*out++ = (char)(0x80 | (cp & 0x3f));
			}
			if (cp != ' ')
				end = out;
		}
	}
	*end = '\0';
	return buf;
}

/* What a text looks like in w columns. */
static const char *
shown(const char *text, int w, int fit, int is_ascii, char *buf)
{
	struct canvas c = { .is_ascii = is_ascii };
	struct rect all = { 0, 0, 40, 1 };

	assert_int_equal(canvas_resize(&c, 40, 1), 0);
	(void)canvas_text(&c, &all, 0, 0, w, text, strlen(text), fit, 0);
	(void)row_text(&c, 0, buf);
	canvas_done(&c);
	return buf;
}

static void
text_is_cut_between_glyphs(void **state)
{
	char b[256];

	(void)state;
	assert_string_equal(shown("abcdef", 6, FIT_LEFT, 0, b), "abcdef");
	assert_string_equal(shown("abcdef", 5, FIT_LEFT, 0, b), "abcd…");
	assert_string_equal(shown("abcdef", 5, FIT_RIGHT, 0, b), "…cdef");
	assert_string_equal(shown("abc", 5, FIT_RIGHT, 0, b), "  abc");
	assert_string_equal(shown("abcdef", 5, FIT_LEFT, 1, b), "abcd~");
	/* A wide one is whole or not there. */
	assert_string_equal(shown("渲染页面", 8, FIT_LEFT, 0, b), "渲染页面");
	assert_string_equal(shown("渲染页面", 7, FIT_LEFT, 0, b), "渲染页…");
	assert_string_equal(shown("渲染页面", 6, FIT_LEFT, 0, b), "渲染…");
	assert_string_equal(shown("渲染页面", 6, FIT_RIGHT, 0, b), "… 页面");
	/* A mark stays with its letter. */
	assert_string_equal(shown("e\xcc\x81tat", 4, FIT_LEFT, 0, b),
	    "e\xcc\x81tat");
	assert_string_equal(shown("ae\xcc\x81tats", 3, FIT_LEFT, 0, b),
	    "ae\xcc\x81…");
}

static void
what_could_steer_a_terminal_is_escaped(void **state)
{
	char b[256];

	(void)state;
	assert_string_equal(shown("a\033[0mb", 40, FIT_LEFT, 0, b),
	    "a\\x1b[0mb");
	assert_string_equal(shown("\x7f\xc2\x9b", 40, FIT_LEFT, 0, b),
	    "\\x7f\\xc2\\x9b");
	assert_string_equal(shown("x\xe2\x80\xaey", 40, FIT_LEFT, 0, b),
	    "x\\xe2\\x80\\xaey");
	assert_string_equal(shown("\xff\xc0\x80", 40, FIT_LEFT, 0, b),
	    "\\xff\\xc0\\x80");
	assert_string_equal(shown("\xcc\x81z", 40, FIT_LEFT, 0, b),
	    "\\xcc\\x81z"); /* a mark on nothing */
	assert_string_equal(shown("é", 40, FIT_LEFT, 1, b), "\\xc3\\xa9");
}

static void
drawing_stays_inside(void **state)
{
	struct canvas c = { 0 };
	struct rect r = { 3, 0, 4, 1 };
	char b[256];

	(void)state;
	assert_int_equal(canvas_resize(&c, 10, 2), 0);
	canvas_fill(&c, &r, -2, 0, 20, '#', 0);
	canvas_fill(&c, &r, 0, 1, 4, '#', 0);
	assert_string_equal(row_text(&c, 0, b), "   ####");
	assert_string_equal(row_text(&c, 1, b), "");
	/* Half a wide one at the edge is not drawn. */
	(void)canvas_text(&c, &r, 3, 0, 4, "面", 3, FIT_LEFT, 0);
	assert_string_equal(row_text(&c, 0, b), "   ###…");
	canvas_done(&c);
}

static void
signs_have_twins(void **state)
{
	struct canvas plain = { .is_ascii = 1 }, utf8 = { 0 };
	char b[64];
	int i;

	(void)state;
	for (i = 0; i < N_GLYPHS; i++) {
		assert_true(glyph(&plain, (enum glyph)i) >= 0x20);
		assert_true(glyph(&plain, (enum glyph)i) < 0x7f);
		assert_true(glyph(&utf8, (enum glyph)i) != 0);
	}
	for (i = 0; i < 256; i++)
		assert_true(glyph_dots(&plain, (unsigned)i) < 0x7f);
	assert_int_equal(glyph_dots(&utf8, 0xff), 0x28ff);
	assert_int_equal(glyph_dots(&utf8, 0x01), 0x2801);
	assert_int_equal(glyph_dots(&utf8, 0x80), 0x2880);
	assert_int_equal(glyph_block(&utf8, 8), 0x2588);
	assert_string_equal(glyph_text(&plain, b, sizeof(b), "a · b — δ…"),
	    "a - b - d~");
}

/* ---- Keys ---------------------------------------------------------------- */

static void
keys_are_named_whatever_the_chunks(void **state)
{
	static const char bytes[] = "j\033[A\033OB\033[5~\x06\t\r\x7f é"
	                            "\033[<65;10;20M\033[<0;1;2m\033";
	static const char *const names[] = { "j", "Up", "Down", "PgUp", "^F",
		"Tab", "Enter", "Backspace", "Space", "é", NULL, NULL, "Esc" };
	size_t chunk, at, i, n = sizeof(bytes) - 1;

	(void)state;
	for (chunk = 1; chunk <= n; chunk++) {
		struct keys k = { .n = 0 };
		struct event e;

		i = 0;
		for (at = 0; at < n; at += chunk) {
			keys_feed(&k, bytes + at,
			    n - at < chunk ? n - at : chunk);
			while (keys_next(&k, 0, &e)) {
				assert_true(i < COUNT_OF(names));
				if (names[i] != NULL)
					assert_string_equal(e.name, names[i]);
				i++;
				if (i == 11) {
					assert_int_equal(e.mouse,
					    MOUSE_WHEEL_DOWN);
					assert_int_equal(e.x, 9);
					assert_int_equal(e.y, 19);
				}
				if (i == 12)
					assert_int_equal(e.mouse,
					    MOUSE_RELEASE);
			}
		}
		/* A lone Esc is only known when nothing follows. */
		assert_int_equal(i, 12);
		assert_int_equal(keys_next(&k, 1, &e), 1);
		assert_string_equal(e.name, "Esc");
		assert_int_equal(keys_next(&k, 1, &e), 0);
	}
}

static void
endless_sequences_end(void **state)
{
	struct keys k = { .n = 0 };
	struct event e;
	char bytes[200];
	size_t i;

	(void)state;
	memset(bytes, '9', sizeof(bytes));
	bytes[0] = '\033';
	bytes[1] = '[';
	keys_feed(&k, bytes, sizeof(bytes));
	for (i = 0; keys_next(&k, 0, &e); i++)
		assert_true(e.n_raw <= KEY_RAW);
	assert_true(i > 0);
	assert_int_equal(k.n, 0);
	/* An Esc inside begins something new. */
	keys_feed(&k, "\033O\003", 3);
	assert_int_equal(keys_next(&k, 0, &e), 1);
	assert_string_equal(e.name, "");
	assert_int_equal(keys_next(&k, 0, &e), 1);
	assert_string_equal(e.name, "^C");
	keys_feed(&k, "\033[12\033[A", 8);
	assert_int_equal(keys_next(&k, 0, &e), 1);
	assert_string_equal(e.name, "");
	assert_int_equal(keys_next(&k, 0, &e), 1);
	assert_string_equal(e.name, "Up");
}

static void
count_warning(void *user, const char *text)
{
	(void)text;
	++*(int *)user;
}

static int
action_of(const struct keymap *k, const char *bytes)
{
	struct keys keys = { .n = 0 };
	struct event e;

	keys_feed(&keys, bytes, strlen(bytes));
	assert_int_equal(keys_next(&keys, 1, &e), 1);
	return keymap_action(k, &e);
}

static void
every_action_has_a_key_of_its_own(void **state)
{
	struct keymap k;
	char b[64];
	size_t i, j;
	int a;

	(void)state;
	keymap_init(&k);
	for (a = 1; a < N_ACTIONS; a++) {
		assert_true(keymap_keys(&k, a, b, sizeof(b))[0] != '\0');
		assert_true(action_info(a)->help[0] != '\0');
		assert_int_equal(action_named(action_info(a)->name,
		    strlen(action_info(a)->name)), a);
	}
	for (i = 0; i < k.n; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(k.binding[i].key,
			    k.binding[j].key);
	assert_int_equal(action_of(&k, "j"), ACT_DOWN);
	assert_int_equal(action_of(&k, "\033[B"), ACT_DOWN);
	assert_int_equal(action_of(&k, "\x02"), ACT_PAGE_UP);
	assert_int_equal(action_of(&k, "\033[Z"), ACT_PREV_PANE);
	assert_int_equal(action_of(&k, "Q"), ACT_NONE);
}

static void
key_maps_change_what_they_name(void **state)
{
	static const char json[] = "{ \"quit\": [\"Q\", \"\\u001b[15~\"],\n"
	    "\"down\": [\"k\"], \"fly\": [\"y\"], \"up\": [] }";
	struct keymap k;
	char err[128];
	int warnings = 0;

	(void)state;
	keymap_init(&k);
	assert_int_equal(keymap_parse(&k, json, strlen(json), count_warning,
	    &warnings, err, sizeof(err)), 0);
	assert_int_equal(warnings, 1);
	assert_int_equal(action_of(&k, "Q"), ACT_QUIT);
	assert_int_equal(action_of(&k, "\033[15~"), ACT_QUIT);
	assert_int_equal(action_of(&k, "q"), ACT_NONE);
	assert_int_equal(action_of(&k, "k"), ACT_DOWN);
	assert_int_equal(action_of(&k, "\033[A"), ACT_NONE);
	assert_int_equal(action_of(&k, "g"), ACT_TOP);
}

static void
bad_key_maps_are_refused(void **state)
{
	static const char *const bad[] = { "", "[]", "{", "{\"quit\"}",
		"{\"quit\":}", "{\"quit\":[}", "{\"quit\":[1]}",
		"{\"quit\":[\"q\"", "{\"quit\":[\"\\x\"]}",
		"{\"quit\":[\"\\u12\"]}", "{\"quit\":[\"\\u0000\"]}",
		"{\"quit\":[\"q\"]" };
	struct keymap k;
	char err[128];
	int warnings = 0;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(bad); i++) {
		keymap_init(&k);
		err[0] = '\0';
		assert_int_equal(keymap_parse(&k, bad[i], strlen(bad[i]),
		    count_warning, &warnings, err, sizeof(err)), -1);
		assert_memory_equal(err, "line ", 5);
	}
}

/* What a label looks like in w columns; what is not ASCII as '?'. */
static const char *
label(int w, const char *text, size_t n_name)
{
	static char buf[128];
	struct canvas c = { .is_ascii = 1 };
	struct rect r = { 0, 0, 100, 1 };
	int x, used;

	assert_int_equal(canvas_resize(&c, 100, 1), 0);
	used = label_draw(&c, &r, 0, 0, w, text, strlen(text), n_name,
	    FIT_LEFT, STYLE_PLAIN);
	assert_true(used <= w);
	for (x = 0; x < 100; x++) {
		buf[x] = (char)c.cell[x].ch[0];
		assert_true(x < used || buf[x] == ' ' || buf[x] == 0);
	}
	buf[used > 0 ? used : 0] = '\0';
	canvas_done(&c);
	return buf;
}

static void
labels_lose_folders_before_names(void **state)
{
	static const char text[] = "Shop\\Cart::show /srv/shop/Cart.php:18";

	(void)state;
	assert_string_equal(label(60, text, 15),
	    "Shop\\Cart::show  /srv/shop/Cart.php:18");
	assert_string_equal(label(37, text, 15),
	    "Shop\\Cart::show  ~/shop/Cart.php:18");
	assert_string_equal(label(30, text, 15),
	    "Shop\\Cart::show  ~/Cart.php:18");
	assert_string_equal(label(29, text, 15),
	    "Shop\\Cart::show  ~Cart.php:18");
	assert_string_equal(label(20, text, 15), "Shop\\Cart::show");
	assert_string_equal(label(12, text, 15), "Shop~t::show");
	assert_string_equal(label(1, text, 15), "~");
	assert_string_equal(label(0, text, 15), "");
	assert_string_equal(label(40, "/srv/shop/Cart.php", 0),
	    "/srv/shop/Cart.php");
	assert_string_equal(label(12, "/srv/shop/Cart.php", 0),
	    "~/Cart.php");
}

static void
unknown_lines_are_not_shown(void **state)
{
	(void)state;
	assert_string_equal(label(40, "f <internal>:-1", 1),
	    "f  <internal>");
	assert_string_equal(label(40, "f x.php:0", 1), "f  x.php");
	assert_string_equal(label(40, "f x.php:10", 1), "f  x.php:10");
}

static void
hostile_labels_stay_in_their_columns(void **state)
{
	static const char text[] = "a\x1b[2J\xff\xe6\xb8\xb2/ b\n/\x9b/c:-1";
	int w;

	(void)state;
	for (w = 0; w < 60; w++) {
		(void)label(w, text, 10);
		(void)label(w, text, 0);
		(void)label(w, text, strlen(text));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_between_glyphs),
		cmocka_unit_test(what_could_steer_a_terminal_is_escaped),
		cmocka_unit_test(drawing_stays_inside),
		cmocka_unit_test(signs_have_twins),
		cmocka_unit_test(keys_are_named_whatever_the_chunks),
		cmocka_unit_test(endless_sequences_end),
		cmocka_unit_test(every_action_has_a_key_of_its_own),
		cmocka_unit_test(key_maps_change_what_they_name),
		cmocka_unit_test(bad_key_maps_are_refused),
		cmocka_unit_test(labels_lose_folders_before_names),
		cmocka_unit_test(unknown_lines_are_not_shown),
		cmocka_unit_test(hostile_labels_stay_in_their_columns),
	};

	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return 77; /* meson: skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
