/* Heat maps: sums by line, the source beside them, and what may be read. */
#include "through.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/heatmap/heatmap.h"

#define HEAD(time)                                                           \
	"wall time " time " or more, thread time " time "\n"                 \
	"shares are of samples\n\n"                                          \
	"             self              total    line\n"

static const struct bob_frame line_3 = { .where = 3, .lang = BOB_LANG_PHP };
static const struct bob_frame line_7 = { .where = 7, .lang = BOB_LANG_PHP };
static const struct bob_frame no_line = { .flags = BOB_FRAME_NO_LINE,
	.lang = BOB_LANG_PHP };

/* ---- sums -------------------------------------------------------------- */

static void
lines_have_self_and_total(void **state)
{
	struct hand h;
	bob_stack a;

	(void)state;
	hand_begin(&h, "heatmap", NULL, NULL);
	a = hand_push(&h, 0, line_3, "f", "/a");
	hand_samples(&h, 0, hand_push(&h, a, line_7, "g", "/b"), 3);
	hand_samples(&h, 0, a, 1);
	hand_end(&h, HEAD("40 ms")
	    "         3  75.0%           3  75.0%          /b\n"
	    "         3  75.0%           3  75.0%       7  ##########\n"
	    "\n"
	    "         1  25.0%           4 100.0%          /a\n"
	    "         1  25.0%           4 100.0%       3  ###\n"
	    "\n");
}

/* Recursion counts a sample once; so do two functions of one line. */
static void
a_sample_counts_once(void **state)
{
	struct hand h;
	bob_stack s;

	(void)state;
	hand_begin(&h, "heatmap", NULL, NULL);
	s = hand_push(&h, 0, line_3, "f", "/a");
	s = hand_push(&h, s, line_7, "f", "/a");
	s = hand_push(&h, s, line_3, "f", "/a");
	hand_samples(&h, 0, hand_push(&h, s, line_3, "g", "/a"), 2);
	hand_end(&h, HEAD("20 ms")
	    "         2 100.0%           2 100.0%          /a\n"
	    "         2 100.0%           2 100.0%       3  ##########\n"
	    "         0   0.0%           2 100.0%       7\n"
	    "\n");
}

static void
what_is_not_known_is_a_question(void **state)
{
	struct hand h;

	(void)state;
	hand_begin(&h, "heatmap", NULL, NULL);
	hand_samples(&h, 0, hand_push(&h, 0, no_line, "f", ""), 1);
	hand_samples(&h, 0, 0, 1);
	hand_end(&h, HEAD("20 ms")
	    "         1  50.0%           1  50.0%          (no file)\n"
	    "         1  50.0%           1  50.0%       ?  ##########\n"
	    "\n");
}

static void
names_do_nothing_to_a_terminal(void **state)
{
	struct hand h;

	(void)state;
	hand_begin(&h, "heatmap", NULL, NULL);
	hand_samples(&h, 0, hand_push(&h, 0, line_3, "f", "/\x1b[2J\n\x7f"
	    "\xc2\x9b" "\xe2\x80\xae" "\xe2\x81\xa6" "\xff" "\xc3\xa9"), 1);
	hand_end(&h, HEAD("10 ms")
	    "         1 100.0%           1 100.0%          /"
	    "\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
	    "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9\n"
	    "         1 100.0%           1 100.0%       3  ##########\n"
	    "\n");
}

static void
text_in_pages_is_text(void **state)
{
	static const char nasty[] = "<b a=\"1\" c='2'>&\t\x01";
	struct text t = { 0 };
	struct out *out;
	size_t n;

	assert_int_equal(out_open_memory(*state, &out), BOB_OK);
	text_begin(&t, out);
	heatmap_put_text(&t, (struct bob_bytes){ nasty, sizeof(nasty) - 1 },
	    1);
	assert_int_equal(text_commit(&t), BOB_OK);
	assert_non_null(out_memory_take(out, &n));
	assert_int_equal(n, t.n);
	text_byte(&t, '\0');
	assert_string_equal(t.p, "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;"
	    "&amp;\t\xef\xbf\xbd");
	text_done(&t);
	out_discard(out);
}

/* ---- source ------------------------------------------------------------ */

static char dir[] = "/tmp/bobbin-heatmap-XXXXXX";
static char path[128];
static struct bob_sources *sources;

static int
dir_setup(void **state)
{
	sources = bob_sources_new();
	return mkdtemp(dir) == NULL || sources == NULL ||
	    bob_sources_add(sources, dir) != 0 ? -1 : ctx_setup(state);
}

