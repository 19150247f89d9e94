/*
 * Threads in .rbt: numbers for tracks, the metadata that explains them, and
 * what else formats with threads bring along (status, opcodes by number,
 * columns, when sampling began).
 */
#include "rig.h"

#include <stdlib.h>

#include "fault.h"
#include "format/rbt/track.h"
#include "listing.h"

#define FREE_NUMBERS ((uint64_t)1 << 62)

static bob_tid
track(struct rig *g, struct bob_track t, const char *name)
{
	if (name != NULL)
		t.name = bob_str_put(g->d, name, strlen(name));
	return bob_track_put(g->d, &t);
}

static void
write_track(struct rig *g, bob_stack stack, bob_tid who)
{
	struct bob_run run = { .count = 1, .stack = stack, .track = who };

	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
}

#define THREAD(pid_, tid_, interp_, flags_)                                  \
	(struct bob_track)                                                   \
	{                                                                    \
		.pid = (pid_), .tid = (tid_), .interp = (interp_),           \
		.flags = (flags_)                                            \
	}
#define PID BOB_TRACK_PID
#define TID BOB_TRACK_TID
#define INTERP BOB_TRACK_INTERP

static void
thread_is_its_tid_and_a_line_of_metadata(void **state)
{
	struct rig *g = *state;
	bob_stack a;
	bob_tid who;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	who = track(g, THREAD(300, 301, 2, PID | TID | INTERP), "worker 1");
	write_run(g, a, 1);
	write_track(g, a, who);
	write_track(g, a, who);
	write_track(g, a, track(g, THREAD(300, 302, 0, TID | INTERP), NULL));
	write_track(g, a, who);
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_meta(&g->want, "bobbin.track.301",
	    "pid=300 tid=301 interp=2 name=worker%201");
	put_pid_sample(&g->want, 0, 301);
	put_repeat(&g->want, 1);
	put_meta(&g->want, "bobbin.track.302", "tid=302 interp=0");
	put_pid_sample(&g->want, 0, 302);
	put_pid_sample(&g->want, 0, 301);
	want_end(g, 1, 1, 5);
	finish_and_compare(g);
}

static void
number_that_is_taken_is_not_given_again(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	write_track(g, a, track(g, THREAD(300, 0, 0, PID), NULL));
	write_track(g, a, track(g, THREAD(0, 300, 0, TID), NULL));
	write_track(g, a, track(g, THREAD(0, 400, 0, TID), NULL));
	write_track(g, a, track(g, THREAD(400, 0, 0, PID), NULL));
	write_track(g, a,
	    track(g, THREAD(FREE_NUMBERS + 2, 0, 0, PID), NULL));
	write_track(g, a, track(g, THREAD(0, 0, 5, INTERP), NULL));
	write_track(g, a, track(g, THREAD(0, 0, 0, 0), "lonely"));
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_pid_sample(&g->want, 0, 300);
	put_meta(&g->want, "bobbin.track.4611686018427387904", "tid=300");
	put_pid_sample(&g->want, 0, FREE_NUMBERS);
	put_meta(&g->want, "bobbin.track.400", "tid=400");
	put_pid_sample(&g->want, 0, 400);
	put_meta(&g->want, "bobbin.track.4611686018427387905", "pid=400");
	put_pid_sample(&g->want, 0, FREE_NUMBERS + 1);
	put_pid_sample(&g->want, 0, FREE_NUMBERS + 2);
	put_meta(&g->want, "bobbin.track.4611686018427387907", "interp=5");
	put_pid_sample(&g->want, 0, FREE_NUMBERS + 3);
	put_meta(&g->want, "bobbin.track.4611686018427387908", "name=lonely");
	put_pid_sample(&g->want, 0, FREE_NUMBERS + 4);
	want_end(g, 1, 1, 7);
	finish_and_compare(g);
}

