/* The writing API: what it refuses, what failures leave behind, and what
 * samples cost. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"

static void
ids_that_were_never_given_out_are_refused(void **state)
{
	struct rig *g = *state;
	struct bob_run bad[] = {
		{ .count = 1, .stack = 2 },
		{ .count = 1, .track = 1 },
		{ .count = 1, .annot = 1 },
		{ .count = 1, .stack = BOB_NO_ID },
		{ .count = 0 },
		{ .count = BOB_MAX_COUNT + 1 },
		{ .count = 2, .t_last = 9, .flags = BOB_RUN_TIMED },
	};
	struct bob_mark mark = { .kind = BOB_MARK_META, .key = 99 };
	size_t i;

	start(g, NULL, NULL);
	(void)push(g, 0, "main");
	for (i = 0; i < COUNT_OF(bad); i++) {
		struct bob_run two[] = { { .count = 1 }, bad[i] };

		assert_int_equal(bob_write_runs(g->w, two, 2), BOB_FAILED);
		assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
	}
	assert_int_equal(bob_write_mark(g->w, &mark), BOB_FAILED);
	mark = (struct bob_mark){ .kind = BOB_MARK_UNKNOWN, .length = 1 };
	assert_int_equal(bob_write_mark(g->w, &mark), BOB_FAILED);
	/* Nothing happened, and the writer lives. */
	put_header(&g->want, 10000, 0);
	want_end(g, 0, 0, 0);
	finish_and_compare(g);
}

static void
frame_with_strings_that_never_were_is_written_without(void **state)
{
	struct rig *g = *state;
	struct bob_frame f = { .lang = BOB_LANG_PHP, .name = 12345,
		.file = BOB_NO_ID };
	bob_stack s;

	start(g, NULL, NULL);
	s = bob_stack_push(g->d, 0, bob_frame_put(g->d, &f));
	assert_int_equal(bob_stack_push(g->d, s, 777), BOB_NO_ID);
	assert_int_equal(bob_stack_push(g->d, 777, 1), BOB_NO_ID);
	write_run(g, s, 1);
	put_header(&g->want, 10000, 0);
	put_string(&g->want, 0, "");
	put_frame(&g->want, 0, 0, 0, 0);
	put_bytes(&g->want, "\x02\x03\x00\x01\x00", 5);
	put_compact(&g->want, 0);
	want_end(g, 1, 1, 1);
	finish_and_compare(g);
}

static void
wrong_options_are_refused(void **state)
{
	struct rig *g = *state;
	static const struct bob_option bad[] = {
		{ "colour", "red" },
		{ "timestamps", "sometimes" },
		{ "timestamps", NULL },
		{ "period", "-1" },
		{ "period", "4294967296" },
		{ "period", "" },
		{ "rotate-time", "soon" },
		{ "rotate-time", "0" },
		{ "rotate-size", "k" },
		{ "rotate-size", "99999999999999999999" },
		{ "checkpoint", "0" },
		{ "checkpoint", "1x" },
	};
	struct bob_target to = { .write = rig_collect, .user = g };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.n_options = 1 };
	size_t i;

	for (i = 0; i < COUNT_OF(bad); i++) {
		o.options = &bad[i];
		assert_int_equal(bob_create(g->ctx, &to, &o, &g->w),
		    BOB_FAILED);
		assert_null(g->w);
		assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
		assert_int_equal(bob_ctx_error(g->ctx)->status, BOB_FAILED);
		assert_non_null(strstr(bob_ctx_error(g->ctx)->text,
		    bad[i].key));
	}
	o.n_options = 0;
	o.format = "punch cards";
	assert_int_equal(bob_create(g->ctx, &to, &o, &g->w), BOB_FAILED);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_FORMAT);
	o.format = "rbt";
	assert_int_equal(bob_create(g->ctx, NULL, &o, &g->w), BOB_FAILED);
	o.size = sizeof(o.size);
	assert_int_equal(bob_create(g->ctx, &to, &o, &g->w), BOB_FAILED);
	assert_int_equal(g->got.n, 0);
}

