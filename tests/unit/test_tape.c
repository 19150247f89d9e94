/* Tapes of captures: when one has learned enough, and where samples are. */
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/tape.h"

static void
a_tape_that_has_learned_a_million_things_is_full(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct tape_opts o = { .period_ns = 10000000 };
	char path[] = "/tmp/bobbin-tape-XXXXXX";
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	struct ledger l = { 0 };
	struct tape t;
	char name[32];
	bob_fid frame;
	unsigned i;
	int fd = mkstemp(path), n;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	(void)unlink(path);
	o.format = bob_format_named("rbt");
	assert_non_null(o.format);
	assert_int_equal(tape_open(&t, ctx, path, &o), BOB_OK);
	assert_false(tape_is_full(&t));
	/* A name, a frame and a stack each. */
	for (i = 0; i < TAPE_MAX_THINGS / 3 - 100; i++) {
		n = snprintf(name, sizeof(name), "made_%u", i);
		f.name = bob_str_put(t.dict, name, (size_t)n);
		frame = bob_frame_put(t.dict, &f);
		assert_true(bob_stack_push(t.dict, 0, frame) != BOB_NO_ID);
	}
	assert_false(tape_is_full(&t));
	for (i = 0; i < 400; i++) {
		n = snprintf(name, sizeof(name), "more_%u", i);
		assert_true(bob_str_put(t.dict, name, (size_t)n) != BOB_NO_ID);
	}
	assert_true(tape_is_full(&t));
	assert_int_equal(tape_close(&t, &l, BOB_UNKEPT_DISK), BOB_OK);
	assert_false(tape_is_full(&t));
	(void)unlink(path);
	bob_ctx_free(ctx);
}

static void
limit_files(rlim_t n)
{
	struct rlimit r;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
	r.rlim_cur = n < r.rlim_max ? n : r.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void
make_path(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	(void)close(fd);
	(void)unlink(path);
}

/* n samples, each with a stack of its own; how the last call went. */
static int
put_samples(struct tape *t, struct ledger *l, unsigned n)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	struct bob_run run = { .count = 1, .flags = BOB_RUN_TIMED };
	char name[32];
	unsigned i;
	int k, r = BOB_OK;

	for (i = 0; r == BOB_OK && i < n; i++) {
		k = snprintf(name, sizeof(name), "made_%llu",
		    (unsigned long long)l->sum.taken);
		f.name = bob_str_put(t->dict, name, (size_t)k);
		run.stack = bob_stack_push(t->dict, 0,
		    bob_frame_put(t->dict, &f));
		l->sum.taken++;
		r = tape_runs(t, &run, 1);
	}
	return r;
}

static void
assert_balanced(const struct ledger *l)
{
	assert_int_equal(l->sum.taken, l->sum.written + l->sum.pending +
	    l->sum.filtered + ledger_lost(l));
}

/* Whatever byte the disk is full at. */
static void
each_sample_of_a_tape_is_in_one_place(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_filter odd = { .size = sizeof(odd),
		.match = "made_[0-9]*[13579]\\b" };
	struct tape_opts o = { .period_ns = 10000000 };
	rlim_t limit;

	(void)state;
	o.format = bob_format_named("rbt");
	for (limit = 0; limit < 30000; limit += 997) {
		char path[] = "/tmp/bobbin-tape-XXXXXX";
		struct ledger l = { 0 }, sum;
		struct tape t;
		int r;

		make_path(path);
		o.filter = limit % 2 == 0 ? &odd : NULL;
		assert_int_equal(tape_open(&t, ctx, path, &o), BOB_OK);
		limit_files(limit);
		r = put_samples(&t, &l, 400);
		sum = l;
		if (r == BOB_OK && tape_barrier(&t) == BOB_OK) {
			tape_add_to(&t, &sum);
			assert_int_equal(sum.sum.pending, 0);
			assert_balanced(&sum);
			(void)put_samples(&t, &l, 100);
			sum = l;
			tape_add_to(&t, &sum);
			assert_true(sum.sum.pending > 0);
			assert_balanced(&sum);
		}
		(void)tape_close(&t, &l, BOB_UNKEPT_DISK);
		limit_files(RLIM_INFINITY);
		assert_balanced(&l);
		assert_int_equal(l.untold[BOB_UNKEPT_DISK],
		    l.sum.lost[BOB_UNKEPT_DISK]);
		assert_int_equal(l.sum.filtered > 0, o.filter != NULL);
		(void)unlink(path);
	}
	bob_ctx_free(ctx);
}

/* What no file tells is told by the next one. */
static void
a_loss_is_untold_until_its_file_is_safe(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct tape_opts o = { .period_ns = 10000000 };
	char path[] = "/tmp/bobbin-tape-XXXXXX";
	struct ledger l = { 0 };
	struct tape t;

	(void)state;
	make_path(path);
	o.format = bob_format_named("rbt");
	ledger_lose(&l, BOB_UNKEPT_DISK, 7);
	l.sum.taken = 7;
	/* The disk is full before it is told, ... */
	assert_int_equal(tape_open(&t, ctx, path, &o), BOB_OK);
	limit_files(0);
	assert_int_equal(tape_tell(&t, &l), BOB_OK);
	assert_int_equal(l.untold[BOB_UNKEPT_DISK], 0);
	assert_true(tape_barrier(&t) < 0);
	tape_discard(&t, &l);
	limit_files(RLIM_INFINITY);
	assert_int_equal(l.untold[BOB_UNKEPT_DISK], 7);
	assert_true(access(path, F_OK) < 0);
	/* ... the file that tells it is removed, ... */
	assert_int_equal(tape_open(&t, ctx, path, &o), BOB_OK);
	assert_int_equal(tape_tell(&t, &l), BOB_OK);
	assert_int_equal(put_samples(&t, &l, 3), BOB_OK);
	assert_int_equal(tape_barrier(&t), BOB_OK);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(tape_close(&t, &l, BOB_UNKEPT_DISK), BOB_OK);
	assert_int_equal(l.untold[BOB_UNKEPT_DISK], 7);
	assert_int_equal(l.untold[BOB_UNKEPT_REMOVED], 3);
	assert_balanced(&l);
	/* ... and at last there is one. */
	assert_int_equal(tape_open(&t, ctx, path, &o), BOB_OK);
	assert_int_equal(tape_tell(&t, &l), BOB_OK);
	assert_int_equal(tape_close(&t, &l, BOB_UNKEPT_DISK), BOB_OK);
	assert_int_equal(l.untold[BOB_UNKEPT_DISK] +
	    l.untold[BOB_UNKEPT_REMOVED], 0);
	(void)unlink(path);
	bob_ctx_free(ctx);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_tape_that_has_learned_a_million_things_is_full),
		cmocka_unit_test(each_sample_of_a_tape_is_in_one_place),
		cmocka_unit_test(a_loss_is_untold_until_its_file_is_safe),
	};

	(void)signal(SIGXFSZ, SIG_IGN);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