static void
each_segment_explains_its_own_numbers(void **state)
{
	struct rig *g = *state;
	bob_tid thread, plain;
	bob_stack a;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	thread = track(g, THREAD(0, 300, 0, TID), NULL);
	plain = track(g, THREAD(300, 0, 0, PID), NULL);
	write_segment(g, 10, 0);
	write_track(g, a, thread);
	write_track(g, a, track(g, THREAD(0, 0, 1, INTERP), NULL));
	write_segment(g, 20, 0);
	write_track(g, a, plain);
	write_track(g, a, thread);
	put_header(&g->want, 10, 0);
	want_first(g, "main");
	put_meta(&g->want, "bobbin.track.300", "tid=300");
	put_pid_sample(&g->want, 0, 300);
	put_meta(&g->want, "bobbin.track.4611686018427387904", "interp=1");
	put_pid_sample(&g->want, 0, FREE_NUMBERS);
	want_end(g, 1, 1, 2);
	put_header(&g->want, 20, 0);
	want_first(g, "main");
	put_pid_sample(&g->want, 0, 300);
	put_meta(&g->want, "bobbin.track.4611686018427387904", "tid=300");
	put_pid_sample(&g->want, 0, FREE_NUMBERS);
	want_end(g, 1, 1, 2);
	finish_and_compare(g);
}

static void
metadata_about_tracks_of_another_file_is_dropped(void **state)
{
	struct rig *g = *state;

	start(g, NULL, NULL);
	write_meta(g, "bobbin.track.300", "tid=300");
	write_meta(g, "bobbin.track.300", "tid=300 or so");
	put_header(&g->want, 10000, 0);
	put_meta(&g->want, "bobbin.track.300", "tid=300 or so");
	want_end(g, 0, 0, 0);
	finish_and_compare(g);
}

/* Reading. */

/* A segment whose only stack is 0, "main". */
static void
put_start(struct buf *b)
{
	static const uint64_t frames[] = { 0 };

	put_header(b, 10000, 0);
	put_string(b, 0, "");
	put_string(b, 1, "main");
	put_frame(b, 0, 1, 0, 7);
	put_stack(b, 0, frames, 1);
}

static int
read_all(struct bob_ctx *ctx, const struct buf *b, struct bob_dict *dict,
    uint32_t want, size_t step, struct listing *l)
{
	struct bob_read_opts o = { .size = sizeof(o), .dict = dict,
		.want = want };
	struct chunks c = { .p = b->p, .n = b->n, .step = step,
		.stutter = 1 };
	struct bob_reader *in;
	int r;

	r = step == 0 ? bob_open_memory(ctx, b->p, b->n, "test", &o, &in) :
	    bob_open_fn(ctx, chunks_read, &c, "test", &o, &in);
	return r < 0 ? r : listing_read(l, in);
}

static void
assert_track(const struct bob_dict *d, bob_tid id, struct bob_track want,
    const char *name, size_t n)
{
	const struct bob_track *t = bob_track_get(d, id);
	struct bob_bytes s = bob_str_get(d, t->name);

	assert_int_equal(t->flags, want.flags);
	assert_int_equal(t->pid, want.pid);
	assert_int_equal(t->tid, want.tid);
	assert_int_equal(t->interp, want.interp);
	assert_int_equal(s.n, n);
	assert_memory_equal(s.p, name, n);
}

