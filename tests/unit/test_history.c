/*
 * The order of samples: what a profile keeps of it, compared with a plain list
 * of all samples.
 */
#include <stdlib.h>
#include <unistd.h>

#include "analyze/history.h"
#include "fault.h"
#include "support.h"

#define N_STACKS 7
#define N_TRACKS 3
#define PERIOD 1000u

struct sample {
	uint64_t t;
	bob_stack stack;
	bob_tid track;
};

struct world {
	struct bob_ctx *ctx;
	struct bob_profile *p;
	struct bob_view *v;
	bob_stack stack[N_STACKS];
	bob_tid track[N_TRACKS];
	struct sample *sample; /* all of them, in their order */
	size_t n, cap;
	unsigned seed;
};

static unsigned
next_random(struct world *w, unsigned below)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 16) % below;
}

static void
feed(struct world *w, const struct bob_run *run, size_t n)
{
	struct bob_event ev = { .kind = BOB_EVENT_RUNS, .runs = run,
		.n_runs = n };

	assert_status(w->ctx, BOB_OK, bob_profile_feed(w->p, 0, &ev));
}

static void
begin_segment(struct world *w, uint32_t flags)
{
	struct bob_segment s = { .period_us = PERIOD, .flags = flags };
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT, .segment = &s };

	assert_status(w->ctx, BOB_OK, bob_profile_feed(w->p, 0, &ev));
}

static void
open_world(struct world *w, unsigned seed, const struct bob_filter *filter)
{
	struct bob_profile_opts o = { .size = sizeof(o),
		.flags = BOB_PROFILE_RUNS, .filter = filter };
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	struct bob_track track = { .flags = BOB_TRACK_TID };
	struct bob_dict *d;
	unsigned i;

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->ctx = bob_ctx_new();
	assert_status(w->ctx, BOB_OK, bob_profile_new(w->ctx, &o, &w->p));
	d = bob_profile_dict(w->p);
	for (i = 0; i < N_STACKS; i++) {
		frame.name = bob_str_put(d, &"abcdefg"[i], 1);
		w->stack[i] = bob_stack_push(d, i > 0 ? w->stack[i / 2] : 0,
		    bob_frame_put(d, &frame));
	}
	for (i = 0; i < N_TRACKS; i++) {
		track.tid = i + 1;
		w->track[i] = bob_track_put(d, &track);
	}
}

static void
make_view(struct world *w)
{
	struct bob_view_opts o = { .size = sizeof(o) };

	assert_status(w->ctx, BOB_OK, bob_view_new(w->p, &o, &w->v));
}

static void
close_world(struct world *w)
{
	bob_view_free(w->v);
	bob_profile_free(w->p);
	bob_ctx_free(w->ctx);
	free(w->sample);
}

static void
remember(struct world *w, uint64_t t, bob_stack stack, bob_tid track)
{
	if (w->n == w->cap) {
		w->cap = w->cap == 0 ? 1024 : 2 * w->cap;
		w->sample = realloc(w->sample, w->cap * sizeof(*w->sample));
		assert_non_null(w->sample);
	}
	w->sample[w->n++] = (struct sample){ t, stack, track };
}

/* A gap as they are: exact, with jitter, a pause, none at all. */
static uint32_t
some_gap(struct world *w)
{
	switch (next_random(w, 8)) {
	case 0:
		return PERIOD * (2 + next_random(w, 40));
	case 1:
		return 0;
	case 2:
	case 3:
		return PERIOD - 50 + next_random(w, 100);
	default:
		return PERIOD;
	}
}

/* Feeds a run of up to 6 samples. Returns the time of the last one. */
static uint64_t
add_run(struct world *w, uint64_t t, bob_tid track)
{
	struct bob_run run = { .count = 1 + next_random(w, 6), .t_first = t,
		.stack = w->stack[next_random(w, N_STACKS)], .track = track,
		.flags = BOB_RUN_TIMED };
	uint32_t dt[6];
	uint64_t i;

	remember(w, t, run.stack, track);
	for (i = 0; i + 1 < run.count; i++) {
		dt[i] = some_gap(w);
		t += dt[i];
		remember(w, t, run.stack, track);
	}
	run.t_last = t;
	run.dt = run.count > 1 ? dt : NULL;
	feed(w, &run, 1);
	return t;
}

