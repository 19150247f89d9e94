/* Where .rbt segments end and where their bytes go: rotation, packing, side
 * files, and outputs that are handed over one by one. */
#include "rig.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void
rotation_by_time_follows_the_samples_clock(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, "rotate-time", "2s");
	a = push(g, 0, "main");
	put_header(&g->want, 10000, 1);
	write_segment(g, 10000, BOB_SEGMENT_TIMED);
	write_meta(g, "pid", "1");
	write_meta(g, "host", "h");
	write_meta(g, "pid", "2");
	put_meta(&g->want, "pid", "1");
	put_meta(&g->want, "host", "h");
	put_meta(&g->want, "pid", "2");
	write_at(g, a, 1, 1000000);
	write_at(g, a, 1, 2999999);
	want_first(g, "main");
	put_sample(&g->want, 0, 1000000);
	put_sample(&g->want, 0, 1999999);
	want_end(g, 1, 1, 2);
	write_at(g, a, 1, 3000000);
	put_header(&g->want, 10000, 1);
	put_meta(&g->want, "pid", "2");
	put_meta(&g->want, "host", "h");
	want_first(g, "main");
	put_sample(&g->want, 0, 1);
	want_end(g, 1, 1, 1);
	finish_and_compare(g);
}

static void
rotation_by_time_counts_samples_without_a_clock(void **state)
{
	struct rig *g = *state;
	bob_stack a;
	int i;

	start(g, "rotate-time", "1s");
	a = push(g, 0, "main");
	for (i = 0; i < 250; i++)
		write_run(g, a, 1);
	for (i = 0; i < 3; i++) {
		put_header(&g->want, 10000, 0);
		want_first(g, "main");
		put_compact(&g->want, 0);
		put_repeat(&g->want, i < 2 ? 99 : 49);
		want_end(g, 1, 1, i < 2 ? 100 : 50);
	}
	finish_and_compare(g);
}

static void
rotation_never_cuts_a_run_that_came_in_one_piece(void **state)
{
	struct rig *g = *state;

	start(g, "rotate-time", "1s");
	put_header(&g->want, 10000, 0);
	write_run(g, push(g, 0, "main"), BOB_MAX_COUNT);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, BOB_MAX_COUNT - 1);
	put_checkpoint(&g->want, 1, 1, BOB_MAX_COUNT);
	want_end(g, 1, 1, BOB_MAX_COUNT);
	finish_and_compare(g);
}

static void
rotation_by_size_counts_bytes(void **state)
{
	struct rig *g = *state;
	bob_stack a, b;
	int i;

	start(g, "rotate-size", "1k");
	a = push(g, 0, "main");
	b = push(g, 0, "work");
	for (i = 0; i < 5000; i++)
		write_run(g, i % 2 == 0 ? a : b, 1);
	finish(g);
	/* About 100 bytes of each segment are not samples. */
	assert_int_equal(count_headers(&g->got), 10000 / (1024 - 100) + 1);
}

static void
packed_segment_is_a_member(void **state)
{
	struct rig *g = *state;
	struct buf raw = { 0 };
	size_t at = 0;
	bob_stack a;
	int i;

	start(g, "compress", NULL);
	a = push(g, 0, "main");
	for (i = 0; i < 2; i++) {
		write_segment(g, 1, 0);
		write_run(g, a, 9);
		assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	}
	assert_true(g->got.n > 18);
	assert_int_equal(bob_writer_bytes(g->w), g->got.n);
	finish(g);
	for (i = 0; i < 2; i++) {
		unpack(&g->got, &at, &raw);
		put_header(&g->want, 1, 0);
		want_first(g, "main");
		put_compact(&g->want, 0);
		put_repeat(&g->want, 8);
		want_end(g, 1, 1, 9);
		assert_bytes(&raw, &g->want);
	}
	assert_int_equal(at, g->got.n);
	buf_free(&raw);
}

