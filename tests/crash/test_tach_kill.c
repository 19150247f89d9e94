/*
 * kill -9 on a live TACH writer, at random moments, also while it finishes. A
 * child writes samples that follow a rule, with a barrier after every few, and
 * reports through a pipe how many are before a barrier. Then it is killed. What
 * is left is PATH.part with its journal, or a complete file. It must follow the
 * rule and hold at least the reported samples.
 */
#include <stdlib.h>
#include <unistd.h>

#include "killed.h"
#include "salvage.h"
#include "tach_rule.h"

#define ROUNDS 200

struct place {
	char dir[64], path[96], part[128], defs[160];
	int is_packed;
	uint64_t n; /* that are written */
	uint32_t random;
};

/* The child: writes its samples, ends the file and waits to be killed. */
static void
write_until_killed(const void *user, int report)
{
	const struct place *at = user;
	struct bob_target to = { .path = at->path, .flags = BOB_TARGET_LIVE };
	struct bob_option none = { "compression", "none" };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "tach",
		.options = &none,
		.n_options = !at->is_packed };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_writer *w;
	uint64_t i;

	if (ctx == NULL || bob_create(ctx, &to, &o, &w) < 0 ||
	    rule_begin(w) < 0)
		_exit(2);
	for (i = 0; i < at->n; i++) {
		if (rule_write(w, i) < 0)
			_exit(3);
		if (i % 31 != 30)
			continue;
		if (bob_barrier(w, i % 310 == 309) < 0)
			_exit(4);
		report_safe(report, i + 1);
	}
	if (bob_finish(w) < 0)
		_exit(6);
	report_safe(report, at->n);
	for (;;)
		(void)pause();
}

/* PATH.part by hand: how many samples there are. */
static uint64_t
check_part(struct bob_ctx *ctx, const struct place *at)
{
	struct tach_part part;
	struct rule_check c = { .names = &part.j };
	uint64_t n;

	tach_part_load(ctx, at->part, &part);
	tach_part_walk(&part, rule_sample, &c);
	n = part.n_samples;
	tach_part_free(&part);
	return n;
}

/* By the library; every name must be known. */
static uint64_t
read_back(struct bob_ctx *ctx, const char *path, uint32_t flags)
{
	struct rule_check c = { 0 };
	uint64_t n = rule_read(ctx, path, flags, &c);

	assert_int_equal(c.n_nameless, 0);
	return n;
}

static uint64_t
check_place(struct bob_ctx *ctx, const struct place *at)
{
	struct buf head = { 0 };
	uint64_t got = 0;
	int is_whole;

	if (access(at->path, F_OK) == 0) {
		assert_int_not_equal(access(at->part, F_OK), 0);
		assert_int_not_equal(access(at->defs, F_OK), 0);
		assert_int_equal(read_back(ctx, at->path, 0), at->n);
		return at->n;
	}
	load_file(at->part, &head);
	is_whole = head.n >= 64 && head.p[0] != 0;
	buf_free(&head);
	if (is_whole) {
		got = read_back(ctx, at->part, 0);
		assert_int_equal(got, at->n);
	} else if (access(at->part, F_OK) == 0) {
		got = check_part(ctx, at);
		/* What recovery gives is all of it. */
		assert_int_equal(read_back(ctx, at->part, BOB_READ_RECOVER),
		    got);
	}
	return got;
}

void
kill_many(struct bob_ctx *ctx, int is_packed)
{
	struct place at = { .is_packed = is_packed, .random = 54321 };
	uint64_t safe, got;
	unsigned n_ended = 0;
	int i;

	(void)snprintf(at.dir, sizeof(at.dir), "/tmp/test-tach-kill-XXXXXX");
	assert_non_null(mkdtemp(at.dir));
	(void)snprintf(at.path, sizeof(at.path), "%s/t.bin", at.dir);
	(void)snprintf(at.part, sizeof(at.part), "%s.part", at.path);
	(void)snprintf(at.defs, sizeof(at.defs), "%s.defs", at.part);
	for (i = 0; i < ROUNDS; i++) {
		/* Some end before they are killed, or nearly. */
		at.n = i % 4 == 0 ? 1 + next_random(&at.random) % 2000
		                  : 1000000;
		safe = run_and_kill(&at.random, at.n, write_until_killed,
		    &at);
		got = check_place(ctx, &at);
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
