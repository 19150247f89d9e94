/*
 * kill -9 on a live TACH writer, at random moments, also while it ends. A
 * child writes samples that follow a rule, with a barrier every few of them,
 * and says in a pipe how many are behind a barrier. Then it is killed. What is
 * left must follow the rule and hold at least what was said: either PATH.part
 * with its journal, or a file that is whole.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "salvage.h"
#include "tach_part.h"

#define ROUNDS 200
#define N_TIDS 3
#define START 1000
/* Frames by their lines: never more than one record's worth at a time. */
#define N_LINES 5000

/* Sample i is the i / N_TIDS-th of thread i % N_TIDS; each has the stack that
 * its thread had four times before a new one comes. */
static unsigned
rule_depth(uint64_t i)
{
	return 1 + (unsigned)(i / 12 % 4);
}

static unsigned
rule_line(uint64_t i, unsigned level)
{
	return (unsigned)(i / 12 * (level + 1) % N_LINES);
}

static uint64_t
rule_time(uint64_t i)
{
	return START + 10 * i;
}

struct place {
	char dir[64], path[96], part[128], defs[160];
	int is_packed;
	uint32_t random;
};

static uint32_t
next_random(struct place *at)
{
	at->random = at->random * 1664525 + 1013904223;
	return at->random >> 8;
}

static bob_stack
make_stack(struct bob_dict *d, uint64_t i)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON };
	bob_stack s = 0;
	unsigned k;
	char name[32];
	int n;

	f.file = bob_str_put(d, "a.py", 4);
	for (k = 0; k < rule_depth(i); k++) {
		f.where = rule_line(i, k);
		n = snprintf(name, sizeof(name), "f%u", rule_line(i, k));
		f.name = bob_str_put(d, name, (size_t)n);
		s = bob_stack_push(d, s, bob_frame_put(d, &f));
	}
	return s;
}

static int
write_one(struct bob_writer *w, uint64_t i)
{
	struct bob_dict *d = bob_writer_dict(w);
	struct bob_track track = { .tid = i % N_TIDS,
		.flags = BOB_TRACK_TID };
	struct bob_run run = { .count = 1,
		.stack = make_stack(d, i),
		.track = bob_track_put(d, &track),
		.status = (uint8_t)(i % 7),
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };

	run.t_first = run.t_last = rule_time(i);
	return bob_write_runs(w, &run, 1);
}

static void
report(int fd, uint64_t n)
{
	unsigned k = (unsigned)n;

	if (write(fd, &k, sizeof(k)) != sizeof(k))
		_exit(5);
}

/* The child: writes n samples, ends the file and waits to be killed. */
static void
write_until_killed(const struct place *at, uint64_t n, int fd)
{
	struct bob_target to = { .path = at->path, .flags = BOB_TARGET_LIVE };
	struct bob_option none = { "compression", "none" };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "tach",
		.options = &none,
		.n_options = !at->is_packed };
	struct bob_segment segment = { .period_us = 10, .t_begin = START,
		.flags = BOB_SEGMENT_TIMED };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_writer *w;
	uint64_t i;

	if (ctx == NULL || bob_create(ctx, &to, &o, &w) < 0 ||
	    bob_write_segment(w, &segment) < 0)
		_exit(2);
	for (i = 0; i < n; i++) {
		if (write_one(w, i) < 0)
			_exit(3);
		if (i % 31 != 30)
			continue;
		if (bob_barrier(w, i % 310 == 309) < 0)
			_exit(4);
		report(fd, i + 1);
	}
	if (bob_finish(w) < 0)
		_exit(6);
	report(fd, n);
	for (;;)
		(void)pause();
}

/* Lets a child write up to a random moment and kills it. Returns how many
 * samples it had said were safe. */
static uint64_t
run_and_kill(struct place *at, uint64_t n)
{
	volatile uint32_t spin = next_random(at) % 20000;
	unsigned n_reports = next_random(at) % 60, safe = 0, k;
	int p[2], status;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(p[0]);
		write_until_killed(at, n, p[1]);
	}
	(void)close(p[1]);
	while (n_reports-- > 0 && safe < n &&
	    read(p[0], &k, sizeof(k)) == sizeof(k))
		safe = k;
	while (spin > 0)
		spin--;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (read(p[0], &k, sizeof(k)) == sizeof(k))
		safe = k;
	(void)close(p[0]);
	return safe;
}

/* Samples so far, by thread, and the names to check them by. */
struct check {
	const struct tach_part *part;
	uint64_t n[N_TIDS];
};

