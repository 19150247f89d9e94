/* Live TACH files: PATH.part with its journal until the file is whole, and
 * what is in them at any moment. */
#include <stdlib.h>
#include <unistd.h>

#include "salvage.h"
#include "tach_part.h"
#include "tach_rig.h"

struct live {
	struct tach_rig *g;
	char dir[64], path[96], part[128], defs[160];
};

static const char *const raw[] = { "compression", "none", NULL };
static const char *const packed[] = { NULL };

static void
live_create(struct live *l, const char *const *options)
{
	struct bob_target to = { .path = l->path, .flags = BOB_TARGET_LIVE };

	tach_create(l->g, &to, "tach", options);
	tach_segment(l->g, TACH_INTERVAL, TACH_START);
}

static void
live_begin(struct live *l, struct tach_rig *g, const char *const *options)
{
	l->g = g;
	(void)snprintf(l->dir, sizeof(l->dir), "/tmp/test-tach-live-XXXXXX");
	assert_non_null(mkdtemp(l->dir));
	(void)snprintf(l->path, sizeof(l->path), "%s/t.bin", l->dir);
	(void)snprintf(l->part, sizeof(l->part), "%s.part", l->path);
	(void)snprintf(l->defs, sizeof(l->defs), "%s.defs", l->part);
	live_create(l, options);
}

/* Nothing but these may be left. */
static void
live_end(struct live *l)
{
	(void)unlink(l->path);
	(void)unlink(l->part);
	(void)unlink(l->defs);
	assert_int_equal(rmdir(l->dir), 0);
}

static int
exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Both files, whole as far as they go. */
static void
live_load(const struct live *l, struct tach_part *ret)
{
	tach_part_load(l->g->ctx, l->part, ret);
	assert_int_equal(ret->j.n_good, ret->j.n_bytes);
	tach_part_walk(ret, NULL, NULL);
}

static void
live_file_becomes_whole_when_finished(void **state)
{
	struct tach_rig *g = *state;
	struct live l;
	struct buf file = { 0 };
	uint32_t i;

	live_begin(&l, g, raw);
	tach_sample(g, 7, tach_stack(g, 2));
	assert_true(exists(l.part) && exists(l.defs) && !exists(l.path));
	assert_status(g->ctx, BOB_OK, bob_barrier(g->w, 1));
	load_file(l.part, &file);
	for (i = 0; i < 64; i++)
		assert_int_equal(file.p[i], 0);
	tach_finish(g);
	assert_true(!exists(l.part) && !exists(l.defs) && exists(l.path));
	file.n = 0;
	load_file(l.path, &file);
	assert_int_equal(tach_at(&file, 28, 8), 1);
	assert_int_equal(tach_at(&file, file.n - 24, 8), file.n);
	buf_free(&file);
	live_end(&l);
}

/* At each moment every frame that is in the file has its name in the journal,
 * whether there are barriers or not. */
static void
names_are_there_before_samples(void **state)
{
	struct tach_rig *g = *state;
	struct live l;
	struct tach_part part;
	uint64_t n_before = 0;
	int i;

	live_begin(&l, g, raw);
	for (i = 0; i < 60000; i++) {
		tach_sample(g, 7, tach_push(g, tach_stack(g, 5), i));
		if (i % 500 != 0)
			continue;
		live_load(&l, &part);
		assert_true(part.n_samples >= n_before);
		n_before = part.n_samples;
		tach_part_free(&part);
	}
	assert_true(n_before > 50000);
	live_end(&l);
}

static void
check_barriers(struct live *l, uint64_t n, unsigned *n_frames)
{
	struct tach_part part;
	const struct journal *j = &part.j;

	assert_status(l->g->ctx, BOB_OK, bob_barrier(l->g->w, 0));
	live_load(l, &part);
	assert_false(part.is_cut);
	assert_int_equal(part.n_samples, n);
	assert_int_equal(j->barrier.samples, n);
	assert_int_equal(j->barrier.bytes, part.file.n);
	assert_int_equal(j->head.start_us, TACH_START);
	assert_int_equal(j->head.interval_us, TACH_INTERVAL);
	assert_int_equal(j->n_meta, 2);
	assert_memory_equal(j->meta[1].value.p, "gil", 3);
	*n_frames = part.n_frames;
	tach_part_free(&part);
}

/* Also those that a thread repeats, which would wait otherwise. */
static void
barrier_covers_every_sample(struct tach_rig *g, const char *const *options,
    unsigned *n_frames)
{
	struct live l;
	uint64_t i;

	live_begin(&l, g, options);
	tach_meta(g, "python.version", "3.16.0");
	tach_meta(g, "unknown", "1");
	tach_meta(g, "profiler.mode", "gil");
	for (i = 0; i < 200000; i++) {
		tach_sample(g, i % 3, tach_push(g, 0, (int)(i / 7 % 1000)));
		if (i % 40000 == 17)
			check_barriers(&l, i + 1, n_frames);
	}
	tach_finish(g);
	live_end(&l);
}

