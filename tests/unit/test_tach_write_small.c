/* TACH files that are meant to be small: other records, never more bytes. */
#include <stdlib.h>
#include <unistd.h>

#include "tach_rig.h"

#define U(n) ((uint64_t)(n))

enum { REPEAT, FULL, SUFFIX, POP_PUSH };

static void
start_small(struct tach_rig *g, const char *compression)
{
	const char *options[] = { "compression", compression, "small", NULL,
		NULL };
	struct bob_target to = tach_rig_target(g);

	tach_create(g, &to, "tach", options);
	tach_segment(g, TACH_INTERVAL, TACH_START);
}

/* n frames of lines from `line` on, on top of `parent`. */
static bob_stack
push_many(struct tach_rig *g, bob_stack parent, int line, int n)
{
	int i;

	for (i = 0; i < n; i++)
		parent = tach_push(g, parent, line + i);
	return parent;
}

static void
records_list_as_few_frames_as_they_can(void **state)
{
	struct tach_rig *g = *state;
	bob_stack common, deep;
	int i;

	start_small(g, "none");
	common = tach_stack(g, 5);
	tach_sample(g, 7, common);
	want_record(g, 7, FULL, U(1), U(1), U(5), U(0), U(1), U(2), U(3),
	    U(4), NUMBERS_END);
	/* CPython: FULL, because less than half is in common. */
	tach_sample(g, 7, push_many(g, tach_stack(g, 4), 100, 8));
	want_record(g, 7, POP_PUSH, U(1), U(1), U(1), U(8), U(5), U(6), U(7),
	    U(8), U(9), U(10), U(11), U(12), NUMBERS_END);
	/* A repeat is what it was. */
	tach_sample(g, 7, push_many(g, tach_stack(g, 4), 100, 8));
	want_record(g, 7, REPEAT, U(1), U(1), U(1), NUMBERS_END);
	/* FULL is shorter where the numbers to say so are longer. */
	deep = push_many(g, 0, 1, 1);
	deep = push_many(g, deep, 300, 199);
	tach_sample(g, 7, deep);
	want_record(g, 7, POP_PUSH, U(1), U(1), U(11), U(199), NUMBERS_END);
	for (i = 0; i < 199; i++)
		put_varint(&g->want, U(13 + i));
	tach_sample(g, 7, push_many(g, push_many(g, 0, 1, 1), 700, 3));
	want_record(g, 7, FULL, U(1), U(1), U(4), U(212), U(213), U(214),
	    U(4), NUMBERS_END);
	/* Nothing in common. */
	tach_sample(g, 7, tach_push(g, 0, 900));
	want_record(g, 7, FULL, U(1), U(1), U(1), U(215), NUMBERS_END);
	tach_finish(g);
	assert_records(g);
}

/* Two and two bytes; the frames that POP_PUSH saves take one. */
static void
frames_only_added_are_a_push(void **state)
{
	struct tach_rig *g = *state;
	bob_stack s;
	int i;

	start_small(g, "none");
	s = push_many(g, 0, 1, 200);
	tach_sample(g, 7, s);
	want_record(g, 7, FULL, U(1), U(1), U(200), NUMBERS_END);
	for (i = 0; i < 200; i++)
		put_varint(&g->want, U(i));
	tach_sample(g, 7, tach_push(g, s, 900));
	want_record(g, 7, POP_PUSH, U(1), U(1), U(0), U(1), U(200),
	    NUMBERS_END);
	tach_finish(g);
	assert_records(g);
	assert_non_null(strstr(g->diags.last.text, "CPython's rules give"));
}

static void
write_walk(struct tach_rig *g)
{
	uint32_t x = 1;
	bob_stack s;
	int i, k;

	for (i = 0; i < 3000; i++) {
		s = 0;
		for (k = 0; k < 12; k++) {
			x = x * 1664525 + 1013904223;
			s = tach_push(g, s, k < 6 ? k : (int)(x >> 28) + k);
		}
		tach_sample(g, 7, s);
	}
	tach_finish(g);
}

static void
sizes_are_told(void **state)
{
	static const char *const packed[] = { NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);
	char text[96];
	size_t plain;

	tach_create(g, &to, "tach", packed);
	tach_segment(g, TACH_INTERVAL, TACH_START);
	write_walk(g);
	plain = g->got.n;
	g->got.n = 0;
	g->t = TACH_START;
	start_small(g, "zstd");
	assert_status(g->ctx, BOB_OK, bob_barrier(g->w, 0));
	write_walk(g);
	assert_true(g->got.n < plain);
	(void)snprintf(text, sizeof(text),
	    "tach: %zu bytes, CPython's rules give %zu", g->got.n, plain);
	assert_int_equal(g->diags.n_notes, 1);
	assert_string_equal(g->diags.last.text, text);
	assert_int_equal(tach_at(&g->got, g->got.n - 24, 8), g->got.n);
}

/* The other way round CPython's is taken: here both are the same. */
static void
nothing_is_small_enough(void **state)
{
	struct tach_rig *g = *state;

	start_small(g, "zstd");
	tach_finish(g);
	assert_int_equal(g->got.n, 64 + 9 + 32);
	assert_string_equal(g->diags.last.text,
	    "tach: 105 bytes, CPython's rules give 105");
}

static void
live_file_cannot_be_small(void **state)
{
	struct tach_rig *g = *state;
	char dir[] = "/tmp/test-tach-small-XXXXXX", path[64];
	struct bob_option small = { "small", NULL };
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach",
		.options = &small, .n_options = 1 };
	struct bob_target to = { .path = path, .flags = BOB_TARGET_LIVE };

	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/t.bin", dir);
	assert_int_equal(bob_create(g->ctx, &to, &o, &g->w), BOB_FAILED);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
	assert_int_equal(rmdir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TACH_TEST(records_list_as_few_frames_as_they_can),
		TACH_TEST(frames_only_added_are_a_push),
		TACH_TEST(sizes_are_told),
		TACH_TEST(nothing_is_small_enough),
		TACH_TEST(live_file_cannot_be_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
