/* TACH files as a whole: dialects, byte orders, options, what is known of the
 * capture, and outputs of every kind. */
#include <unistd.h>

#include "fault.h"
#include "tach_rig.h"

/* Begins, writes three samples of two threads and ends. */
static void
write_small(struct tach_rig *g, const struct bob_target *to,
    const char *format, const char *const *options)
{
	g->t = TACH_START;
	tach_create(g, to, format, options);
	tach_segment(g, TACH_INTERVAL, TACH_START);
	tach_meta(g, "python.version", "3.15.2");
	tach_sample(g, 7, tach_stack(g, 2));
	tach_sample(g, 7, tach_stack(g, 2));
	tach_sample(g, 8, tach_stack(g, 3));
	tach_finish(g);
}

static void
write_with(struct tach_rig *g, const char *format, const char *key,
    const char *value)
{
	const char *options[] = { "compression", "none", key, value, NULL };
	struct bob_target to = tach_rig_target(g);

	g->got.n = 0;
	write_small(g, &to, format, options);
}

/* Offsets of what a header has; 0: it does not. */
struct offsets {
	const char *dialect;
	unsigned version, python, start, interval, samples, n_samples,
	    threads, strings, frames, fields;
};

static const struct offsets all_offsets[] = {
	{ "v2", 2, 0, 8, 16, 24, 4, 28, 32, 40, 3 },
	{ "early-1", 1, 8, 12, 20, 28, 4, 32, 36, 44, 3 },
	{ "1a", 1, 8, 12, 20, 28, 4, 32, 36, 44, 7 },
	{ "1b", 1, 8, 12, 20, 28, 8, 36, 40, 48, 7 },
	{ "1c", 1, 8, 12, 20, 28, 8, 36, 40, 48, 7 },
};

static void
assert_offsets(const struct buf *file, const struct offsets *o)
{
	uint64_t frames = tach_at(file, o->frames, 8);

	assert_int_equal(tach_at(file, 4, 4), o->version);
	if (o->python != 0)
		assert_memory_equal(file->p + o->python, "\3\17\2\0", 4);
	assert_int_equal(tach_at(file, o->start, 8), TACH_START);
	assert_int_equal(tach_at(file, o->interval, 8), TACH_INTERVAL);
	assert_int_equal(tach_at(file, o->samples, o->n_samples), 3);
	assert_int_equal(tach_at(file, o->threads, 4), 2);
	assert_int_equal(tach_at(file, o->strings, 8), frames - 7);
	/* Three frames, each number a byte. */
	assert_int_equal(file->n - 32 - frames, 3 * o->fields);
}

static void
dialects_differ_in_header_and_frames(void **state)
{
	struct tach_rig *g = *state;
	size_t i;

	for (i = 0; i < COUNT_OF(all_offsets); i++) {
		write_with(g, "tach", "dialect", all_offsets[i].dialect);
		assert_offsets(&g->got, &all_offsets[i]);
	}
}

static void
version_2_is_a_format_of_its_own(void **state)
{
	struct tach_rig *g = *state;
	struct buf v2 = { 0 };

	write_with(g, "tach", "dialect", "v2");
	put_bytes(&v2, g->got.p, g->got.n);
	write_with(g, "tach-v2", "compression", "none");
	assert_int_equal(g->got.n, v2.n);
	assert_memory_equal(g->got.p, v2.p, v2.n);
	buf_free(&v2);
}

static void
caps_follow_the_dialect(void **state)
{
	static const char *const early[] = { "dialect", "early-1", NULL };
	static const char *const none[] = { NULL };
	const uint32_t lost = BOB_CAP_OPCODES | BOB_CAP_COLUMNS;
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);

	tach_create(g, &to, "tach", none);
	assert_int_equal(bob_writer_caps(g->w) & lost, lost);
	bob_discard(g->w);
	tach_create(g, &to, "tach", early);
	assert_int_equal(bob_writer_caps(g->w) & lost, 0);
}