static void
long_segment_is_packed_in_parts(void **state)
{
	struct rig *g = *state;
	struct bob_run runs[512] = { 0 };
	struct buf raw = { 0 };
	unsigned n_members = 0;
	size_t at = 0;
	int i;

	start(g, "compress", "");
	for (i = 0; i < 512; i++)
		runs[i] = (struct bob_run){ .count = 1,
			.stack = push(g, 0, i % 2 == 0 ? "a" : "b") };
	for (i = 0; i < 10000; i++)
		assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, runs, 512));
	finish(g);
	for (; at < g->got.n; n_members++)
		unpack(&g->got, &at, &raw);
	assert_int_equal(n_members, 3);
	assert_true(raw.n > 10240000);
	assert_int_equal(count_headers(&raw), 1);
	buf_free(&raw);
}

struct live {
	char dir[64], path[128], side[160];
};

static void
start_live(struct rig *g, struct live *at)
{
	struct bob_target to = { .flags = BOB_TARGET_LIVE };
	struct bob_option option = { "compress", NULL };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = &option,
		.n_options = 1 };

	(void)snprintf(at->dir, sizeof(at->dir), "/tmp/test-write-XXXXXX");
	assert_non_null(mkdtemp(at->dir));
	(void)snprintf(at->path, sizeof(at->path), "%s/t.rbt.gz", at->dir);
	(void)snprintf(at->side, sizeof(at->side), "%s.live", at->path);
	to.path = at->path;
	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, &to, &o, &g->w));
	g->d = bob_writer_dict(g->w);
}

static void
end_live(const struct live *at)
{
	(void)unlink(at->side);
	(void)unlink(at->path);
	assert_int_equal(rmdir(at->dir), 0);
}

static void
live_segment_is_raw_beside_the_file_until_packed(void **state)
{
	struct rig *g = *state;
	struct buf raw = { 0 };
	struct live at;
	char digits[24];
	size_t from = 0;
	bob_stack a;

	start_live(g, &at);
	a = push(g, 0, "main");
	write_segment(g, 1, 0);
	write_run(g, a, 9);
	assert_int_equal(bob_barrier(g->w, 1), BOB_OK);
	put_header(&g->want, 1, 0);
	put_meta(&g->want, "bobbin.offset", "0");
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, 8);
	read_file(at.side, &g->got);
	assert_bytes(&g->got, &g->want);
	read_file(at.path, &g->got);
	assert_int_equal(g->got.n, 0);

	/* The next segment begins: the first is packed, without the offset. */
	write_segment(g, 2, 0);
	assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	g->want.n = 0;
	put_header(&g->want, 1, 0);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, 8);
	want_end(g, 1, 1, 9);
	read_file(at.path, &g->got);
	unpack(&g->got, &from, &raw);
	assert_int_equal(from, g->got.n);
	assert_bytes(&raw, &g->want);
	g->want.n = 0;
	put_header(&g->want, 2, 0);
	(void)snprintf(digits, sizeof(digits), "%zu", from);
	put_meta(&g->want, "bobbin.offset", digits);
	read_file(at.side, &g->got);
	assert_bytes(&g->got, &g->want);

	write_meta(g, "bobbin.offset", "from a file that was recovered");
	finish(g);
	assert_int_equal(access(at.side, F_OK), -1);
	raw.n = g->want.n = 0;
	read_file(at.path, &g->got);
	unpack(&g->got, &from, &raw);
	put_header(&g->want, 2, 0);
	want_end(g, 0, 0, 0);
	assert_bytes(&raw, &g->want);
	buf_free(&raw);
	end_live(&at);
}

static void
live_segment_survives_when_its_writer_does_not(void **state)
{
	struct rig *g = *state;
	struct live at;

	start_live(g, &at);
	write_run(g, push(g, 0, "main"), 3);
	assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
	bob_discard(g->w);
	g->w = NULL;
	read_file(at.side, &g->got);
	assert_int_equal(count_headers(&g->got), 1);
	end_live(&at);
	/* Nothing was written: nothing is left. */
	start_live(g, &at);
	bob_discard(g->w);
	g->w = NULL;
	assert_int_equal(access(at.side, F_OK), -1);
	end_live(&at);
}

/* Outputs handed over one by one. */
struct relay {
	struct rig *g;
	int fd[2][2];
	uint64_t n;
	uint64_t last_index;
};