static void
numbers_become_tracks_again(void **state)
{
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct listing l = { 0 };
	size_t step;

	put_start(&g->want);
	put_pid_sample(&g->want, 0, 7);
	put_meta(&g->want, "bobbin.track.9",
	    "pid=8 tid=9 interp=4294967295 name=a%20%25%00%7F\xc3\xa9");
	put_pid_sample(&g->want, 0, 9);
	put_pid_sample(&g->want, 0, 7);
	/* From here on 7 is something else. */
	put_meta(&g->want, "bobbin.track.7", "tid=18446744073709551615");
	put_pid_sample(&g->want, 0, 7);
	put_meta(&g->want, "pid", "8");
	put_end(&g->want);
	/* Another segment, another meaning. */
	put_start(&g->want);
	put_pid_sample(&g->want, 0, 9);
	for (step = 0; step < 2; step++) {
		assert_status(g->ctx, BOB_EOF, read_all(g->ctx, &g->want, d, 0,
		    step, &l));
		assert_int_equal(l.n, 5);
		assert_track(d, l.v[0].track, THREAD(7, 0, 0, PID), "", 0);
		assert_track(d, l.v[1].track, THREAD(8, 9, UINT32_MAX,
		    PID | TID | INTERP), "a %\0\x7f\xc3\xa9", 7);
		assert_track(d, l.v[2].track, THREAD(7, 0, 0, PID), "", 0);
		assert_track(d, l.v[3].track, THREAD(0, UINT64_MAX, 0, TID),
		    "", 0);
		assert_track(d, l.v[4].track, THREAD(9, 0, 0, PID), "", 0);
		assert_int_equal(l.meta.n, strlen("0 pid=8\n"));
		assert_memory_equal(l.meta.p, "0 pid=8\n", l.meta.n);
		listing_free(&l);
	}
	bob_dict_free(d);
}

static void
metadata_that_is_not_quite_ours_is_handed_on(void **state)
{
	static const char *const odd[][2] = {
		{ "bobbin.track.", "tid=5" },
		{ "bobbin.track.x", "tid=5" },
		{ "bobbin.track.5x", "tid=5" },
		{ "bobbin.track.-5", "tid=5" },
		{ "bobbin.track.18446744073709551616", "tid=5" },
		{ "bobbin.trac.5", "tid=5" },
		{ "bobbin.track.5", "" },
		{ "bobbin.track.5", " " },
		{ "bobbin.track.5", "tid=" },
		{ "bobbin.track.5", "tid=5 " },
		{ "bobbin.track.5", "tid=5  interp=1" },
		{ "bobbin.track.5", " tid=5" },
		{ "bobbin.track.5", "tid=5 pid=5" },
		{ "bobbin.track.5", "tid=5 tid=5" },
		{ "bobbin.track.5", "tid=-5" },
		{ "bobbin.track.5", "tid=18446744073709551616" },
		{ "bobbin.track.5", "tid=5 interp=4294967296" },
		{ "bobbin.track.5", "tid=5 name=" },
		{ "bobbin.track.5", "tid=5 name=a b" },
		{ "bobbin.track.5", "tid=5 name=a\tb" },
		{ "bobbin.track.5", "tid=5 name=a%" },
		{ "bobbin.track.5", "tid=5 name=a%2" },
		{ "bobbin.track.5", "tid=5 name=%2g" },
		{ "bobbin.track.5", "tid=5 name=a color=red" },
		{ "bobbin.track.5", "thread 5" },
	};
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct buf want = { 0 };
	struct listing l = { 0 };
	size_t i;

	put_start(&g->want);
	for (i = 0; i < COUNT_OF(odd); i++) {
		put_meta(&g->want, odd[i][0], odd[i][1]);
		put_text(&want, "0 ");
		put_text(&want, odd[i][0]);
		put_text(&want, "=");
		put_text(&want, odd[i][1]);
		put_text(&want, "\n");
	}
	put_pid_sample(&g->want, 0, 5);
	assert_status(g->ctx, BOB_EOF, read_all(g->ctx, &g->want, d, 0, 0,
	    &l));
	assert_int_equal(l.meta.n, want.n);
	assert_memory_equal(l.meta.p, want.p, want.n);
	assert_track(d, l.v[0].track, THREAD(5, 0, 0, PID), "", 0);
	listing_free(&l);
	buf_free(&want);
	bob_dict_free(d);
}