/* Many runs on all tracks. In a hundredth of them the clock is set back, if
 * that is wanted. */
static void
add_runs(struct world *w, unsigned n, int goes_back)
{
	uint64_t t[N_TRACKS] = { 0 };
	unsigned i, k;

	begin_segment(w, BOB_SEGMENT_TIMED);
	for (i = 0; i < n; i++) {
		k = next_random(w, N_TRACKS);
		t[k] = add_run(w, t[k], w->track[k]) + some_gap(w);
		if (goes_back && next_random(w, 100) == 0)
			t[k] /= 2;
	}
}

static int
is_in(const struct sample *s, bob_tid track, uint64_t from, uint64_t to)
{
	return s->track == track && from <= s->t && s->t < to;
}

/* Fails unless the stretches of a track have the samples of the list, stack by
 * stack. */
static void
check_span(struct world *w, bob_tid track, uint64_t from, uint64_t to)
{
	uint64_t want[64] = { 0 }, got[64] = { 0 };
	struct bob_history *h;
	struct bob_stretch s;
	size_t i;
	int r;

	for (i = 0; i < w->n; i++)
		if (is_in(&w->sample[i], track, from, to))
			want[w->sample[i].stack]++;
	assert_status(w->ctx, BOB_OK, bob_history_open(w->v, track, from, to,
	    &h));
	while ((r = bob_history_next(h, &s)) > 0) {
		assert_true(s.inside <= s.samples && s.samples > 0);
		assert_true(s.t_first <= s.t_last && s.t_last <= s.t_end);
		assert_true(s.t_first < to && s.t_end >= from);
		assert_in_range(s.stack, 1, 63);
		got[s.stack] += s.inside;
	}
	assert_int_equal(r, 0);
	bob_history_close(h);
	for (i = 0; i < COUNT_OF(want); i++)
		assert_int_equal(got[i], want[i]);
}

static void
check_spans(struct world *w)
{
	uint64_t from, to, end = 0;
	unsigned i, k;

	for (i = 0; i < w->n; i++)
		end = w->sample[i].t > end ? w->sample[i].t : end;
	for (k = 0; k < N_TRACKS; k++)
		check_span(w, w->track[k], 0, UINT64_MAX);
	for (i = 0; i < 60; i++) {
		from = w->sample[next_random(w, (unsigned)w->n)].t;
		to = i % 2 != 0 ? w->sample[next_random(w,
		    (unsigned)w->n)].t : from + next_random(w, 5 * PERIOD);
		for (k = 0; from < to && k < N_TRACKS; k++)
			check_span(w, w->track[k], from, to);
	}
}

static void
any_span_has_its_samples(void **state)
{
	struct world w;
	unsigned seed;

	(void)state;
	for (seed = 1; seed <= 6; seed++) {
		open_world(&w, seed, NULL);
		add_runs(&w, 4000, 0);
		make_view(&w);
		check_spans(&w);
		close_world(&w);
	}
}

static void
times_may_run_backwards(void **state)
{
	struct world w;
	unsigned seed;

	(void)state;
	for (seed = 1; seed <= 6; seed++) {
		open_world(&w, seed, NULL);
		add_runs(&w, 4000, 1);
		make_view(&w);
		check_spans(&w);
		close_world(&w);
	}
}

/* Feeds `n` samples of a stack at t, a period apart. */
static void
add(struct world *w, unsigned stack, uint64_t t, uint64_t n)
{
	uint32_t dt[16];
	struct bob_run run = { .count = n, .stack = w->stack[stack],
		.track = w->track[0], .t_first = t,
		.t_last = t + (n - 1) * PERIOD, .flags = BOB_RUN_TIMED,
		.dt = n > 1 ? dt : NULL };
	size_t i;

	assert_in_range(n, 1, COUNT_OF(dt));
	for (i = 0; i < COUNT_OF(dt); i++)
		dt[i] = PERIOD;
	feed(w, &run, 1);
}

