/*
 * Profiles that have only sums (gather_sums.c), compared with ordinary ones of
 * the same random events: threads that take turns, statuses, requests, tasks,
 * idle stacks, times and none.
 */
#include <stdlib.h>

#include "analyze/profile.h"
#include "support.h"

#define N_STACKS 12
#define N_TRACKS 11 /* more than lanes */
#define N_ANNOTS 5
#define MAX_RUNS 200

struct made {
	struct bob_ctx *ctx;
	struct bob_dict *dict; /* of `whole` */
	struct bob_profile *whole, *bare, *times;
	bob_stack stack[N_STACKS];
	bob_tid track[N_TRACKS];
	bob_annot annot[N_ANNOTS];
	uint64_t t;
	unsigned seed;
};

static unsigned
draw(struct made *m, unsigned n)
{
	m->seed = m->seed * 1103515245u + 12345u;
	return (m->seed >> 16) % n;
}

static bob_str
str(struct bob_dict *d, const char *s)
{
	return bob_str_put(d, s, strlen(s));
}

/* Every third stack ends in a function that waits for work. */
static void
make_ids(struct made *m)
{
	static const char *const pair[N_ANNOTS][2] = { { NULL, NULL },
		{ "request.id", "1" }, { "request.id", "2" },
		{ "task.name", "Task-1" }, { "other", "x" } };
	struct bob_dict *d = m->dict;
	char name[16];
	int i;

	for (i = 0; i < N_STACKS; i++) {
		struct bob_frame f = { .lang = BOB_LANG_PHP };

		(void)snprintf(name, sizeof(name), "f%d", i);
		f.name = str(d, i % 3 == 0 ? "socket_accept" : name);
		m->stack[i] = bob_stack_push(d, i > 3 && i % 3 != 0
		        ? m->stack[i - 2] : 0, bob_frame_put(d, &f));
	}
	for (i = 0; i < N_TRACKS; i++) /* waiting tasks have no thread */
		m->track[i] = bob_track_put(d, &(struct bob_track){
			.flags = i % 2 ? BOB_TRACK_TID : BOB_TRACK_PID,
			.tid = i % 2 ? (uint64_t)i : 0,
			.pid = i % 2 ? 0 : (uint64_t)i });
	for (i = 0; i < N_ANNOTS; i++)
		m->annot[i] = pair[i][0] == NULL ? 0 : bob_annot_put(d,
		    &(struct bob_pair){ str(d, pair[i][0]),
			str(d, pair[i][1]) }, 1);
}

static void
make_profiles(struct made *m, int idle)
{
	struct bob_filter f = { .size = sizeof(f), .idle = idle };
	struct bob_profile_opts o = { .size = sizeof(o), .filter = &f };

	m->ctx = bob_ctx_new();
	assert_status(m->ctx, BOB_OK, bob_profile_new(m->ctx, &o, &m->whole));
	m->dict = bob_profile_dict(m->whole);
	assert_status(m->ctx, BOB_OK, profile_new_on(m->ctx, &o, m->dict,
	    &m->bare));
	o.flags = BOB_PROFILE_TIMES;
	assert_status(m->ctx, BOB_OK, profile_new_on(m->ctx, &o, m->dict,
	    &m->times));
	make_ids(m);
}

static void
free_made(struct made *m)
{
	bob_profile_free(m->bare);
	bob_profile_free(m->times);
	bob_profile_free(m->whole);
	bob_ctx_free(m->ctx);
}

static void
feed(struct made *m, const struct bob_event *ev)
{
	assert_status(m->ctx, BOB_OK, bob_profile_feed(m->whole, 0, ev));
	assert_status(m->ctx, BOB_OK, bob_profile_feed(m->bare, 0, ev));
	assert_status(m->ctx, BOB_OK, bob_profile_feed(m->times, 0, ev));
}