static void
follows_rule(void *user, uint64_t tid, uint64_t t, unsigned status,
    const uint32_t *frames, size_t depth)
{
	struct check *c = user;
	const struct journal *j = &c->part->j;
	uint64_t i;
	size_t k;
	char name[32];
	int n;

	assert_true(tid < N_TIDS);
	i = c->n[tid]++ * N_TIDS + tid;
	assert_int_equal(t, rule_time(i));
	assert_int_equal(status, i % 7);
	assert_int_equal(depth, rule_depth(i));
	for (k = 0; k < depth; k++) {
		const struct tach_frame *f = &j->frame[frames[k]];
		unsigned line = rule_line(i, (unsigned)(depth - 1 - k));

		n = snprintf(name, sizeof(name), "f%u", line);
		assert_int_equal(f->line, line);
		assert_int_equal(j->string[f->func].n, n);
		assert_memory_equal(j->string[f->func].p, name, (size_t)n);
	}
}

/* PATH.part by hand: how many samples there are. */
static uint64_t
check_part(struct bob_ctx *ctx, const struct place *at)
{
	struct tach_part part;
	struct check c = { .part = &part };
	uint64_t n;

	tach_part_load(ctx, at->part, &part);
	tach_part_walk(&part, follows_rule, &c);
	n = part.n_samples;
	tach_part_free(&part);
	return n;
}

static void
run_follows_rule(struct check *c, const struct bob_dict *d,
    const struct bob_run *run)
{
	const struct bob_track *track = bob_track_get(d, run->track);
	struct bob_node node = bob_stack_get(d, run->stack);
	uint64_t t = run->t_first, i, k;

	assert_true(track->tid < N_TIDS);
	for (k = 0; k < run->count; k++) {
		i = c->n[track->tid]++ * N_TIDS + track->tid;
		if (k > 0)
			t += run->dt[k - 1];
		assert_int_equal(t, rule_time(i));
		assert_int_equal(run->status, i % 7);
		assert_int_equal(node.depth, rule_depth(i));
		assert_int_equal(bob_frame_get(d, node.frame)->where,
		    rule_line(i, node.depth - 1));
	}
}

/* The same by the library; a file that is whole without any tolerance. */
static uint64_t
check_read(struct bob_ctx *ctx, const char *path, uint32_t flags)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = "tach",
		.flags = flags };
	struct check c = { 0 };
	struct bob_reader *in;
	struct bob_event ev;
	size_t i;
	int r;

	assert_status(ctx, BOB_OK, bob_open(ctx, path, &o, &in));
	while ((r = bob_next(in, &ev)) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			run_follows_rule(&c, bob_reader_dict(in), &ev.runs[i]);
	assert_status(ctx, BOB_EOF, r);
	bob_close(in);
	return c.n[0] + c.n[1] + c.n[2];
}

static uint64_t
check_place(struct bob_ctx *ctx, const struct place *at, uint64_t n)
{
	struct buf head = { 0 };
	uint64_t got = 0;
	int is_whole;

	if (access(at->path, F_OK) == 0) {
		assert_int_not_equal(access(at->part, F_OK), 0);
		assert_int_not_equal(access(at->defs, F_OK), 0);
		assert_int_equal(check_read(ctx, at->path, 0), n);
		return n;
	}
	load_file(at->part, &head);
	is_whole = head.n >= 64 && head.p[0] != 0;
	buf_free(&head);
	if (is_whole) {
		got = check_read(ctx, at->part, 0);
		assert_int_equal(got, n);
	} else if (access(at->part, F_OK) == 0) {
		got = check_part(ctx, at);
	}
	return got;
}

static void
kill_many(struct bob_ctx *ctx, int is_packed)
{
	struct place at = { .is_packed = is_packed, .random = 54321 };
	uint64_t safe, n, got;
	unsigned n_ended = 0;
	int i;

	(void)snprintf(at.dir, sizeof(at.dir), "/tmp/test-tach-kill-XXXXXX");
	assert_non_null(mkdtemp(at.dir));
	(void)snprintf(at.path, sizeof(at.path), "%s/t.bin", at.dir);
	(void)snprintf(at.part, sizeof(at.part), "%s.part", at.path);
	(void)snprintf(at.defs, sizeof(at.defs), "%s.defs", at.part);
	for (i = 0; i < ROUNDS; i++) {
		/* Some end before they are killed, or nearly. */
		n = i % 4 == 0 ? 1 + next_random(&at) % 2000 : 1000000;
		safe = run_and_kill(&at, n);
		got = check_place(ctx, &at, n);
		if (got < safe)
			fail_msg("round %d: %llu samples, but %llu were safe",
			    i, (unsigned long long)got,
			    (unsigned long long)safe);
		n_ended += access(at.path, F_OK) == 0;
		(void)unlink(at.path);
		(void)unlink(at.part);
		(void)unlink(at.defs);
	}
	assert_int_equal(rmdir(at.dir), 0);
	print_message("%u of %d ended before they were killed\n", n_ended,
	    ROUNDS);
}

static void
killed_writer_leaves_what_was_behind_a_barrier(void **state)
{
	kill_many(*state, 0);
}

static void
killed_packing_writer_leaves_what_was_behind_a_barrier(void **state)
{
	kill_many(*state, 1);
}

#define TEST(name)                                                           \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_writer_leaves_what_was_behind_a_barrier),
		TEST(killed_packing_writer_leaves_what_was_behind_a_barrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