/* What stands behind the value is not part of it. */
static void
value_ends_where_it_ends(void **state)
{
	static const struct bob_bytes key = { "bobbin.track.5", 14 };
	static const char value[] = "tid=12 interp=34 name=a%41";
	/* Lengths at which it is whole. */
	static const size_t good[] = { 5, 6, 15, 16, 23, 26 };
	struct bob_track t;
	struct bob_bytes name;
	uint64_t number;
	size_t n, k = 0;

	(void)state;
	for (n = 0; n <= strlen(value); n++) {
		int want = k < COUNT_OF(good) && good[k] == n;

		k += (size_t)want;
		assert_int_equal(rbt_track_parse(key,
		    (struct bob_bytes){ value, n }, &number, &t, &name), want);
	}
}

/* There and back. */

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Few numbers, so that pids and tids collide. */
static bob_tid
random_track(struct bob_dict *d, uint32_t *seed)
{
	static const char *const name[] = { "main", "a b%41", "%", "\n",
		"x=1 name=y" };
	struct bob_track t = { .flags = next_random(seed) % 8 };
	uint32_t n = next_random(seed) % 10;

	if (t.flags & PID)
		t.pid = next_random(seed) % 4;
	if (t.flags & TID)
		t.tid = next_random(seed) % 4 + (n == 9 ? FREE_NUMBERS : 0);
	if (t.flags & INTERP)
		t.interp = next_random(seed) % 2;
	if (n < COUNT_OF(name))
		t.name = bob_str_put(d, name[n], strlen(name[n]));
	return t.name == BOB_NO_ID ? BOB_NO_ID : bob_track_put(d, &t);
}

struct trip {
	struct bob_ctx *ctx;
	uint32_t seed;
	const char *option, *value;
	struct buf bytes;
};

static int
collect(void *user, const void *p, size_t n)
{
	put_bytes(user, p, n);
	return 0;
}

/* Writes random tracks, at times a new segment; lists what it wrote. */
static int
write_trip(struct trip *t, struct bob_dict *d, struct listing *l)
{
	struct bob_target to = { .write = collect, .user = &t->bytes };
	struct bob_option option = { t->option, t->value };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt",
		.dict = d, .options = &option,
		.n_options = t->option != NULL };
	struct bob_segment segment = { .period_us = 100 };
	struct bob_writer *w;
	uint32_t seed = t->seed;
	int i, r;

	t->bytes.n = 0;
	r = bob_create(t->ctx, &to, &o, &w);
	for (i = 0; i < 300 && r == BOB_OK; i++) {
		struct bob_run run = { .count = 1 + next_random(&seed) % 3 };

		run.track = random_track(d, &seed);
		if (i == 0 || next_random(&seed) % 50 == 0)
			r = bob_write_segment(w, &segment);
		if (run.track == BOB_NO_ID)
			r = BOB_FATAL;
		if (r == BOB_OK)
			r = bob_write_runs(w, &run, 1);
		if (r == BOB_OK && l->n < 300) {
			l->v[l->n] = (struct listed){ .count = run.count,
				.track = run.track };
			l->n++;
		}
		if (r < 0)
			bob_discard(w);
	}
	return r < 0 ? r : bob_finish(w);
}

/* Tracks and counts in order, whatever the segments. */
static void
assert_same_tracks(const struct listing *got, const struct listing *want)
{
	size_t i = 0, k = 0;
	uint64_t gone_i = 0, gone_k = 0;

	while (i < got->n && k < want->n) {
		assert_int_equal(got->v[i].track, want->v[k].track);
		if (++gone_i == got->v[i].count)
			i++, gone_i = 0;
		if (++gone_k == want->v[k].count)
			k++, gone_k = 0;
	}
	assert_int_equal(i, got->n);
	assert_int_equal(k, want->n);
}