/* What is not swapped: varints, bytes, versions of Python. */
static void
byte_orders_mirror_each_other(void **state)
{
	static const struct {
		size_t at, n;
	} fields[] = { { 0, 4 }, { 4, 4 }, { 12, 8 }, { 20, 8 }, { 28, 8 },
		{ 36, 4 }, { 40, 8 }, { 48, 8 }, { 56, 4 }, { 64, 8 },
		{ 72, 4 } };
	struct tach_rig *g = *state;
	struct buf little = { 0 };
	size_t i, k;

	write_with(g, "tach", "byte-order", "little");
	put_bytes(&little, g->got.p, g->got.n);
	write_with(g, "tach", "byte-order", "big");
	assert_memory_equal(little.p, "HCAT", 4);
	assert_memory_equal(g->got.p, "TACH", 4);
	assert_int_equal(g->got.n, little.n);
	for (i = 0; i < COUNT_OF(fields); i++)
		for (k = 0; k < fields[i].n; k++)
			assert_int_equal(g->got.p[fields[i].at + k],
			    little.p[fields[i].at + fields[i].n - 1 - k]);
	assert_memory_equal(g->got.p + 8, little.p + 8, 4);
	/* Footer: counts and size. */
	assert_int_equal(g->got.p[g->got.n - 29], 2);
	assert_int_equal(g->got.p[g->got.n - 25], 3);
	assert_int_equal(g->got.p[g->got.n - 17], (uint8_t)g->got.n);
	buf_free(&little);
}

static const char *const capture[][2] = {
	{ "profiler.mode", "gil" },
	{ "profiler.duration_s", "1.5" },
	{ "profiler.samples_per_s", "1e3" },
	{ "profiler.missed_percent", "0.25" },
};

static void
start_capture(struct tach_rig *g)
{
	size_t i;

	tach_start(g);
	for (i = 0; i < COUNT_OF(capture); i++)
		tach_meta(g, capture[i][0], capture[i][1]);
	tach_sample(g, 7, 0);
}

static double
double_at(const struct buf *file, size_t at)
{
	uint64_t bits = tach_at(file, at, 8);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void
known_statistics_make_it_1c(void **state)
{
	struct tach_rig *g = *state;
	size_t at;

	start_capture(g);
	/* Not a number, and not anything: as if they had not been said. */
	tach_meta(g, "profiler.failed_percent", "1,5");
	tach_meta(g, "profiler.failed_percent", "nan");
	tach_meta(g, "profiler.mode", "slow");
	tach_meta(g, "python.version", "3.15");
	tach_meta(g, "python.version", "3.256.1");
	tach_meta(g, "python.version", "3.15.0rc1");
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 60, 4), 3);
	assert_memory_equal(g->got.p + 8, "\0\0\0", 3);
	at = g->got.n - 32 - 56;
	assert_int_equal(at, tach_at(&g->got, 48, 8));
	assert_true(double_at(&g->got, at) == 1.5);
	assert_true(double_at(&g->got, at + 8) == 1000);
	assert_true(double_at(&g->got, at + 16) == 0);
	assert_true(double_at(&g->got, at + 24) == 0.25);
	assert_int_equal(tach_at(&g->got, at + 32, 4), 2);
	assert_int_equal(tach_at(&g->got, at + 36, 4), 0);
	assert_memory_equal(g->got.p + at + 40, "TACHSTAT", 8);
	assert_int_equal(tach_at(&g->got, at + 48, 4), 1);
	assert_int_equal(tach_at(&g->got, at + 52, 4), 56);
	assert_int_equal(tach_at(&g->got, g->got.n - 24, 8), g->got.n);
}

static void
known_features_stand_beside_the_mode(void **state)
{
	struct tach_rig *g = *state;

	start_capture(g);
	tach_meta(g, "profiler.features", "opcodes,all-threads");
	tach_meta(g, "profiler.features", "opcodes,colours");
	tach_meta(g, "profiler.features", ",");
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 60, 4), 3 | 1 << 3 | 9 << 4);
}