/* Reads all stretches of the first track; fails if they are not n. */
static void
read_all(struct world *w, struct bob_stretch *s, size_t n)
{
	struct bob_history *h;
	struct bob_stretch rest;
	size_t i;

	assert_status(w->ctx, BOB_OK, bob_history_open(w->v, w->track[0], 0,
	    UINT64_MAX, &h));
	for (i = 0; i < n; i++)
		assert_int_equal(bob_history_next(h, &s[i]), 1);
	assert_int_equal(bob_history_next(h, &rest), 0);
	assert_int_equal(bob_history_next(h, &rest), 0);
	bob_history_close(h);
}

static void
assert_stretch(const struct bob_stretch *s, const struct world *w,
    unsigned stack, uint64_t first, uint64_t end, uint64_t n)
{
	assert_int_equal(s->stack, w->stack[stack]);
	assert_int_equal(s->t_first, first);
	assert_int_equal(s->t_end, end);
	assert_int_equal(s->samples, n);
}

static void
equal_neighbours_are_one_stretch(void **state)
{
	struct bob_stretch s[4];
	struct world w;

	(void)state;
	open_world(&w, 1, NULL);
	begin_segment(&w, BOB_SEGMENT_TIMED);
	add(&w, 1, 0, 3);
	add(&w, 1, 3 * PERIOD, 2); /* goes on */
	add(&w, 2, 5 * PERIOD, 1);
	add(&w, 2, 6 * PERIOD + 7, 1); /* a little late */
	add(&w, 2, 100 * PERIOD, 1); /* after a pause */
	make_view(&w);
	read_all(&w, s, 3);
	assert_stretch(&s[0], &w, 1, 0, 5 * PERIOD, 5);
	assert_stretch(&s[1], &w, 2, 5 * PERIOD, 7 * PERIOD + 7, 2);
	assert_stretch(&s[2], &w, 2, 100 * PERIOD, 101 * PERIOD, 1);
	close_world(&w);
}

static void
what_a_filter_drops_is_empty(void **state)
{
	struct bob_filter f = { .size = sizeof(f), .match = "^d" };
	struct bob_view_opts o = { .size = sizeof(o), .filter = &f };
	struct bob_stretch s[2];
	struct world w;

	(void)state;
	/* Both ways: by the view, and by the profile itself. */
	open_world(&w, 1, NULL);
	begin_segment(&w, BOB_SEGMENT_TIMED);
	add(&w, 3, 0, 2);
	add(&w, 4, 2 * PERIOD, 3);
	add(&w, 3, 5 * PERIOD, 1);
	assert_status(w.ctx, BOB_OK, bob_view_new(w.p, &o, &w.v));
	read_all(&w, s, 2);
	assert_stretch(&s[0], &w, 3, 0, 2 * PERIOD, 2);
	assert_stretch(&s[1], &w, 3, 5 * PERIOD, 6 * PERIOD, 1);
	close_world(&w);
	open_world(&w, 1, &f);
	begin_segment(&w, BOB_SEGMENT_TIMED);
	add(&w, 3, 0, 2);
	add(&w, 4, 2 * PERIOD, 3);
	add(&w, 3, 5 * PERIOD, 1);
	make_view(&w);
	read_all(&w, s, 2);
	assert_stretch(&s[0], &w, 3, 0, 2 * PERIOD, 2);
	assert_stretch(&s[1], &w, 3, 5 * PERIOD, 6 * PERIOD, 1);
	close_world(&w);
}