static int
make_trip(void *user)
{
	struct trip *t = user;
	struct bob_dict *d = bob_dict_new(t->ctx);
	struct listed wrote[300];
	struct listing want = { .v = wrote }, got = { 0 };
	int r;

	if (d == NULL)
		return BOB_FATAL;
	r = write_trip(t, d, &want);
	if (r == BOB_OK)
		r = read_all(t->ctx, &t->bytes, d, 0, 0, &got);
	if (r >= 0) {
		assert_same_tracks(&got, &want);
		assert_int_equal(got.meta.n, 0);
	}
	listing_free(&got);
	bob_dict_free(d);
	return r;
}

static void
tracks_come_back_as_they_were(void **state)
{
	struct rig *g = *state;
	struct trip t = { .ctx = g->ctx };

	for (t.seed = 1; t.seed <= 40; t.seed++)
		assert_status(g->ctx, BOB_EOF, make_trip(&t));
	t.option = "rotate-size";
	t.value = "300";
	for (; t.seed <= 50; t.seed++)
		assert_status(g->ctx, BOB_EOF, make_trip(&t));
	buf_free(&t.bytes);
}

/* The same without a listing, which may not run out of memory. */
static int
make_plain_trip(void *user)
{
	struct trip *t = user;
	struct bob_dict *d = bob_dict_new(t->ctx);
	struct bob_read_opts o = { .size = sizeof(o), .dict = d };
	struct listed wrote[300];
	struct listing want = { .v = wrote };
	struct bob_reader *in = NULL;
	struct bob_event ev;
	int r;

	if (d == NULL)
		return BOB_FATAL;
	r = write_trip(t, d, &want);
	if (r == BOB_OK)
		r = bob_open_memory(t->ctx, t->bytes.p, t->bytes.n, "test",
		    &o, &in);
	while (r == BOB_OK)
		r = bob_next(in, &ev);
	bob_close(in);
	bob_dict_free(d);
	if (r < 0)
		assert_int_equal(bob_ctx_error(t->ctx)->code, BOB_E_NOMEM);
	return r;
}

static void
any_allocation_may_fail(void **state)
{
	struct rig *g = *state;
	struct trip t = { .ctx = g->ctx, .seed = 1 };

	/* The test's own buffer does not grow while faults are on. */
	assert_status(g->ctx, BOB_EOF, make_trip(&t));
	fault_each(make_plain_trip, &t);
	buf_free(&t.bytes);
}

/* What else comes along. */

static void
write_status(struct rig *g, bob_stack stack, bob_annot annot, unsigned status)
{
	struct bob_run run = { .count = 1, .stack = stack, .annot = annot,
		.status = (uint8_t)status, .flags = BOB_RUN_STATUS };

	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
}

static void
status_is_an_annotation_when_asked_for(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, "with-status", NULL);
	assert_true(bob_writer_caps(g->w) & BOB_CAP_STATUS);
	a = push(g, 0, "main");
	write_status(g, a, 0, 0x21);
	write_status(g, a, 0, 0x21);
	write_status(g, a, 0, 0);
	write_run(g, a, 1);
	write_status(g, a, annotate(g, "q", "1"), 0xde);
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_string(&g->want, 3, "status");
	put_string(&g->want, 4, "gil|main");
	put_compact(&g->want, 0);
	put_annotation(&g->want, 3, 4);
	put_repeat(&g->want, 1);
	put_string(&g->want, 5, "-");
	put_compact(&g->want, 0);
	put_annotation(&g->want, 3, 5);
	put_compact(&g->want, 0);
	put_string(&g->want, 6, "q");
	put_string(&g->want, 7, "1");
	put_string(&g->want, 8, "cpu|unknown|gil-wait|exception|0xc0");
	put_compact(&g->want, 0);
	put_bytes(&g->want, "\x0b\x05\x02\x06\x07\x03\x08", 7);
	want_end(g, 1, 1, 5);
	finish_and_compare(g);
}

static void
status_is_left_out_otherwise(void **state)
{
	struct rig *g = *state;
	bob_stack a;

	start(g, NULL, NULL);
	assert_false(bob_writer_caps(g->w) & BOB_CAP_STATUS);
	a = push(g, 0, "main");
	write_status(g, a, 0, 1);
	write_status(g, a, 0, 2);
	write_status(g, a, 0, 3);
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_compact(&g->want, 0);
	put_repeat(&g->want, 2);
	want_end(g, 1, 1, 3);
	finish_and_compare(g);
}