static void
no_features_may_be_known_too(void **state)
{
	struct tach_rig *g = *state;

	tach_start(g);
	tach_meta(g, "profiler.features", "");
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 60, 4), 1 << 3);
}

static void
dialect_1b_has_no_place_for_statistics(void **state)
{
	static const char *const options[] = { "compression", "none",
		"dialect", "1b", NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);
	size_t i;

	tach_create(g, &to, "tach", options);
	for (i = 0; i < COUNT_OF(capture); i++)
		tach_meta(g, capture[i][0], capture[i][1]);
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 60, 4), 0);
	assert_int_equal(g->got.n, 64 + 32);
}

static void
same_statistics_again_are_the_same(void **state)
{
	struct tach_rig *g = *state;
	size_t i;

	start_capture(g);
	tach_segment(g, TACH_INTERVAL, 0);
	for (i = 0; i < COUNT_OF(capture); i++)
		tach_meta(g, capture[i][0], capture[i][1]);
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 60, 4), 3);
	assert_memory_equal(g->got.p + g->got.n - 32 - 16, "TACHSTAT", 8);
}

/* Two captures in one file: what they disagree about is not known. */
static void
mixed_statistics_are_left_out(void **state)
{
	struct tach_rig *g = *state;

	start_capture(g);
	tach_segment(g, TACH_INTERVAL, 0);
	tach_meta(g, "profiler.mode", "gil");
	tach_meta(g, "profiler.duration_s", "7");
	tach_meta(g, "python.version", "3.15.2");
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 60, 4), 3);
	assert_int_equal(g->got.n, tach_at(&g->got, 48, 8) + 32);
	assert_memory_equal(g->got.p + 8, "\0\0\0", 3);
}

static void
wrong_options_are_refused(void **state)
{
	static const struct bob_option wrong[] = { { "compression", "gzip" },
		{ "zstd-level", "0" }, { "zstd-level", "23" },
		{ "zstd-level", "-3" }, { "zstd-level", "" },
		{ "dialect", "1d" }, { "byte-order", "middle" } };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach",
		.n_options = 1 };
	size_t i;

	for (i = 0; i < COUNT_OF(wrong); i++) {
		o.options = &wrong[i];
		assert_int_equal(bob_create(g->ctx, &to, &o, &g->w),
		    BOB_FAILED);
		assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
		assert_non_null(strstr(bob_ctx_error(g->ctx)->text,
		    wrong[i].value));
	}
	assert_int_equal(g->got.n, 0);
}

static void
header_counts_what_it_can(void **state)
{
	static const char *const options[] = { "dialect", "1a", NULL };
	static const char *const none[] = { NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);
	struct bob_run run = { .count = (uint64_t)1 << 32 };
	struct bob_limits unlimited = { .size = sizeof(unlimited),
		.max_output = BOB_UNLIMITED };

	tach_create(g, &to, "tach", options);
	assert_int_equal(bob_write_runs(g->w, &run, 1), BOB_FATAL);
	assert_non_null(strstr(bob_ctx_error(g->ctx)->text, "(1b can)"));
	bob_discard(g->w);
	/* More than anyone can wait for. */
	tach_create(g, &to, "tach", none);
	run.count = BOB_MAX_COUNT;
	assert_int_equal(bob_write_runs(g->w, &run, 1), BOB_FATAL);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_BUDGET);
	bob_discard(g->w);
	bob_ctx_set_limits(g->ctx, &unlimited);
	tach_create(g, &to, "tach", none);
	assert_int_equal(bob_write_runs(g->w, &run, 1), BOB_FATAL);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_LIMIT);
}

static void
file_without_samples_has_an_empty_frame(void **state)
{
	static const char *const none[] = { NULL };
	static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1,
		0, 0 };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);

	tach_create(g, &to, "tach", none);
	tach_finish(g);
	assert_int_equal(g->got.n, 64 + 9 + 32);
	assert_memory_equal(g->got.p + 64, frame, sizeof(frame));
	assert_int_equal(tach_at(&g->got, 56, 4), 1);
}

