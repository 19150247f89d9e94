/*
 * Sealing a segment: every allocation and every system call fails in turn, and
 * the process is killed at every system call. After each:
 *
 * - the segment is as it was;
 * - its index is the right one, or there is none;
 * - sealing it again gives the right one, and leaves no other file.
 */
#include "salvage.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/store.h>
#include <bobbin/write.h>

#include "inject.h"

#define MAX_STEPS 2000

struct stage {
	struct bob_ctx *ctx;
	char dir[64], segment[96], index[128];
	struct buf bytes, want; /* of the segment and its index */
};

static void
write_segment(struct stage *st)
{
	struct bob_target to = { .path = st->segment };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_segment s = { .period_us = 1000,
		.start_us = UINT64_C(1790000000000000) };
	struct bob_frame f = { .where = 3, .lang = BOB_LANG_PHP };
	struct bob_run run = { .count = 7 };
	struct bob_writer *w;

	assert_status(st->ctx, BOB_OK, bob_create(st->ctx, &to, &o, &w));
	f.name = bob_str_put(bob_writer_dict(w), "work", 4);
	run.stack = bob_stack_push(bob_writer_dict(w), 0,
	    bob_frame_put(bob_writer_dict(w), &f));
	assert_status(st->ctx, BOB_OK, bob_write_segment(w, &s));
	assert_status(st->ctx, BOB_OK, bob_write_runs(w, &run, 1));
	assert_status(st->ctx, BOB_OK, bob_finish(w));
	load_file(st->segment, &st->bytes);
}

static int
set_up(void **state)
{
	struct stage *st = calloc(1, sizeof(*st));

	st->ctx = bob_ctx_new();
	(void)snprintf(st->dir, sizeof(st->dir), "/tmp/bobbin-seal-XXXXXX");
	assert_non_null(mkdtemp(st->dir));
	(void)snprintf(st->segment, sizeof(st->segment), "%s/a.rbt", st->dir);
	(void)snprintf(st->index, sizeof(st->index), "%s%s", st->segment,
	    BOB_INDEX_SUFFIX);
	write_segment(st);
	assert_status(st->ctx, BOB_OK, bob_seal(st->ctx, st->segment, 0));
	load_file(st->index, &st->want);
	assert_int_equal(unlink(st->index), 0);
	*state = st;
	return 0;
}

static int
tear_down(void **state)
{
	struct stage *st = *state;

	(void)unlink(st->segment);
	(void)unlink(st->index);
	assert_int_equal(rmdir(st->dir), 0);
	free(st->bytes.p);
	free(st->want.p);
	bob_ctx_free(st->ctx);
	free(st);
	return 0;
}

static void
assert_content(const char *path, const struct buf *want, unsigned long n)
{
	struct buf b = { 0 };

	load_file(path, &b);
	if (b.n != want->n || memcmp(b.p, want->p, b.n) != 0)
		fail_msg("step %lu: %s is another file", n, path);
	free(b.p);
}

static size_t
count_files(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	(void)closedir(d);
	return n;
}

static int
lowest_free_fd(void)
{
	int fd = dup(STDIN_FILENO);

	(void)close(fd);
	return fd;
}

/* After a step: all is as the head of this file says. */
static void
check(struct stage *st, unsigned long n)
{
	assert_content(st->segment, &st->bytes, n);
	if (access(st->index, F_OK) == 0)
		assert_content(st->index, &st->want, n);
	assert_status(st->ctx, BOB_OK, bob_seal(st->ctx, st->segment, 0));
	assert_content(st->index, &st->want, n);
	assert_int_equal(count_files(st->dir), 2);
	assert_int_equal(unlink(st->index), 0);
}

/* Returns 1 if a call failed. */
static int
fail_once(struct stage *st, enum inject kind, unsigned long n, int lasting)
{
	int fd = lowest_free_fd(), r, hit;

	inject_arm(kind, n, lasting);
	r = bob_seal(st->ctx, st->segment, 0);
	hit = inject_disarm();
	if (r < 0)
		assert_true(bob_ctx_error(st->ctx)->text[0] != '\0');
	else if (r == BOB_OK)
		assert_content(st->index, &st->want, n);
	assert_int_equal(lowest_free_fd(), fd);
	check(st, n);
	return hit;
}

static void
fail_at_each(struct stage *st, enum inject kind)
{
	unsigned long n;
	int lasting;

	for (lasting = 0; lasting < 2; lasting++) {
		for (n = 1; fail_once(st, kind, n, lasting); n++)
			assert_true(n < MAX_STEPS);
		assert_true(n > 2);
	}
}

static void
any_allocation_may_fail(void **state)
{
	fail_at_each(*state, INJECT_MEMORY);
}

static void
any_system_call_may_fail(void **state)
{
	fail_at_each(*state, INJECT_SYSTEM);
}

static void
reads_may_be_short(void **state)
{
	fail_at_each(*state, INJECT_SHORT);
}

/* Returns 1 if the child was killed. */
static int
kill_once(struct stage *st, unsigned long n)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		inject_kill(n);
		(void)bob_seal(st->ctx, st->segment, 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	check(st, n);
	return WIFSIGNALED(status);
}

static void
a_sealer_may_be_killed_at_any_system_call(void **state)
{
	unsigned long n;

	for (n = 1; kill_once(*state, n); n++)
		assert_true(n < MAX_STEPS);
	assert_true(n > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(any_system_call_may_fail),
		cmocka_unit_test(reads_may_be_short),
		cmocka_unit_test(a_sealer_may_be_killed_at_any_system_call),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