static void
descriptor_stays_open_when_no_writer_came_of_it(void **state)
{
	struct rig *g = *state;
	struct bob_option bad = { "timestamps", "sometimes" };
	struct bob_target to = { .flags = BOB_TARGET_CLOSE };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = &bad,
		.n_options = 1 };

	to.fd = open("/dev/null", O_WRONLY);
	assert_int_equal(bob_create(g->ctx, &to, &o, &g->w), BOB_FAILED);
	assert_int_equal(close(to.fd), 0);
}

static void
what_no_reader_would_take_is_not_written(void **state)
{
	struct rig *g = *state;
	size_t n = BOB_MAX_EVENT;
	char *big = calloc(1, n);
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	struct bob_run run = { .count = 1 };

	assert_non_null(big);
	start(g, NULL, NULL);
	f.name = bob_str_put(g->d, big, n - 1); /* and one byte of id */
	run.stack = bob_stack_push(g->d, 0, bob_frame_put(g->d, &f));
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	assert_status(g->ctx, BOB_OK, bob_barrier(g->w, 0));
	f.name = bob_str_put(g->d, big, n);
	run.stack = bob_stack_push(g->d, 0, bob_frame_put(g->d, &f));
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
	assert_int_equal(bob_barrier(g->w, 0), BOB_FATAL);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_LIMIT);
	/* From now on every call says so. */
	assert_int_equal(bob_write_runs(g->w, &run, 1), BOB_FATAL);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_LIMIT);
	assert_int_equal(bob_finish(g->w), BOB_FATAL);
	g->w = NULL;
	free(big);
}

static int
refuse(void *user, const void *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	errno = ENOSPC;
	return -1;
}

static void
full_disk_is_reported_until_the_end(void **state)
{
	struct rig *g = *state;
	struct bob_target to = { .write = refuse };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };

	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, &to, &o, &g->w));
	g->d = bob_writer_dict(g->w);
	write_run(g, push(g, 0, "main"), 3);
	assert_int_equal(bob_barrier(g->w, 0), BOB_FATAL);
	assert_int_equal(bob_ctx_error(g->ctx)->sys, ENOSPC);
	assert_int_equal(bob_finish(g->w), BOB_FATAL);
	g->w = NULL;
	assert_int_equal(bob_ctx_error(g->ctx)->sys, ENOSPC);
}

static int
drop(void *user, const void *p, size_t n)
{
	unsigned *calls = user;

	(void)p;
	(void)n;
	++*calls;
	return 0;
}

static void
samples_cost_no_memory_and_few_writes(void **state)
{
	struct rig *g = *state;
	unsigned calls = 0;
	struct bob_target to = { .write = drop, .user = &calls };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_run run = { .count = 1 };
	bob_stack s[3];
	uint64_t bytes;
	int i;

	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, &to, &o, &g->w));
	g->d = bob_writer_dict(g->w);
	s[0] = push(g, 0, "a");
	s[1] = push(g, 0, "b");
	s[2] = push(g, s[0], "c");
	for (i = 0; i < 1000000; i++) {
		if (i == 100000) /* buffers have the size that they keep */
			fault_arm(0);
		run.stack = s[i % 3];
		run.annot = i == 5 ? annotate(g, "k", "v") : 0;
		assert_int_equal(bob_write_runs(g->w, &run, 1), BOB_OK);
		if (i % 100000 == 0)
			write_segment(g, 1, 0);
	}
	assert_int_equal(fault_count(), 0);
	bytes = bob_writer_bytes(g->w);
	finish(g);
	assert_true(calls <= bytes / 65536 + 1);
}

/* A writer with this filter, NULL for none, that adds to g->got. */
static int
create_filtered(struct rig *g, const struct bob_filter *f)
{
	struct bob_target to = { .write = rig_collect, .user = g };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt",
		.filter = f };

	return bob_create(g->ctx, &to, &o, &g->w);
}