static int
dir_teardown(void **state)
{
	bob_sources_free(sources);
	(void)rmdir(dir);
	return ctx_teardown(state);
}

/* Makes `name` in the directory; its path is in `path`. */
static struct bob_bytes
file_with(const char *name, const char *text)
{
	int fd, n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	assert_in_range(n, 1, sizeof(path) - 1);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_return_code(fd, errno);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
	return (struct bob_bytes){ path, (size_t)n };
}

static size_t
lines_of(void *ctx, struct bob_bytes name)
{
	struct source_text s;
	size_t n, left = 1000;

	assert_int_equal(source_text_load(ctx, &s, sources, name,
	    &left), BOB_OK);
	n = s.n_line;
	source_text_done(&s);
	return n;
}

static void
assert_line(const struct source_text *s, int64_t line, const char *want)
{
	struct bob_bytes got = source_text_line(s, line);

	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
}

static void
lines_are_found(void **state)
{
	struct source_text s;
	size_t left = 100;

	assert_int_equal(source_text_load(*state, &s, sources, file_with("a.py",
	    "one\r\n\nthree"), &left), BOB_OK);
	assert_int_equal(s.n_line, 3);
	assert_int_equal(left, 89);
	assert_line(&s, 1, "one");
	assert_line(&s, 2, "");
	assert_line(&s, 3, "three");
	assert_line(&s, 0, "");
	assert_line(&s, 4, "");
	assert_line(&s, INT64_MIN, "");
	assert_line(&s, INT64_MAX, "");
	source_text_done(&s);
	(void)unlink(path);
}

static void
only_source_is_read(void **state)
{
	static const char *const names[] = { "secret", "secret.txt", "py",
		"a.py.key", "a.PY", "a.pyc" };
	struct bob_bytes name;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		name = file_with(names[i], "x\n");
		assert_int_equal(lines_of(*state, name), 0);
		(void)unlink(path);
	}
	name = file_with("a.php", "x\n");
	assert_int_equal(lines_of(*state, name), 2);
	/* With a NUL the system would open another file. */
	path[name.n] = '\0';
	memcpy(path + name.n + 1, ".py", 4);
	assert_int_equal(lines_of(*state,
	    (struct bob_bytes){ path, name.n + 4 }), 0);
	(void)unlink(path);
	assert_int_equal(lines_of(*state, name), 0);
}

static void
only_named_directories_are_read(void **state)
{
	struct bob_bytes name = file_with("a.py", "x\n");
	struct bob_sources *was = sources;

	assert_int_equal(lines_of(*state, name), 2);
	assert_int_equal(lines_of(*state, (struct bob_bytes){ "a.py", 4 }), 2);
	sources = NULL;
	assert_int_equal(lines_of(*state, name), 0);
	sources = bob_sources_new();
	assert_int_equal(bob_sources_add(sources, "/srv=/usr/lib"), 0);
	assert_int_equal(lines_of(*state, name), 0);
	bob_sources_free(sources);
	sources = was;
	(void)unlink(path);
}

/* A pipe would be waited for. */
static void
only_regular_files_are_read(void **state)
{
	struct bob_bytes name = file_with("p.py", "");

	(void)unlink(path);
	assert_return_code(mkfifo(path, 0600), errno);
	assert_int_equal(lines_of(*state, name), 0);
	(void)unlink(path);
	assert_return_code(mkdir(path, 0700), errno);
	assert_int_equal(lines_of(*state, name), 0);
	(void)rmdir(path);
}

static void
no_more_is_read_than_allowed(void **state)
{
	struct bob_bytes name = file_with("a.py", "12345");
	struct source_text s;
	size_t left = 9;

	assert_int_equal(source_text_load(*state, &s, sources, name, &left),
	    BOB_OK);
	assert_int_equal(s.n_line, 1);
	assert_int_equal(left, 4);
	source_text_done(&s);
	assert_int_equal(source_text_load(*state, &s, sources, name, &left),
	    BOB_OK);
	assert_int_equal(s.n_line, 0);
	assert_int_equal(left, 4);
	source_text_done(&s);
	(void)unlink(path);
}

