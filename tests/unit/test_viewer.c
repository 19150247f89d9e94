/* Tracks as viewers want them, and what Perfetto is told of real time. */
#include "through.h"

#include "format/common/viewer.h"

static struct bob_dict *dict;
static struct viewer viewer;

static int
setup(void **state)
{
	if (ctx_setup(state) != 0)
		return -1;
	dict = bob_dict_new(*state);
	viewer_init(&viewer, *state, dict);
	return dict == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	viewer_done(&viewer);
	bob_dict_free(dict);
	return ctx_teardown(state);
}

static bob_tid
track(uint32_t flags, uint64_t pid, uint64_t tid, uint32_t interp,
    const char *name)
{
	struct bob_track t = { .flags = flags, .pid = pid, .tid = tid,
		.interp = interp };

	t.name = bob_str_put(dict, name, strlen(name));
	return bob_track_put(dict, &t);
}

static void
assert_track(bob_tid id, uint32_t pid, uint32_t tid, const char *name)
{
	const struct viewer_track *t = viewer_get(&viewer, id);
	struct bob_bytes got;

	assert_non_null(t);
	assert_int_equal(t->pid, pid);
	assert_int_equal(t->tid, tid);
	assert_int_equal(viewer_thread_name(&viewer, id, &got), BOB_OK);
	assert_int_equal(got.n, strlen(name));
	assert_memory_equal(got.p, name, got.n);
}

static void
real_numbers_are_kept(void **state)
{
	const uint32_t both = BOB_TRACK_PID | BOB_TRACK_TID;

	(void)state;
	assert_track(track(both, 7, 8, 0, ""), 7, 8, "");
	assert_track(track(both, 9, 8, 0, "x"), 9, 8, "x");
	assert_track(track(BOB_TRACK_PID, 7, 0, 0, ""), 7, 7, "");
	assert_track(track(both, VIEWER_MADE_UP - 1, 1, 0, ""),
	    VIEWER_MADE_UP - 1, 1, "");
}

static void
no_two_tracks_are_one_thread(void **state)
{
	const uint32_t both = BOB_TRACK_PID | BOB_TRACK_TID;

	(void)state;
	assert_track(track(BOB_TRACK_PID, 7, 0, 0, ""), 7, 7, "");
	assert_track(track(both, 7, 7, 0, ""), 7, VIEWER_MADE_UP + 1,
	    "thread 7");
	assert_track(track(both, 7, 7, 0, "main"), 7, VIEWER_MADE_UP + 2,
	    "main (thread 7)");
	assert_track(track(both | BOB_TRACK_INTERP, 7, 7, 2, "w"), 7,
	    VIEWER_MADE_UP + 3, "w (thread 7) (interpreter 2)");
}

static void
what_is_not_known_is_one_process(void **state)
{
	(void)state;
	assert_track(0, VIEWER_MADE_UP, VIEWER_MADE_UP, "");
	assert_track(track(BOB_TRACK_TID, 0, 5, 0, ""), VIEWER_MADE_UP, 5, "");
	assert_track(track(BOB_TRACK_TID, 0, VIEWER_MADE_UP, 0, ""),
	    VIEWER_MADE_UP, VIEWER_MADE_UP + 1, "thread 2000000000");
}

static void
names_become_utf8(void **state)
{
	(void)state;
	assert_track(track(BOB_TRACK_TID, 0, 5, 0, "a\xff\xc3\xa9"),
	    VIEWER_MADE_UP, 5, "a\xef\xbf\xbd\xc3\xa9");
}

static void
assert_has(const struct buf *out, const void *p, size_t n)
{
	size_t i;

	for (i = 0; i + n <= out->n; i++)
		if (memcmp(out->p + i, p, n) == 0)
			return;
	fail_msg("the bytes are not there");
}

static void
unix_time_is_the_clock(void **state)
{
	/* 2020-01-01, in nanoseconds and as a varint. */
	static const uint8_t ns[] = { 0x80, 0x80, 0xa8, 0xcc, 0xdb, 0xc6,
		0xe6, 0xf2, 0x15 };
	struct bob_segment segment = { .period_us = 1000,
		.start_us = (uint64_t)1577836800 * 1000000 };
	struct bob_frame f = { .where = 1 };
	struct bob_run run = { .count = 1 };
	uint8_t want[40] = { 0x0a, 12, 0x08, 6, 0x10 };
	struct hand h;

	(void)state;
	hand_begin(&h, "perfetto", NULL, NULL);
	run.stack = hand_push(&h, 0, f, "f", "/a");
	hand_segment(&h, &segment);
	hand_run(&h, &run);
	memcpy(want + 5, ns, sizeof(ns));
	/* Clock 6 (boot time, on which timestamps are), then 1 (real). */
	memcpy(want + 14, (uint8_t[]){ 0x0a, 12, 0x08, 1, 0x10 }, 5);
	memcpy(want + 19, ns, sizeof(ns));
	assert_int_equal(bob_finish(h.w), BOB_OK);
	assert_has(&h.out, want, 28);
	/* And that of the sample's packet, whose flags come next. */
	want[0] = 0x40;
	memcpy(want + 1, ns, sizeof(ns));
	memcpy(want + 10, (uint8_t[]){ 0x50, 1, 0x68, 2 }, 4);
	assert_has(&h.out, want, 14);
	buf_free(&h.out);
	bob_ctx_free(h.ctx);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(real_numbers_are_kept, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(no_two_tracks_are_one_thread,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(
		    what_is_not_known_is_one_process, setup, teardown),
		cmocka_unit_test_setup_teardown(names_become_utf8, setup,
		    teardown),
		cmocka_unit_test(unix_time_is_the_clock),
	};

	return cmocka_run_group_tests_name("viewer", tests, NULL, NULL);
}