static struct bob_run
make_run(struct made *m, int is_timed)
{
	struct bob_run run = { .count = 1 + draw(m, 3) * draw(m, 4),
		.stack = m->stack[draw(m, N_STACKS)],
		.track = m->track[draw(m, N_TRACKS)] };

	if (draw(m, 4) == 0)
		run.annot = m->annot[draw(m, N_ANNOTS)];
	if (draw(m, 2) == 0) {
		run.flags |= BOB_RUN_STATUS;
		run.status = (uint8_t)draw(m, 64);
	}
	if (is_timed) {
		run.flags |= BOB_RUN_TIMED;
		run.t_first = m->t += draw(m, 4) * draw(m, 1500);
		run.t_last = run.t_first +
		    (run.count - 1) * (draw(m, 3) == 0 ? 200000 : 1000);
		m->t = run.t_last;
	}
	return run;
}

static void
feed_segment(struct made *m)
{
	struct bob_segment s = { .period_us = 500 + draw(m, 3) * 500 };
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT, .segment = &s };
	struct bob_run run[MAX_RUNS];
	int is_timed = draw(m, 3) > 0, i, k;
	size_t n;

	s.flags = is_timed ? BOB_SEGMENT_TIMED : 0;
	m->t = draw(m, 5000);
	feed(m, &ev);
	for (i = 0; i < 20; i++) {
		n = 1 + draw(m, MAX_RUNS);
		for (k = 0; k < (int)n; k++)
			run[k] = make_run(m, is_timed);
		feed(m, &(struct bob_event){ .kind = BOB_EVENT_RUNS,
			.runs = run, .n_runs = n });
	}
}

/* Sums of the rows of a stack. */
static struct bob_cell
cell_of(struct made *m, struct bob_profile *p, bob_stack stack, int is_idle)
{
	struct bob_cell sum = { .stack = stack };
	const struct bob_cell *v;
	size_t n, i;

	v = bob_profile_cells(p, &n);
	assert_non_null(v);
	for (i = 0; i < n; i++) {
		if (v[i].stack != stack || v[i].is_idle != is_idle)
			continue;
		sum.samples += v[i].samples;
		sum.time_us += v[i].time_us;
	}
	(void)m;
	return sum;
}

static void
same_rows(struct made *m, int idle)
{
	struct bob_cell a, b;
	int i, is_idle;

	for (i = 0; i < N_STACKS; i++) {
		for (is_idle = 0; is_idle < 2; is_idle++) {
			if (idle != BOB_IDLE_KEEP &&
			    is_idle != (idle == BOB_IDLE_ONLY))
				continue;
			a = cell_of(m, m->whole, m->stack[i], is_idle);
			b = cell_of(m, m->bare, m->stack[i], is_idle);
			assert_int_equal(a.samples, b.samples);
			assert_int_equal(a.time_us, b.time_us);
		}
	}
}

static struct bob_times
times_of(struct made *m, struct bob_profile *p)
{
	struct bob_times t;

	memset(&t, 0, sizeof(t));
	t.size = sizeof(t);
	assert_status(m->ctx, BOB_OK, bob_profile_times(p, 0, NULL, &t));
	return t;
}

static void
same_times(struct made *m)
{
	struct bob_times a = times_of(m, m->whole), b = times_of(m, m->bare);
	struct bob_times c = times_of(m, m->times);

	assert_true(a.samples > 0 && a.idle_samples > 0);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_equal(&a, &c, sizeof(a));
}

static void
sums_alone_are_those_of_rows(void **state)
{
	static const int mode[] = { BOB_IDLE_KEEP, BOB_IDLE_HIDE,
		BOB_IDLE_ONLY };
	unsigned seed;
	struct made m;
	int i;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		memset(&m, 0, sizeof(m));
		m.seed = seed;
		make_profiles(&m, mode[seed % 3]);
		for (i = 0; i < 4; i++)
			feed_segment(&m);
		same_rows(&m, mode[seed % 3]);
		same_times(&m);
		free_made(&m);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_alone_are_those_of_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