static bob_stack
push_python(struct rig *g, unsigned flags, uint16_t opcode, int64_t line)
{
	struct bob_frame f = { .where = line, .lang = BOB_LANG_PYTHON,
		.flags = (uint8_t)flags, .opcode = opcode };

	f.name = bob_str_put(g->d, "f", 1);
	f.file = bob_str_put(g->d, "f.py", 4);
	return bob_stack_push(g->d, 0, bob_frame_put(g->d, &f));
}

static void
opcode_number_is_a_name_in_digits(void **state)
{
	static const uint64_t first[] = { 0 }, second[] = { 1 },
		third[] = { 2 }, fourth[] = { 3 };
	struct rig *g = *state;

	start(g, NULL, NULL);
	write_run(g, push_python(g, BOB_FRAME_OPCODE, 100, 7), 1);
	write_run(g, push_python(g, BOB_FRAME_OPCODE, 100, 8), 1);
	write_run(g, push_python(g, BOB_FRAME_OPCODE, 0, 8), 1);
	write_run(g, push_python(g, BOB_FRAME_NO_LINE, 0, 0), 1);
	put_header(&g->want, 10000, 0);
	put_meta(&g->want, "bobbin.language", "python");
	put_string(&g->want, 0, "");
	put_string(&g->want, 1, "f");
	put_string(&g->want, 2, "f.py");
	put_string(&g->want, 3, "100");
	put_bytes(&g->want, "\x01\x08\x00\x02\x00\x00\x01\x02\x07\x03", 10);
	put_stack(&g->want, 0, first, 1);
	put_compact(&g->want, 0);
	put_bytes(&g->want, "\x01\x08\x01\x02\x00\x00\x01\x02\x08\x03", 10);
	put_stack(&g->want, 1, second, 1);
	put_compact(&g->want, 1);
	put_string(&g->want, 4, "0");
	put_bytes(&g->want, "\x01\x08\x02\x02\x00\x00\x01\x02\x08\x04", 10);
	put_stack(&g->want, 2, third, 1);
	put_compact(&g->want, 2);
	put_frame(&g->want, 3, 1, 2, (uint64_t)-1);
	put_stack(&g->want, 3, fourth, 1);
	put_compact(&g->want, 3);
	want_end(g, 4, 4, 4);
	finish_and_compare(g);
}

/* f.py:line with this column, on top of parent. */
static bob_stack
push_column(struct rig *g, bob_stack parent, int64_t line, int32_t col)
{
	struct bob_frame f = { .where = line, .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_COLUMNS, .end_line = (int32_t)line,
		.col = col, .end_col = col + 1 };

	f.name = bob_str_put(g->d, "f", 1);
	f.file = bob_str_put(g->d, "f.py", 4);
	return bob_stack_push(g->d, parent, bob_frame_put(g->d, &f));
}