static void
barrier_covers_every_plain_sample(void **state)
{
	unsigned n_frames;

	barrier_covers_every_sample(*state, raw, &n_frames);
}

static void
barrier_covers_every_packed_sample(void **state)
{
	unsigned n_frames;

	barrier_covers_every_sample(*state, packed, &n_frames);
	assert_true(n_frames >= 2);
}

static void
put_samples(struct tach_rig *g, int n)
{
	int i;

	for (i = 0; i < n; i++)
		tach_sample(g, 7, tach_push(g, 0, i % 1000));
}

/* The frames of zstd that are whole after a barrier. */
static unsigned
count_frames(struct live *l)
{
	struct tach_part part;
	unsigned n;

	assert_status(l->g->ctx, BOB_OK, bob_barrier(l->g->w, 0));
	live_load(l, &part);
	n = part.n_frames;
	tach_part_free(&part);
	return n;
}

/* A frame ends where the way of packing changes. */
static void
records_are_packed_in_haste_while_they_come_fast(void **state)
{
	struct tach_rig *g = *state;
	struct live l;

	live_begin(&l, g, packed);
	put_samples(g, 1000);
	assert_int_equal(count_frames(&l), 0);
	put_samples(g, 20000);
	assert_int_equal(count_frames(&l), 1);
	put_samples(g, 20000);
	assert_int_equal(count_frames(&l), 1);
	put_samples(g, 1000);
	assert_int_equal(count_frames(&l), 2);
	put_samples(g, 1000);
	assert_int_equal(count_frames(&l), 2);
	tach_finish(g);
	live_end(&l);
}

static void
writer_that_is_given_up_leaves_all_it_was_given(void **state)
{
	struct tach_rig *g = *state;
	struct live l;
	struct tach_part part;
	int i;

	live_begin(&l, g, raw);
	for (i = 0; i < 1000; i++)
		tach_sample(g, 7, tach_stack(g, 1 + i / 100));
	bob_discard(g->w);
	g->w = NULL;
	live_load(&l, &part);
	assert_int_equal(part.n_samples, 1000);
	assert_int_equal(part.j.barrier.samples, 1000);
	assert_int_equal(part.j.n_frame, 10);
	assert_int_equal(part.j.n_string, 2);
	assert_int_equal(part.j.frame[9].line, 10);
	assert_memory_equal(part.j.string[part.j.frame[9].file].p, "a.py", 4);
	tach_part_free(&part);
	live_end(&l);
}

static void
nothing_is_left_of_nothing(void **state)
{
	struct tach_rig *g = *state;
	struct live l;

	live_begin(&l, g, raw);
	bob_discard(g->w);
	g->w = NULL;
	assert_true(!exists(l.part) && !exists(l.defs) && !exists(l.path));
	live_end(&l);
}

static void
remains_of_another_writer_are_not_touched(void **state)
{
	struct tach_rig *g = *state;
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach" };
	struct bob_target to = { .flags = BOB_TARGET_LIVE };
	struct buf part = { 0 }, defs = { 0 }, again = { 0 };
	struct live l;

	live_begin(&l, g, raw);
	tach_sample(g, 7, tach_stack(g, 2));
	bob_discard(g->w);
	g->w = NULL;
	load_file(l.part, &part);
	load_file(l.defs, &defs);
	to.path = l.path;
	assert_int_equal(bob_create(g->ctx, &to, &o, &g->w), BOB_FAILED);
	assert_non_null(strstr(bob_ctx_error(g->ctx)->text, "recover"));
	load_file(l.part, &again);
	assert_int_equal(again.n, part.n);
	again.n = 0;
	load_file(l.defs, &again);
	assert_int_equal(again.n, defs.n);
	buf_free(&part);
	buf_free(&defs);
	buf_free(&again);
	live_end(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TACH_TEST(live_file_becomes_whole_when_finished),
		TACH_TEST(names_are_there_before_samples),
		TACH_TEST(barrier_covers_every_plain_sample),
		TACH_TEST(barrier_covers_every_packed_sample),
		TACH_TEST(records_are_packed_in_haste_while_they_come_fast),
		TACH_TEST(writer_that_is_given_up_leaves_all_it_was_given),
		TACH_TEST(nothing_is_left_of_nothing),
		TACH_TEST(remains_of_another_writer_are_not_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