static void
assert_between(size_t n_line, int64_t after, int64_t before,
    const struct source_between *want)
{
	struct source_text s = { .n_line = n_line };
	struct source_between got = source_between(&s, after, before);

	assert_int_equal(got.first_end - got.first,
	    want->first_end - want->first);
	assert_int_equal(got.second_end > got.second,
	    want->second_end > want->second);
	if (want->first_end > want->first)
		assert_int_equal(got.first, want->first);
	if (want->second_end > want->second) {
		assert_int_equal(got.second, want->second);
		assert_int_equal(got.second_end, want->second_end);
	}
}

static void
context_is_within_the_file(void **state)
{
	static const struct source_between none = { 0 };

	(void)state;
	assert_between(0, 0, 5, &none);
	assert_between(9, 0, 1, &none);
	assert_between(9, 0, 2, &(struct source_between){ 0, 0, 1, 2 });
	assert_between(9, 0, 5, &(struct source_between){ 0, 0, 3, 5 });
	assert_between(9, 1, 9, &(struct source_between){ 2, 4, 7, 9 });
	assert_between(9, 1, 5, &(struct source_between){ 2, 4, 4, 5 });
	assert_between(9, 1, 3, &(struct source_between){ 2, 3, 0, 0 });
	assert_between(9, 4, 5, &none);
	assert_between(9, 5, 4, &none);
	assert_between(9, 8, 99, &(struct source_between){ 9, 10, 0, 0 });
	assert_between(9, 10, 99, &none);
	assert_between(9, 0, INT64_MAX, &none);
	assert_between(9, INT64_MAX - 1, INT64_MAX, &none);
	assert_between(9, INT64_MIN, INT64_MAX, &none);
	assert_between(9, INT64_MIN, INT64_MIN + 1, &none);
}

static void
source_stands_beside_its_lines(void **state)
{
	struct bob_bytes name = file_with("a.php",
	    "1\n2\n\t<3>\n4\n5\n6\x1b\n7\n8\n");
	char want[1024];
	struct hand h;

	(void)state;
	(void)name;
	hand_begin(&h, "heatmap", "source", dir);
	hand_samples(&h, 0, hand_push(&h, 0, line_3, "f", path), 1);
	hand_samples(&h, 0, hand_push(&h, 0, line_7, "f", path), 1);
	(void)snprintf(want, sizeof(want), HEAD("20 ms")
	    "         2 100.0%%           2 100.0%%          %s\n"
	    "%36s       1             | 1\n"
	    "%36s       2             | 2\n"
	    "         1  50.0%%           1  50.0%%       3  ########## |"
	    "     <3>\n"
	    "%36s       4             | 4\n"
	    "%36s       5             | 5\n"
	    "%36s       6             | 6\xef\xbf\xbd\n"
	    "         1  50.0%%           1  50.0%%       7  ########## | 7\n"
	    "\n", path, "", "", "", "", "");
	hand_end(&h, want);
	(void)unlink(path);
}

static void
source_is_left_out_unless_asked_for(void **state)
{
	char want[512];
	struct hand h;

	(void)state;
	(void)file_with("a.php", "1\n2\n3\n");
	hand_begin(&h, "heatmap", NULL, NULL);
	hand_samples(&h, 0, hand_push(&h, 0, line_3, "f", path), 1);
	(void)snprintf(want, sizeof(want), HEAD("10 ms")
	    "         1 100.0%%           1 100.0%%          %s\n"
	    "         1 100.0%%           1 100.0%%       3  ##########\n"
	    "\n", path);
	hand_end(&h, want);
	(void)unlink(path);
}

static void
every_allocation_may_fail(void **state)
{
	static const char in[] = "0 f /a.php:1\n1 b\xff /b:2\n\n0 c d:3\n\n";

	(void)state;
	assert_survives_faults(in, "phpspy", "heatmap");
	assert_survives_faults(in, "phpspy", "heatmap-html");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_self_and_total),
		cmocka_unit_test(a_sample_counts_once),
		cmocka_unit_test(what_is_not_known_is_a_question),
		cmocka_unit_test(names_do_nothing_to_a_terminal),
		cmocka_unit_test(text_in_pages_is_text),
		cmocka_unit_test(lines_are_found),
		cmocka_unit_test(only_source_is_read),
		cmocka_unit_test(only_named_directories_are_read),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(no_more_is_read_than_allowed),
		cmocka_unit_test(context_is_within_the_file),
		cmocka_unit_test(source_stands_beside_its_lines),
		cmocka_unit_test(source_is_left_out_unless_asked_for),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("heatmap", tests, dir_setup,
	    dir_teardown);
}