static void
filter_chooses_what_is_written(void **state)
{
	struct rig *g = *state;
	struct bob_filter f = { .size = sizeof(f), .match = "^wanted ",
		.hide = "^hidden " };
	struct bob_run runs[3] = { { .count = 3 }, { .count = 5 },
		{ .count = 7 } };

	/* What is left, without a filter. */
	assert_int_equal(create_filtered(g, NULL), BOB_OK);
	g->d = bob_writer_dict(g->w);
	runs[0].stack = push(g, push(g, 0, "main"), "wanted");
	assert_int_equal(bob_write_runs(g->w, runs, 1), BOB_OK);
	finish(g);
	g->want = g->got;
	memset(&g->got, 0, sizeof(g->got));

	assert_int_equal(create_filtered(g, &f), BOB_OK);
	g->d = bob_writer_dict(g->w);
	runs[0].stack = push(g, push(g, push(g, 0, "main"), "wanted"),
	    "hidden");
	runs[1].stack = push(g, push(g, 0, "main"), "other");
	runs[2].stack = push(g, 0, "hidden");
	assert_int_equal(bob_write_runs(g->w, runs + 1, 2), BOB_OK);
	assert_int_equal(bob_writer_samples(g->w), 0);
	assert_int_equal(bob_write_runs(g->w, runs, 3), BOB_OK);
	assert_int_equal(bob_writer_samples(g->w), 3);
	finish_and_compare(g);

	f.match = "(";
	assert_int_equal(create_filtered(g, &f), BOB_FAILED);
	assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_USAGE);
}

/* All kinds of things; used with failing memory. */
static int
write_everything(void *user)
{
	struct rig *g = user;
	struct bob_target to = { .write = drop, .user = &g->n_writes };
	struct bob_option options[] = { { "compress", NULL },
		{ "rotate-size", "100" } };
	struct bob_filter filter = { .size = sizeof(filter), .hide = "^f1 " };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = options,
		.n_options = 2,
		.filter = &filter };
	struct bob_mark m = { .kind = BOB_MARK_META };
	struct bob_run run = { .count = 1 };
	struct bob_writer *w = NULL;
	int r, i;

	r = bob_create(g->ctx, &to, &o, &w);
	if (r < 0) {
		assert_int_equal(r, BOB_FAILED);
		assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_NOMEM);
		assert_null(w);
		return r;
	}
	g->d = bob_writer_dict(w);
	for (i = 0; i < 40 && r == BOB_OK; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "f%d", i);
		run.stack = push(g, run.stack, name);
		run.annot = annotate(g, "k", name);
		m.key = m.value = bob_str_put(g->d, name, strlen(name));
		if (run.stack == BOB_NO_ID || run.annot == BOB_NO_ID ||
		    m.key == BOB_NO_ID) {
			bob_discard(w);
			return BOB_FATAL;
		}
		r = bob_write_runs(w, &run, 1);
		if (r == BOB_OK)
			r = bob_write_mark(w, &m);
	}
	if (r < 0) {
		assert_int_equal(bob_ctx_error(g->ctx)->code, BOB_E_NOMEM);
		bob_discard(w);
		return r;
	}
	return bob_finish(w);
}

static void
no_memory_is_an_error_and_no_leak(void **state)
{
	fault_each(write_everything, *state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(ids_that_were_never_given_out_are_refused),
		RIG_TEST(frame_with_strings_that_never_were_is_written_without),
		RIG_TEST(wrong_options_are_refused),
		RIG_TEST(descriptor_stays_open_when_no_writer_came_of_it),
		RIG_TEST(what_no_reader_would_take_is_not_written),
		RIG_TEST(full_disk_is_reported_until_the_end),
		RIG_TEST(samples_cost_no_memory_and_few_writes),
		RIG_TEST(filter_chooses_what_is_written),
		RIG_TEST(no_memory_is_an_error_and_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
