/*
 * Following a live TACH writer in another process: the reader gets all samples
 * before the last barrier and none after it, and sees the end of the file, even
 * if it comes late.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tach_rule.h"

#define N 4000
#define STEP 31

struct place {
	char dir[64], path[96], part[128];
	int is_packed;
	pid_t writer;
	int told[2], go[2]; /* what is behind a barrier; and a byte to go on */
};

static void
wait_for_go(const struct place *at, uint64_t n)
{
	unsigned k = (unsigned)n;
	char c;

	if (write(at->told[1], &k, sizeof(k)) != sizeof(k) ||
	    read(at->go[0], &c, 1) != 1)
		_exit(5);
}

/* The child. */
static void
write_all(const struct place *at)
{
	struct bob_target to = { .path = at->path, .flags = BOB_TARGET_LIVE };
	struct bob_option none = { "compression", "none" };
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach",
		.options = &none, .n_options = !at->is_packed };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_writer *w;
	uint64_t i;

	if (ctx == NULL || bob_create(ctx, &to, &o, &w) < 0)
		_exit(2);
	wait_for_go(at, 0);
	if (rule_begin(w) < 0)
		_exit(2);
	for (i = 0; i < N; i++) {
		if (rule_write(w, i) < 0)
			_exit(3);
		if (i % STEP != STEP - 1)
			continue;
		if (bob_barrier(w, 0) < 0)
			_exit(4);
		wait_for_go(at, i + 1);
	}
	wait_for_go(at, i / STEP * STEP);
	if (bob_finish(w) < 0)
		_exit(6);
	_exit(0);
}

static void
start(struct place *at, int is_packed)
{
	at->is_packed = is_packed;
	(void)snprintf(at->dir, sizeof(at->dir), "/tmp/test-tach-foll-XXXXXX");
	assert_non_null(mkdtemp(at->dir));
	(void)snprintf(at->path, sizeof(at->path), "%s/t.bin", at->dir);
	(void)snprintf(at->part, sizeof(at->part), "%s.part", at->path);
	assert_int_equal(pipe(at->told), 0);
	assert_int_equal(pipe(at->go), 0);
	at->writer = fork();
	assert_true(at->writer >= 0);
	if (at->writer == 0)
		write_all(at);
}

static unsigned
hear(const struct place *at)
{
	unsigned k;

	assert_int_equal(read(at->told[0], &k, sizeof(k)), sizeof(k));
	return k;
}

static void
let_go(const struct place *at)
{
	assert_int_equal(write(at->go[1], "", 1), 1);
}

static void
end(const struct place *at)
{
	int status, i;

	assert_int_equal(waitpid(at->writer, &status, 0), at->writer);
	assert_int_equal(status, 0);
	for (i = 0; i < 2; i++) {
		(void)close(at->told[i]);
		(void)close(at->go[i]);
	}
}

static struct bob_reader *
follow(struct bob_ctx *ctx, const char *path)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.flags = BOB_READ_FOLLOW };
	struct bob_reader *in;

	assert_status(ctx, BOB_OK, bob_open(ctx, path, &o, &in));
	return in;
}

static void
follow_writer(struct bob_ctx *ctx, int is_packed)
{
	struct rule_check early = { 0 }, late = { 0 }, after = { 0 };
	uint64_t n_early = 0, n_late = 0, n_after = 0;
	struct bob_reader *a, *b = NULL, *c;
	struct place at;
	unsigned k;

	start(&at, is_packed);
	assert_int_equal(hear(&at), 0);
	a = follow(ctx, at.part);
	assert_int_equal(rule_drain(a, &early, &n_early), BOB_AGAIN);
	assert_int_equal(n_early, 0);
	do {
		let_go(&at);
		k = hear(&at);
		if (k > N / 2 && b == NULL)
			b = follow(ctx, at.part);
		assert_int_equal(rule_drain(a, &early, &n_early), BOB_AGAIN);
		assert_int_equal(n_early, k);
		if (b == NULL)
			continue;
		assert_int_equal(rule_drain(b, &late, &n_late), BOB_AGAIN);
		assert_int_equal(n_late, k);
	} while (k < N / STEP * STEP);
	let_go(&at);
	assert_int_equal(hear(&at), k);
	assert_int_equal(rule_drain(a, &early, &n_early), BOB_AGAIN);
	let_go(&at);
	end(&at);
	assert_status(ctx, BOB_EOF, rule_drain(a, &early, &n_early));
	assert_status(ctx, BOB_EOF, rule_drain(b, &late, &n_late));
	/* A file that is finished does not grow. */
	c = follow(ctx, at.path);
	assert_status(ctx, BOB_EOF, rule_drain(c, &after, &n_after));
	assert_true(n_early == N && n_late == N && n_after == N);
	assert_int_equal(early.n_nameless + late.n_nameless +
	    after.n_nameless, 0);
	bob_close(a);
	bob_close(b);
	bob_close(c);
	(void)unlink(at.path);
	assert_int_equal(rmdir(at.dir), 0);
}

static void
samples_come_with_barriers(void **state)
{
	follow_writer(*state, 0);
}

static void
packed_samples_come_with_barriers(void **state)
{
	follow_writer(*state, 1);
}

#define TEST(name)                                                           \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_come_with_barriers),
		TEST(packed_samples_come_with_barriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
