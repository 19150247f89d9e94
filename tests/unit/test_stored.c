/*
 * How many samples are in a file whose writer failed: the reported number is
 * the number that a reader finds, at whatever byte the disk was full.
 */
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/read.h>
#include <bobbin/write.h>

enum { N_RUNS = 9000, PER_BARRIER = 700 };

struct kind {
	const char *format, *option, *value;
	const char *file; /* what a writer that failed leaves behind */
	int keeps_most; /* of the write that failed, too */
};

/* Bytes behind the last sample that fits, at most: a note and a stack. */
enum { SPARE_ROOM = 1024 };

static const struct kind kinds[] = {
	{ "rbt", NULL, NULL, "t", 1 },
	{ "rbt", "compress", NULL, "t", 0 },
	{ "tach", NULL, NULL, "t.part", 0 },
	{ "tach", "compression", "none", "t.part", 0 },
	{ "phpspy", NULL, NULL, "t", 1 },
};

static void
limit_files(rlim_t n)
{
	struct rlimit r;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
	r.rlim_cur = n < r.rlim_max ? n : r.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* Many stacks, so that definitions and samples take turns. */
static bob_stack
some_stack(struct bob_dict *d, unsigned i)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	char name[32];
	int n = snprintf(name, sizeof(name), "function_%u", i * 7919 % 997);

	f.name = bob_str_put(d, name, (size_t)n);
	return bob_stack_push(d, 0, bob_frame_put(d, &f));
}

/* Writes until it fails, or all. *ret_given: samples that were given. */
static int
write_some(struct bob_writer *w, uint64_t *ret_given)
{
	struct bob_segment s = { .period_us = 1000,
		.flags = BOB_SEGMENT_TIMED };
	unsigned i;
	int r = bob_write_segment(w, &s);

	*ret_given = 0;
	for (i = 0; i < N_RUNS && r == BOB_OK; i++) {
		struct bob_run run = { .count = 1, .t_first = i * 1000,
			.t_last = i * 1000, .flags = BOB_RUN_TIMED,
			.stack = some_stack(bob_writer_dict(w), i) };

		r = bob_write_runs(w, &run, 1);
		++*ret_given;
		if (r == BOB_OK && i % PER_BARRIER == PER_BARRIER - 1) {
			r = bob_barrier(w, 0);
			assert_true(r < 0 ||
			    bob_writer_stored(w) == *ret_given);
		}
	}
	return r;
}

static uint64_t
count_samples(struct bob_ctx *ctx, const char *path)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.flags = BOB_READ_RECOVER };
	struct bob_reader *rd;
	struct bob_event ev;
	uint64_t n = 0;
	size_t i;

	if (access(path, F_OK) < 0)
		return 0;
	o.want = BOB_WANT_ALL;
	if (bob_open(ctx, path, &o, &rd) < 0)
		return 0; /* there is nothing in it */
	while (bob_next(rd, &ev) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			n += ev.runs[i].count;
	bob_close(rd);
	return n;
}

static void
remove_all(const char *dir)
{
	static const char *const names[] = { "t", "t.live", "t.part",
		"t.part.defs" };
	char path[128];
	size_t i;

	for (i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)unlink(path);
	}
}

static rlim_t
size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (rlim_t)st.st_size;
}

/* One file that may have `limit` bytes. True when it failed. */
static int
try(const struct kind *k, const char *dir, rlim_t limit)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_option option = { k->option, k->value };
	struct bob_target to = { .flags = BOB_TARGET_LIVE };
	struct bob_write_opts o = { .size = sizeof(o), .format = k->format };
	struct bob_writer *w;
	char path[128], left[128];
	uint64_t given, before, stored, found;
	int r;

	(void)snprintf(path, sizeof(path), "%s/t", dir);
	(void)snprintf(left, sizeof(left), "%s/%s", dir, k->file);
	to.path = path;
	o.options = &option;
	o.n_options = k->option != NULL;
	assert_int_equal(bob_create(ctx, &to, &o, &w), BOB_OK);
	limit_files(limit);
	r = write_some(w, &given);
	before = bob_writer_stored(w);
	r = bob_finish_counted(w, &stored) < 0 || r < 0;
	limit_files(RLIM_INFINITY);
	assert_true(before <= stored && stored <= given);
	found = count_samples(ctx, r ? left : path);
	if (found != stored)
		fail_msg("%s %s, %llu bytes: %llu samples were said to be "
		    "there, there are %llu", k->format, k->option != NULL
		        ? k->option : "", (unsigned long long)limit,
		    (unsigned long long)stored, (unsigned long long)found);
	if (!r)
		assert_int_equal(stored, N_RUNS);
	else if (k->keeps_most && limit > 2 * SPARE_ROOM)
		assert_true(size_of(left) > limit - SPARE_ROOM);
	remove_all(dir);
	bob_ctx_free(ctx);
	return r;
}

static void
what_is_said_to_be_stored_is_what_a_reader_finds(void **state)
{
	char dir[] = "/tmp/bobbin-stored-XXXXXX";
	rlim_t limit;
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (i = 0; i < COUNT_OF(kinds); i++) {
		unsigned n_failed = 0;

		for (limit = 0; limit < 40000; limit += 389)
			n_failed += (unsigned)try(&kinds[i], dir, limit);
		assert_true(n_failed > 10);
		assert_false(try(&kinds[i], dir, RLIM_INFINITY));
	}
	assert_int_equal(rmdir(dir), 0);
}

static void
a_file_that_was_removed_or_cut_is_known_to_be_gone(void **state)
{
	char path[] = "/tmp/bobbin-gone-XXXXXX", other[64];
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_target to = { .path = path, .flags = BOB_TARGET_LIVE };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_writer *w;
	uint64_t given;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(bob_create(ctx, &to, &o, &w), BOB_OK);
	assert_false(bob_writer_is_gone(w));
	assert_int_equal(write_some(w, &given), BOB_OK);
	assert_false(bob_writer_is_gone(w));
	assert_int_equal(truncate(path, 5), 0);
	assert_true(bob_writer_is_gone(w));
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_false(bob_writer_is_gone(w));
	/* A file with another name is found by it. */
	(void)snprintf(other, sizeof(other), "%s.moved", path);
	assert_int_equal(rename(path, other), 0);
	assert_false(bob_writer_is_gone(w));
	assert_int_equal(unlink(other), 0);
	assert_true(bob_writer_is_gone(w));
	bob_discard(w);
	bob_ctx_free(ctx);
}

static void
nothing_is_written_behind_a_hole(void **state)
{
	char path[] = "/tmp/bobbin-hole-XXXXXX";
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_target to = { .path = path, .flags = BOB_TARGET_LIVE };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_writer *w;
	uint64_t given;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(bob_create(ctx, &to, &o, &w), BOB_OK);
	assert_int_equal(write_some(w, &given), BOB_OK);
	assert_int_equal(bob_barrier(w, 0), BOB_OK);
	assert_int_equal(truncate(path, 0), 0);
	/* What was gathered since is not written either. */
	assert_int_equal(write_some(w, &given), BOB_FATAL);
	assert_non_null(strstr(bob_ctx_error(ctx)->text, "was cut"));
	assert_true(bob_writer_is_gone(w));
	bob_discard(w);
	assert_int_equal(size_of(path), 0);
	assert_int_equal(unlink(path), 0);
	bob_ctx_free(ctx);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    what_is_said_to_be_stored_is_what_a_reader_finds),
		cmocka_unit_test(
		    a_file_that_was_removed_or_cut_is_known_to_be_gone),
		cmocka_unit_test(nothing_is_written_behind_a_hole),
	};

	(void)signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