static void
samples_without_times_stand_a_period_apart(void **state)
{
	struct bob_run run = { .count = 3 };
	struct bob_stretch s[2];
	struct bob_history *h;
	struct world w;

	(void)state;
	open_world(&w, 1, NULL);
	begin_segment(&w, 0);
	run.stack = w.stack[1];
	run.track = w.track[0];
	feed(&w, &run, 1);
	run.track = w.track[1];
	feed(&w, &run, 1);
	run.track = w.track[0];
	feed(&w, &run, 1);
	make_view(&w);
	read_all(&w, s, 2);
	assert_stretch(&s[0], &w, 1, 0, 3 * PERIOD, 3);
	assert_stretch(&s[1], &w, 1, 6 * PERIOD, 9 * PERIOD, 3);
	assert_status(w.ctx, BOB_OK, bob_history_open(w.v, w.track[0],
	    PERIOD + 1, 7 * PERIOD, &h));
	assert_int_equal(bob_history_next(h, &s[0]), 1);
	assert_int_equal(bob_history_next(h, &s[1]), 1);
	assert_int_equal(s[0].inside, 1);
	assert_int_equal(s[1].inside, 1);
	bob_history_close(h);
	close_world(&w);
}

static void
counts_may_be_huge(void **state)
{
	struct bob_run run = { .count = BOB_MAX_COUNT };
	struct bob_stretch s[1];
	struct bob_history *h;
	struct world w;

	(void)state;
	open_world(&w, 1, NULL);
	begin_segment(&w, 0);
	run.stack = w.stack[1];
	run.track = w.track[0];
	feed(&w, &run, 1);
	feed(&w, &run, 1);
	make_view(&w);
	assert_status(w.ctx, BOB_OK, bob_history_open(w.v, w.track[0],
	    10 * PERIOD, 20 * PERIOD, &h));
	assert_int_equal(bob_history_next(h, &s[0]), 1);
	assert_int_equal(s[0].inside, 10);
	assert_true(s[0].samples >= BOB_MAX_COUNT / 2);
	bob_history_close(h);
	close_world(&w);
}

static void
lanes_are_tracks_heaviest_first(void **state)
{
	const struct bob_lane *lane;
	struct bob_run run = { .count = 2 };
	struct world w;
	size_t n;

	(void)state;
	open_world(&w, 1, NULL);
	begin_segment(&w, 0);
	run.stack = w.stack[6];
	run.track = w.track[2];
	feed(&w, &run, 1);
	run.count = 5;
	run.stack = w.stack[1];
	run.track = w.track[1];
	feed(&w, &run, 1);
	make_view(&w);
	lane = bob_view_lanes(w.v, &n);
	assert_int_equal(n, 2);
	assert_int_equal(lane[0].track, w.track[1]);
	assert_int_equal(lane[0].sum.samples, 5);
	assert_int_equal(lane[0].depth, 2);
	assert_int_equal(lane[1].track, w.track[2]);
	assert_int_equal(lane[1].depth, 4);
	close_world(&w);
}

/* ---- Memory ------------------------------------------------------------ */

/* A run that does not join the one before it: 6 bytes. */
static void
add_one(struct history *h, uint32_t i)
{
	struct history_new x = { .row = 70000 + i % 3, .first = 1000u * i,
		.count = 1, .length = 1000, .tail = 1000 };

	history_add(h, 1, &x);
}

#define MANY 4000000u

static void
what_does_not_fit_is_in_a_temporary_file(void **state)
{
	struct bob_limits now = { .size = sizeof(now) };
	struct history_reader r;
	struct history_run run;
	struct history h;
	uint32_t i;

	history_init(&h, *state);
	for (i = 0; i < MANY; i++)
		add_one(&h, i);
	assert_null(h.why);
	bob_ctx_used(*state, &now);
	assert_true(now.max_temp > 0);
	assert_true(now.max_memory < 3 * HISTORY_MEMORY / 2);
	history_begin(&r, &h, 1, 0, UINT64_MAX);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(history_next(&r, &run), 1);
		assert_int_equal(run.first, 1000u * (uint64_t)i);
		assert_int_equal(run.end, 1000u * (uint64_t)i + 1000);
		assert_int_equal(run.row, 70000 + i % 3);
	}
	assert_int_equal(history_next(&r, &run), 0);
	/* A moment costs a block, not all of them. */
	history_begin(&r, &h, 1, 3999000000u, 3999000001u);
	assert_int_equal(history_next(&r, &run), 1);
	history_done(&h);
	bob_ctx_used(*state, &now);
	assert_int_equal(now.max_temp, 0);
	assert_int_equal(now.max_memory, 0);
}