static void
output_without_a_way_back_gets_the_same(void **state)
{
	static const char *const none[] = { NULL };
	struct tach_rig *g = *state;
	struct bob_target to = tach_rig_target(g);
	struct buf patched = { 0 };

	write_small(g, &to, "tach", none);
	put_bytes(&patched, g->got.p, g->got.n);
	g->got.n = 0;
	to = tach_rig_pipe(g);
	write_small(g, &to, "tach", none);
	assert_int_equal(g->got.n, patched.n);
	assert_memory_equal(g->got.p, patched.p, patched.n);
	buf_free(&patched);
}

static int
hand_over(void *user, uint64_t index, struct bob_target *ret)
{
	assert_int_equal(index, 0);
	*ret = tach_rig_target(user);
	return 0;
}

static void
first_output_may_be_handed_over(void **state)
{
	struct tach_rig *g = *state;
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach",
		.next_output = hand_over, .next_user = g };

	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, NULL, &o, &g->w));
	g->d = bob_writer_dict(g->w);
	tach_sample(g, 7, 0);
	tach_segment(g, TACH_INTERVAL, 0);
	tach_sample(g, 7, 0);
	tach_finish(g);
	assert_int_equal(tach_at(&g->got, 28, 8), 2);
}

/* A trace with everything that takes memory, into a temporary file. */
static int
write_all(void *user)
{
	struct tach_rig *g = user;
	struct bob_target to = tach_rig_pipe(g);
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach" };
	struct bob_segment segment = { .period_us = 10 };
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	struct bob_track track = { .flags = BOB_TRACK_TID };
	struct bob_run run = { .count = 2 };
	struct bob_writer *w;
	int r, i;

	g->got.n = 0;
	r = bob_create(g->ctx, &to, &o, &w);
	if (r < 0)
		return r;
	g->d = bob_writer_dict(w);
	r = bob_write_segment(w, &segment);
	for (i = 0; i < 300 && r == BOB_OK; i++) {
		f.where = i;
		track.tid = (uint64_t)i / 50;
		r = bob_frame_set_php_name(g->d, &f, "A::b", 4);
		run.track = bob_track_put(g->d, &track);
		run.stack = bob_stack_push(g->d, run.stack,
		    bob_frame_put(g->d, &f));
		if (r == BOB_OK && run.stack != BOB_NO_ID &&
		    run.track != BOB_NO_ID)
			r = bob_write_runs(w, &run, 1);
		else
			r = BOB_FATAL;
	}
	if (r == BOB_OK)
		return bob_finish(w);
	bob_discard(w);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	static const uint8_t room[1 << 16];
	struct tach_rig *g = *state;

	/* The test's own memory is not to be counted. */
	put_bytes(&g->got, room, sizeof(room));
	fault_each(write_all, g);
	assert_int_equal(tach_at(&g->got, 28, 8), 600);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TACH_TEST(dialects_differ_in_header_and_frames),
		TACH_TEST(version_2_is_a_format_of_its_own),
		TACH_TEST(caps_follow_the_dialect),
		TACH_TEST(byte_orders_mirror_each_other),
		TACH_TEST(known_statistics_make_it_1c),
		TACH_TEST(known_features_stand_beside_the_mode),
		TACH_TEST(no_features_may_be_known_too),
		TACH_TEST(dialect_1b_has_no_place_for_statistics),
		TACH_TEST(same_statistics_again_are_the_same),
		TACH_TEST(mixed_statistics_are_left_out),
		TACH_TEST(wrong_options_are_refused),
		TACH_TEST(header_counts_what_it_can),
		TACH_TEST(file_without_samples_has_an_empty_frame),
		TACH_TEST(output_without_a_way_back_gets_the_same),
		TACH_TEST(first_output_may_be_handed_over),
		TACH_TEST(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
