/* Live TACH files: PATH.part with its journal until the file is whole, and
 * what is in them at any moment. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "core/error.h"
#include "format/tach/journal.h"
#include "salvage.h"
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

/* What the records in a file without tables are. */
struct walk {
	const uint8_t *p, *end;
	uint64_t n_samples, max_frame;
	int is_cut;
};

static uint64_t
walk_number(struct walk *w)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; w->p < w->end; shift += 7) {
		v |= (uint64_t)(*w->p & 0x7f) << shift;
		if (*w->p++ < 0x80)
			return v;
	}
	w->is_cut = 1;
	return 0;
}

static void
walk_record(struct walk *w)
{
	uint64_t n, i, v;
	unsigned kind;

	w->is_cut = w->end - w->p < 13;
	if (w->is_cut)
		return;
	kind = w->p[12];
	w->p += 13;
	assert_in_range(kind, 0, 3);
	if (kind == 0) {
		n = walk_number(w);
		for (i = 0; i < n && !w->is_cut; i++) {
			(void)walk_number(w);
			(void)walk_number(w); /* status, below 128 here */
		}
		w->n_samples += w->is_cut ? i : n;
		return;
	}
	(void)walk_number(w);
	(void)walk_number(w);
	if (kind > 1)
		(void)walk_number(w);
	n = walk_number(w);
	for (i = 0; i < n && !w->is_cut; i++) {
		v = walk_number(w);
		w->max_frame = v > w->max_frame ? v : w->max_frame;
	}
	w->n_samples += !w->is_cut;
}

static struct walk
walk_records(const uint8_t *p, size_t n)
{
	struct walk w = { .p = p, .end = p + n };

	while (w.p < w.end && !w.is_cut)
		walk_record(&w);
	return w;
}

/* All frames of zstd that are whole, and what can be had of the next. */
static void
unpack(const struct buf *part, struct buf *ret, unsigned *n_frames)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer from = { part->p, part->n, 64 };
	static uint8_t room[1 << 16];

	assert_non_null(z);
	*n_frames = 0;
	for (;;) {
		ZSTD_outBuffer to = { room, sizeof(room), 0 };
		size_t r = ZSTD_decompressStream(z, &to, &from);

		assert_false(ZSTD_isError(r));
		put_bytes(ret, room, to.pos);
		*n_frames += r == 0;
		if (from.pos == from.size && to.pos < to.size)
			break;
	}
	(void)ZSTD_freeDCtx(z);
}

static void
load_journal(const struct live *l, struct journal *ret)
{
	memset(ret, 0, sizeof(*ret));
	assert_status(l->g->ctx, BOB_OK,
	    journal_load(l->g->ctx, l->part, ret));
	assert_int_equal(ret->n_good, ret->n_bytes);
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
	struct buf file = { 0 };
	struct journal j;
	uint64_t n_before = 0;
	struct walk w;
	int i;

	live_begin(&l, g, raw);
	for (i = 0; i < 60000; i++) {
		tach_sample(g, 7, tach_push(g, tach_stack(g, 5), i));
		if (i % 500 != 0)
			continue;
		file.n = 0;
		load_file(l.part, &file);
		w = walk_records(file.p + 64, file.n < 64 ? 0 : file.n - 64);
		assert_true(w.n_samples >= n_before);
		n_before = w.n_samples;
		if (w.n_samples == 0)
			continue;
		load_journal(&l, &j);
		assert_true(w.max_frame < j.n_frame);
		journal_free(&j);
	}
	assert_true(n_before > 50000);
	buf_free(&file);
	live_end(&l);
}

static void
check_barriers(struct live *l, uint64_t n, unsigned *n_frames)
{
	struct buf file = { 0 }, records = { 0 };
	struct journal j;
	struct walk w;

	assert_status(l->g->ctx, BOB_OK, bob_barrier(l->g->w, 0));
	load_file(l->part, &file);
	load_journal(l, &j);
	if (j.head.compression == TACH_ZSTD)
		unpack(&file, &records, n_frames);
	else
		put_bytes(&records, file.p + 64, file.n - 64);
	w = walk_records(records.p, records.n);
	assert_false(w.is_cut);
	assert_int_equal(w.n_samples, n);
	assert_int_equal(j.barrier.samples, n);
	assert_int_equal(j.barrier.bytes, file.n);
	assert_int_equal(j.head.start_us, TACH_START);
	assert_int_equal(j.head.interval_us, TACH_INTERVAL);
	assert_int_equal(j.n_meta, 2);
	assert_memory_equal(j.meta[1].value.p, "gil", 3);
	journal_free(&j);
	buf_free(&file);
	buf_free(&records);
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
writer_that_is_given_up_leaves_all_it_was_given(void **state)
{
	struct tach_rig *g = *state;
	struct live l;
	struct buf file = { 0 };
	struct journal j;
	struct walk w;
	int i;

	live_begin(&l, g, raw);
	for (i = 0; i < 1000; i++)
		tach_sample(g, 7, tach_stack(g, 1 + i / 100));
	bob_discard(g->w);
	g->w = NULL;
	load_file(l.part, &file);
	load_journal(&l, &j);
	w = walk_records(file.p + 64, file.n - 64);
	assert_int_equal(w.n_samples, 1000);
	assert_int_equal(j.barrier.samples, 1000);
	assert_int_equal(j.n_frame, 10);
	assert_int_equal(j.n_string, 2);
	assert_int_equal(j.frame[9].line, 10);
	assert_memory_equal(j.string[j.frame[9].file].p, "a.py", 4);
	journal_free(&j);
	buf_free(&file);
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
		TACH_TEST(writer_that_is_given_up_leaves_all_it_was_given),
		TACH_TEST(nothing_is_left_of_nothing),
		TACH_TEST(remains_of_another_writer_are_not_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