static void
many_tracks_share_their_buffers(void **state)
{
	struct bob_limits now = { .size = sizeof(now) };
	struct history_new x = { .count = 1, .length = 10, .tail = 10 };
	struct history_reader r;
	struct history_run run;
	struct history h;
	uint32_t track, i;

	history_init(&h, *state);
	for (i = 0; i < 40; i++)
		for (track = 0; track < 100000; track++) {
			x.row = track + i % 2;
			x.first = 10u * i;
			history_add(&h, track, &x);
		}
	assert_null(h.why);
	assert_true(h.n_open <= HISTORY_OPEN + HISTORY_BLOCK);
	bob_ctx_used(*state, &now);
	assert_true(now.max_memory < 100 * HISTORY_OPEN);
	for (track = 0; track < 100000; track += 9999) {
		history_begin(&r, &h, track, 0, UINT64_MAX);
		for (i = 0; i < 40; i++) {
			assert_int_equal(history_next(&r, &run), 1);
			assert_int_equal(run.first, 10u * i);
			assert_int_equal(run.end, 10u * i + 10);
			assert_int_equal(run.row, track + i % 2);
		}
		assert_int_equal(history_next(&r, &run), 0);
	}
	history_done(&h);
}

/* Fails unless the profile is whole, and says why it has no order. */
static void
assert_given_up(struct world *w)
{
	struct bob_history *h;

	make_view(w);
	assert_int_equal(bob_view_total(w->v).samples, MANY);
	assert_int_equal(bob_history_open(w->v, w->track[0], 0, 1, &h),
	    BOB_FAILED);
	assert_int_equal(bob_ctx_error(w->ctx)->code, BOB_E_BUDGET);
	assert_non_null(strstr(bob_ctx_error(w->ctx)->text,
	    "the order of samples was not kept: "));
}

static void
without_room_the_order_is_given_up(void **state)
{
	struct bob_limits l = { .size = sizeof(l), .max_temp = 4096 };
	struct bob_run run = { .count = 1, .flags = BOB_RUN_TIMED };
	struct world w;
	uint32_t i;

	(void)state;
	open_world(&w, 1, NULL);
	bob_ctx_set_limits(w.ctx, &l);
	begin_segment(&w, BOB_SEGMENT_TIMED);
	for (i = 0; i < MANY; i++) {
		run.stack = w.stack[1 + i % 5];
		run.track = w.track[0];
		run.t_first = run.t_last = (uint64_t)i * PERIOD +
		    next_random(&w, 400);
		feed(&w, &run, 1);
	}
	assert_given_up(&w);
	assert_non_null(strstr(bob_ctx_error(w.ctx)->text, "max_temp"));
	close_world(&w);
}

static void
a_profile_without_the_option_has_no_order(void **state)
{
	struct bob_history *h;
	struct world w = { .ctx = *state };

	assert_status(w.ctx, BOB_OK, bob_profile_new(w.ctx, NULL, &w.p));
	make_view(&w);
	assert_int_equal(bob_history_open(w.v, 0, 0, 1, &h), BOB_FAILED);
	assert_int_equal(bob_ctx_error(w.ctx)->code, BOB_E_USAGE);
	bob_view_free(w.v);
	bob_profile_free(w.p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_span_has_its_samples),
		cmocka_unit_test(times_may_run_backwards),
		cmocka_unit_test(equal_neighbours_are_one_stretch),
		cmocka_unit_test(what_a_filter_drops_is_empty),
		cmocka_unit_test(samples_without_times_stand_a_period_apart),
		cmocka_unit_test(counts_may_be_huge),
		cmocka_unit_test(lanes_are_tracks_heaviest_first),
		cmocka_unit_test_setup_teardown(
		    what_does_not_fit_is_in_a_temporary_file, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    many_tracks_share_their_buffers, ctx_setup, ctx_teardown),
		cmocka_unit_test(without_room_the_order_is_given_up),
		cmocka_unit_test_setup_teardown(
		    a_profile_without_the_option_has_no_order, ctx_setup,
		    ctx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