static void
frames_that_differ_by_columns_are_one(void **state)
{
	static const uint64_t one[] = { 0 }, two[] = { 0, 0 },
		other[] = { 1, 0 };
	struct rig *g = *state;
	bob_stack a, b;
	int i;

	start(g, NULL, NULL);
	a = push_column(g, 0, 7, 1);
	b = push_column(g, 0, 7, 2);
	for (i = 0; i < 2; i++) {
		write_segment(g, 10, 0);
		/* The second time round, what came first does not occur. */
		write_run(g, i == 0 ? a : b, 1);
		write_run(g, i == 0 ? b : push_column(g, 0, 7, 4), 1);
		write_run(g, push_column(g, b, 7, 3 + i), 1);
		write_run(g, push_column(g, b, 8, 1 + i), 1);
		write_run(g, push_column(g, b, 7, 2), 1);
		write_run(g, push_column(g, b, 8, 4), 1);
		put_header(&g->want, 10, 0);
		put_meta(&g->want, "bobbin.language", "python");
		put_string(&g->want, 0, "");
		put_string(&g->want, 1, "f");
		put_string(&g->want, 2, "f.py");
		put_frame(&g->want, 0, 1, 2, 7);
		put_stack(&g->want, 0, one, 1);
		put_compact(&g->want, 0);
		put_compact(&g->want, 0);
		put_stack(&g->want, 1, two, 2);
		put_compact(&g->want, 1);
		put_frame(&g->want, 1, 1, 2, 8);
		put_stack(&g->want, 2, other, 2);
		put_compact(&g->want, 2);
		put_compact(&g->want, 1);
		put_compact(&g->want, 2);
		want_end(g, 2, 3, 6);
	}
	finish_and_compare(g);
}

static void
beginning_is_metadata_and_times_stay_absolute(void **state)
{
	struct rig *g = *state;
	struct bob_segment s = { .period_us = 100, .t_begin = 1000000000,
		.flags = BOB_SEGMENT_TIMED };
	bob_stack a;

	start(g, NULL, NULL);
	a = push(g, 0, "main");
	assert_status(g->ctx, BOB_OK, bob_write_segment(g->w, &s));
	write_at(g, a, 1, 1000000120);
	write_at(g, a, 1, 1000000245);
	put_header(&g->want, 100, 1);
	put_meta(&g->want, "profiler.t_begin_us", "1000000000");
	want_first(g, "main");
	put_sample(&g->want, 0, 1000000120);
	put_sample(&g->want, 0, 125);
	want_end(g, 1, 1, 2);
	finish_and_compare(g);
}

static void
continuation_does_not_repeat_the_beginning(void **state)
{
	struct rig *g = *state;
	struct bob_segment s = { .period_us = 100, .t_begin = 1000,
		.flags = BOB_SEGMENT_TIMED };
	bob_stack a;

	start(g, "rotate-time", "1s");
	a = push(g, 0, "main");
	assert_status(g->ctx, BOB_OK, bob_write_segment(g->w, &s));
	write_meta(g, "profiler.t_begin_us", "1000");
	write_meta(g, "k", "v");
	write_at(g, a, 1, 1100);
	write_at(g, a, 1, 2001100);
	put_header(&g->want, 100, 1);
	put_meta(&g->want, "profiler.t_begin_us", "1000");
	put_meta(&g->want, "profiler.t_begin_us", "1000");
	put_meta(&g->want, "k", "v");
	want_first(g, "main");
	put_sample(&g->want, 0, 1100);
	want_end(g, 1, 1, 1);
	put_header(&g->want, 100, 1);
	put_meta(&g->want, "k", "v");
	want_first(g, "main");
	put_sample(&g->want, 0, 2000000);
	want_end(g, 1, 1, 1);
	finish_and_compare(g);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(thread_is_its_tid_and_a_line_of_metadata),
		RIG_TEST(number_that_is_taken_is_not_given_again),
		RIG_TEST(each_segment_explains_its_own_numbers),
		RIG_TEST(metadata_about_tracks_of_another_file_is_dropped),
		RIG_TEST(numbers_become_tracks_again),
		RIG_TEST(metadata_that_is_not_quite_ours_is_handed_on),
		RIG_TEST(value_ends_where_it_ends),
		RIG_TEST(tracks_come_back_as_they_were),
		RIG_TEST(any_allocation_may_fail),
		RIG_TEST(status_is_an_annotation_when_asked_for),
		RIG_TEST(status_is_left_out_otherwise),
		RIG_TEST(opcode_number_is_a_name_in_digits),
		RIG_TEST(frames_that_differ_by_columns_are_one),
		RIG_TEST(beginning_is_metadata_and_times_stay_absolute),
		RIG_TEST(continuation_does_not_repeat_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