static int
hand_over(void *user, uint64_t index, struct bob_target *ret)
{
	struct relay *r = user;

	/* The one before is done with: closed when so asked. */
	if (r->n > 0)
		assert_int_equal(fcntl(r->fd[r->n - 1][1], F_GETFD), -1);
	if (r->n == 2)
		return -1;
	ret->fd = r->fd[r->n++][1];
	ret->flags = BOB_TARGET_CLOSE;
	r->last_index = index;
	return 0;
}

static void
next_output_gets_each_segment(void **state)
{
	struct rig *g = *state;
	struct relay r = { .g = g };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.next_output = hand_over,
		.next_user = &r };
	struct bob_segment s = { .period_us = 1 };
	uint8_t part[256];
	bob_stack a;
	int i;

	assert_int_equal(pipe(r.fd[0]), 0);
	assert_int_equal(pipe(r.fd[1]), 0);
	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, NULL, &o, &g->w));
	g->d = bob_writer_dict(g->w);
	a = push(g, 0, "main");
	put_header(&g->want, 1, 0);
	want_first(g, "main");
	put_compact(&g->want, 0);
	want_end(g, 1, 1, 1);
	for (i = 0; i < 2; i++) {
		write_segment(g, 1, 0);
		write_run(g, a, 1);
		assert_int_equal(r.last_index, i);
	}
	assert_int_equal(bob_write_segment(g->w, &s), BOB_FATAL);
	assert_int_equal(bob_finish(g->w), BOB_FATAL);
	g->w = NULL;
	for (i = 0; i < 2; i++) {
		g->got.n = 0;
		put_bytes(&g->got, part,
		    (size_t)read(r.fd[i][0], part, sizeof(part)));
		assert_bytes(&g->got, &g->want);
		(void)close(r.fd[i][0]);
	}
}

/* Live files, one per segment. */
static int
next_file(void *user, uint64_t index, struct bob_target *ret)
{
	struct live *at = user;

	(void)snprintf(at->path, sizeof(at->path), "%s/%u.rbt.gz", at->dir,
	    (unsigned)index);
	(void)snprintf(at->side, sizeof(at->side), "%s.live", at->path);
	ret->path = at->path;
	ret->flags = BOB_TARGET_LIVE;
	return 0;
}

static void
each_live_file_has_its_own_side_file(void **state)
{
	struct rig *g = *state;
	struct live at;
	struct bob_option option = { "compress", NULL };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = &option,
		.n_options = 1,
		.next_output = next_file,
		.next_user = &at };
	struct buf raw = { 0 };
	size_t from = 0;
	bob_stack a;
	int i;

	(void)snprintf(at.dir, sizeof(at.dir), "/tmp/test-write-XXXXXX");
	assert_non_null(mkdtemp(at.dir));
	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, NULL, &o, &g->w));
	g->d = bob_writer_dict(g->w);
	a = push(g, 0, "main");
	for (i = 0; i < 2; i++) {
		write_segment(g, 1, 0);
		write_run(g, a, 1);
		assert_int_equal(bob_barrier(g->w, 0), BOB_OK);
		assert_int_equal(access(at.side, F_OK), 0);
	}
	finish(g);
	put_header(&g->want, 1, 0);
	want_first(g, "main");
	put_compact(&g->want, 0);
	want_end(g, 1, 1, 1);
	for (i = 0; i < 2; i++) {
		struct bob_target unused;

		(void)next_file(&at, (uint64_t)i, &unused);
		assert_int_equal(access(at.side, F_OK), -1);
		read_file(at.path, &g->got);
		raw.n = from = 0;
		unpack(&g->got, &from, &raw);
		assert_bytes(&raw, &g->want);
		(void)unlink(at.path);
	}
	assert_int_equal(rmdir(at.dir), 0);
	buf_free(&raw);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(rotation_by_time_follows_the_samples_clock),
		RIG_TEST(rotation_by_time_counts_samples_without_a_clock),
		RIG_TEST(rotation_never_cuts_a_run_that_came_in_one_piece),
		RIG_TEST(rotation_by_size_counts_bytes),
		RIG_TEST(packed_segment_is_a_member),
		RIG_TEST(long_segment_is_packed_in_parts),
		RIG_TEST(live_segment_is_raw_beside_the_file_until_packed),
		RIG_TEST(live_segment_survives_when_its_writer_does_not),
		RIG_TEST(next_output_gets_each_segment),
		RIG_TEST(each_live_file_has_its_own_side_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
