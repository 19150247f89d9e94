/* Samples in the order of their times: a source made by hand, and what comes
 * out behind the stage, sample by sample. */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "fault.h"
#include "pipeline/order.h"

#define PLENTY ((size_t)1 << 30)
#define T BOB_RUN_TIMED

/* What a source does at one call: an event, or a status. */
struct step {
	int status;
	struct bob_event ev;
};

struct script {
	struct step *step;
	size_t n, cap, at;
	struct source src;
};

static int
play(struct source *src, struct bob_event *ret)
{
	struct script *s = src->state;

	if (s->at == s->n)
		return BOB_EOF;
	*ret = s->step[s->at].ev;
	return s->step[s->at++].status;
}

static const struct source_ops script_ops = { .next = play };

static struct step *
add_step(struct script *s)
{
	if (s->n == s->cap) {
		s->cap = 2 * s->cap + 8;
		s->step = realloc(s->step, s->cap * sizeof(*s->step));
		if (s->step == NULL)
			abort();
	}
	s->step[s->n] = (struct step){ 0 };
	return &s->step[s->n++];
}

static void
add_runs(struct script *s, const struct bob_run *v, size_t n)
{
	add_step(s)->ev = (struct bob_event){ .kind = BOB_EVENT_RUNS,
		.runs = v, .n_runs = n };
}

static void
add_segment(struct script *s, const struct bob_segment *segment)
{
	add_step(s)->ev = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
		.segment = segment };
}

static void
add_mark(struct script *s, const struct bob_mark *mark)
{
	add_step(s)->ev = (struct bob_event){ .kind = BOB_EVENT_MARK,
		.mark = mark };
}

/* What came out, as words: "1@5" is track 1 at time 5, "1@-" one without a
 * time, a count stands in front: "3* 1@5". "S" is a segment, "M" a mark,
 * "?" nothing yet. */
struct heard {
	struct buf text;
	size_t n_runs;
};

static void
say(struct heard *h, const char *fmt, ...)
{
	char word[80];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(word, sizeof(word), fmt, ap);
	va_end(ap);
	if (h->text.n > 0)
		put_byte(&h->text, ' ');
	put_text(&h->text, word);
}

static void
say_run(struct heard *h, const struct bob_run *run)
{
	uint64_t t = run->t_first, i;

	h->n_runs++;
	if (run->count > 1 && run->dt == NULL) {
		assert_int_equal(run->t_last, run->t_first);
		say(h, "%llu*", (unsigned long long)run->count);
	}
	if (!(run->flags & T)) {
		say(h, "%u@-", run->track);
		return;
	}
	say(h, "%u@%llu", run->track, (unsigned long long)t);
	for (i = 1; run->dt != NULL && i < run->count; i++) {
		t += run->dt[i - 1];
		say(h, "%u@%llu", run->track, (unsigned long long)t);
	}
	assert_int_equal(t, run->t_last);
}

/* Everything until the end; returns how it ended. */
static int
hear(struct order *o, struct script *s, struct heard *h)
{
	struct bob_event ev;
	size_t i;
	int r;

	while ((r = order_next(o, &s->src, &ev)) == BOB_OK ||
	    r == BOB_AGAIN) {
		if (r == BOB_AGAIN)
			say(h, "?");
		else if (ev.kind == BOB_EVENT_SEGMENT)
			say(h, "S");
		else if (ev.kind == BOB_EVENT_MARK)
			say(h, "M");
		else
			assert_true(ev.n_runs > 0);
		for (i = 0; r == BOB_OK && ev.kind == BOB_EVENT_RUNS &&
		    i < ev.n_runs; i++)
			say_run(h, &ev.runs[i]);
	}
	put_byte(&h->text, 0);
	return r;
}

/* Hears all of a script, with room in memory and without, and compares. */
static void
assert_heard(struct bob_ctx *ctx, struct script *s, int end, const char *want,
    size_t n_runs)
{
	static const size_t limit[] = { PLENTY, 0 };
	size_t i;

	s->src = (struct source){ .ops = &script_ops, .state = s,
		.ctx = ctx };
	for (i = 0; i < COUNT_OF(limit); i++) {
		struct order *o = order_new(ctx, limit[i]);
		struct heard h = { 0 };

		s->at = 0;
		assert_int_equal(hear(o, s, &h), end);
		assert_string_equal((char *)h.text.p, want);
		if (n_runs > 0)
			assert_int_equal(h.n_runs, n_runs);
		buf_free(&h.text);
		order_free(o);
	}
	free(s->step);
}

#define AT(track_, t_)                                                       \
	{                                                                    \
		.count = 1, .track = (track_), .t_first = (t_),              \
		.t_last = (t_), .flags = T                                   \
	}
#define NO_TIME(track_)                                                      \
	{                                                                    \
		.count = 1, .track = (track_)                                \
	}

static void
late_run_of_a_sleeping_thread_is_spread(void **state)
{
	static const uint32_t slow[] = { 20, 20 }, fast[] = { 10, 10, 10, 15 };
	static const struct bob_run v[] = {
		{ .count = 1, .track = 2, .t_first = 100, .t_last = 100,
		    .flags = T },
		{ .count = 5, .track = 1, .t_first = 100, .t_last = 145,
		    .dt = fast, .flags = T },
		{ .count = 3, .track = 2, .t_first = 102, .t_last = 142,
		    .dt = slow, .flags = T },
	};
	struct script s = { 0 };

	add_runs(&s, v, 3);
	assert_heard(*state, &s, BOB_EOF,
	    "2@100 1@100 2@102 1@110 1@120 2@122 1@130 2@142 1@145", 0);
}

static void
equal_times_go_by_first_appearance(void **state)
{
	/* Track 3 sleeps: its samples come last, but it began first. */
	static const struct bob_run v[] = {
		AT(2, 20), AT(1, 20), AT(1, 30), AT(2, 30), AT(3, 10),
		AT(3, 20), AT(3, 30),
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF,
	    "3@10 3@20 2@20 1@20 3@30 2@30 1@30", 0);
}

static void
track_keeps_its_own_order_when_its_clock_goes_back(void **state)
{
	static const struct bob_run v[] = {
		AT(1, 50), AT(1, 10), AT(1, 20), AT(1, 60),
		AT(2, 15), AT(2, 55), AT(2, 61),
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF,
	    "2@15 1@50 1@10 1@20 2@55 1@60 2@61", 0);
}

static void
clock_may_wrap(void **state)
{
	static const struct bob_run v[] = {
		AT(1, UINT64_MAX - 5), AT(1, 3), AT(2, UINT64_MAX - 6),
		AT(2, UINT64_MAX), AT(2, 7),
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF,
	    "2@18446744073709551609 1@18446744073709551610 "
	    "2@18446744073709551615 1@3 2@7", 0);
}

static void
segment_without_times_passes_as_it_is(void **state)
{
	static const struct bob_segment segment;
	static const struct bob_run v[] = {
		NO_TIME(2), NO_TIME(1), NO_TIME(2), NO_TIME(1),
	};
	struct script s = { 0 };

	add_segment(&s, &segment);
	add_runs(&s, v, 2);
	add_step(&s)->status = BOB_AGAIN;
	add_runs(&s, v + 2, 2);
	assert_heard(*state, &s, BOB_EOF, "S 2@- 1@- ? 2@- 1@-", 4);
}

static void
sample_without_time_stays_behind_its_track(void **state)
{
	static const struct bob_run v[] = {
		NO_TIME(3), NO_TIME(1), AT(1, 10), NO_TIME(2), NO_TIME(1),
		AT(1, 30), NO_TIME(1), AT(2, 20), NO_TIME(2), AT(2, 40),
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF,
	    "3@- 1@- 2@- 1@10 1@- 2@20 2@- 1@30 1@- 2@40", 0);
}

static void
marks_pass_and_segments_keep_apart(void **state)
{
	static const struct bob_segment segment;
	static const struct bob_mark mark = { .kind = BOB_MARK_META };
	static const struct bob_run v[] = {
		AT(1, 10), AT(2, 5), AT(1, 3), NO_TIME(1), AT(2, 1),
		NO_TIME(1), NO_TIME(2), NO_TIME(1),
	};
	struct script s = { 0 };

	add_segment(&s, &segment);
	add_runs(&s, v, 2);
	add_mark(&s, &mark);
	add_segment(&s, &segment);
	add_segment(&s, &segment);
	add_runs(&s, v + 2, 3);
	add_mark(&s, &mark);
	add_segment(&s, &segment);
	add_runs(&s, v + 5, 3);
	assert_heard(*state, &s, BOB_EOF,
	    "S M 2@5 1@10 S S M 2@1 1@3 1@- S 1@- 2@- 1@-", 0);
}

static void
nothing_yet_changes_nothing(void **state)
{
	static const struct bob_run v[] = { AT(1, 10), AT(2, 5), AT(1, 11) };
	struct script s = { 0 };

	add_runs(&s, v, 1);
	add_step(&s)->status = BOB_AGAIN;
	add_runs(&s, v + 1, 1);
	add_step(&s)->status = BOB_AGAIN;
	add_runs(&s, v + 2, 1);
	assert_heard(*state, &s, BOB_EOF, "? ? 2@5 1@10 1@11", 0);
}

static void
damage_comes_after_the_samples_before_it(void **state)
{
	static const struct bob_run v[] = { AT(1, 10), AT(2, 5) };
	struct script s = { 0 };

	add_runs(&s, v, 2);
	add_step(&s)->status = BOB_FATAL;
	assert_heard(*state, &s, BOB_FATAL, "2@5 1@10", 0);
}

static void
equal_neighbours_are_joined_and_others_not(void **state)
{
	struct bob_run v[] = {
		AT(1, 10), AT(1, 20), AT(1, 30), AT(1, 40), AT(1, 50),
		AT(1, 60), AT(2, 55),
	};
	struct script s = { 0 };

	v[2].stack = 7;
	v[3].status = 1;
	v[4].annot = 1;
	add_runs(&s, v, COUNT_OF(v));
	/* 10 and 20 are one run; each of the others differs. */
	assert_heard(*state, &s, BOB_EOF,
	    "1@10 1@20 1@30 1@40 1@50 2@55 1@60", 6);
}

static void
runs_of_equal_times_stay_counts(void **state)
{
	static const struct bob_run v[] = {
		{ .count = BOB_MAX_COUNT - 1, .track = 1, .t_first = 5,
		    .t_last = 5, .flags = T },
		AT(1, 5), AT(1, 5), AT(2, 4),
		{ .count = 3, .track = 2 }, { .count = 4, .track = 2 },
		AT(3, 6), AT(3, 7),
		{ .count = 3, .track = 3, .t_first = 7, .t_last = 7,
		    .flags = T },
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF,
	    "2@4 7* 2@- 9223372036854775807* 1@5 1@5 3@6 3@7 3* 3@7", 6);
}

static void
long_pauses_and_steps_back_cut_a_run(void **state)
{
	static const struct bob_run v[] = {
		AT(1, 10), AT(1, 10 + (uint64_t)UINT32_MAX),
		AT(1, 11 + 2 * (uint64_t)UINT32_MAX), AT(1, 12),
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF,
	    "1@10 1@4294967305 1@8589934601 1@12", 3);
}

static void
unknown_times_in_between_are_not_made_up(void **state)
{
	static const struct bob_run v[] = {
		{ .count = 4, .track = 1, .t_first = 10, .t_last = 30,
		    .flags = T },
		AT(2, 20),
	};
	struct script s = { 0 };

	add_runs(&s, v, COUNT_OF(v));
	assert_heard(*state, &s, BOB_EOF, "1@10 2@20 3* 1@30", 0);
}

/*
 * At random: tracks with times that mostly grow, in runs, each track's runs
 * in order but the tracks mixed up. The model: all samples in a list, each
 * with the latest time of its track so far, and the first one taken out again
 * and again.
 */

#define N_TRACKS 7
#define N_SAMPLES 600

struct one {
	struct bob_run run; /* of one sample */
	uint64_t key, first;
	unsigned n; /* of its track */
};

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

struct game {
	struct one all[N_SAMPLES];
	size_t n;
	struct bob_run runs[N_SAMPLES];
	uint32_t dt[N_SAMPLES];
	size_t n_runs;
	struct script s;
};

/* One run of a track from its clock on. */
static void
random_run(struct game *g, uint32_t *seed, unsigned track, uint64_t *clock)
{
	static uint64_t key[N_TRACKS], first[N_TRACKS];
	static unsigned n_of[N_TRACKS];
	struct bob_run *run = &g->runs[g->n_runs++];
	uint64_t count = 1 + next_random(seed) % 6 * (next_random(seed) % 2);
	uint64_t i;

	if (g->n == 0)
		memset(n_of, 0, sizeof(n_of));
	if (count > N_SAMPLES - g->n)
		count = N_SAMPLES - g->n;
	*run = (struct bob_run){ .count = count, .t_first = *clock,
		.stack = next_random(seed) % 3, .track = track,
		.annot = next_random(seed) % 2,
		.status = next_random(seed) % 2 != 0 ? 200 : 0,
		.flags = T | BOB_RUN_STATUS, .dt = &g->dt[g->n] };
	for (i = 0; i < count; i++) {
		struct one *one = &g->all[g->n];

		if (n_of[track] == 0)
			key[track] = first[track] = *clock;
		if (*clock > key[track])
			key[track] = *clock;
		*one = (struct one){ *run, key[track], first[track],
			n_of[track]++ };
		one->run.count = 1;
		one->run.dt = NULL;
		one->run.t_first = one->run.t_last = run->t_last = *clock;
		g->dt[g->n++] = next_random(seed) % 4 * 5;
		if (i + 1 < count)
			*clock += g->dt[g->n - 1];
	}
	if (count == 1)
		run->dt = NULL;
	*clock += next_random(seed) % 40;
	if (next_random(seed) % 16 == 0)
		*clock -= 100;
}

static void
make_game(struct game *g, uint32_t seed)
{
	uint64_t clock[N_TRACKS];
	unsigned i, track = 0;

	memset(g, 0, sizeof(*g));
	for (i = 0; i < N_TRACKS; i++)
		clock[i] = 1000 + next_random(&seed) % 50;
	while (g->n < N_SAMPLES) {
		if (next_random(&seed) % 5 == 0)
			track = next_random(&seed) % N_TRACKS;
		random_run(g, &seed, track, &clock[track]);
	}
	for (i = 0; i < g->n_runs; i += 13)
		add_runs(&g->s, g->runs + i, g->n_runs - i < 13 ?
		    g->n_runs - i : 13);
}

/* The rank of a track: when it began, then where. */
static int
track_goes_first(const struct game *g, unsigned a, unsigned b)
{
	size_t i, at_a = SIZE_MAX, at_b = SIZE_MAX;

	for (i = g->n; i-- > 0;) {
		if (g->all[i].run.track == a)
			at_a = i;
		if (g->all[i].run.track == b)
			at_b = i;
	}
	if (g->all[at_a].first != g->all[at_b].first)
		return g->all[at_a].first < g->all[at_b].first;
	return at_a < at_b;
}

static int
goes_first(const struct game *g, const struct one *a, const struct one *b)
{
	if (a->run.track == b->run.track)
		return a->n < b->n;
	if (a->key != b->key)
		return a->key < b->key;
	return track_goes_first(g, a->run.track, b->run.track);
}

/* Takes the sample that should come next out of the list. */
static struct one
take_next(const struct game *g, uint8_t *gone)
{
	size_t i, best = SIZE_MAX;

	for (i = 0; i < g->n; i++)
		if (!gone[i] && (best == SIZE_MAX ||
		    goes_first(g, &g->all[i], &g->all[best])))
			best = i;
	assert_true(best != SIZE_MAX);
	gone[best] = 1;
	return g->all[best];
}

static void
compare_run(const struct game *g, uint8_t *gone, const struct bob_run *run)
{
	uint64_t t = run->t_first, i;

	for (i = 0; i < run->count; i++) {
		struct one want = take_next(g, gone);

		assert_int_equal(run->track, want.run.track);
		assert_int_equal(t, want.run.t_first);
		assert_int_equal(run->stack, want.run.stack);
		assert_int_equal(run->annot, want.run.annot);
		assert_int_equal(run->status, want.run.status);
		assert_int_equal(run->flags, want.run.flags);
		if (run->dt != NULL && i + 1 < run->count)
			t += run->dt[i];
	}
	assert_int_equal(t, run->t_last);
}

static void
play_game(struct bob_ctx *ctx, struct game *g, size_t limit)
{
	uint8_t gone[N_SAMPLES] = { 0 };
	struct order *o = order_new(ctx, limit);
	struct bob_event ev;
	uint64_t n = 0;
	size_t i;
	int r;

	g->s.at = 0;
	g->s.src = (struct source){ .ops = &script_ops, .state = &g->s,
		.ctx = ctx };
	while ((r = order_next(o, &g->s.src, &ev)) == BOB_OK)
		for (i = 0; i < ev.n_runs; i++) {
			compare_run(g, gone, &ev.runs[i]);
			n += ev.runs[i].count;
		}
	assert_status(ctx, BOB_EOF, r);
	assert_int_equal(n, g->n);
	order_free(o);
}

static void
random_tracks_come_out_as_the_model_says(void **state)
{
	static const size_t limit[] = { PLENTY, 0, 1000, 4000 };
	static struct game g;
	uint32_t seed;

	for (seed = 1; seed <= 24; seed++) {
		make_game(&g, seed);
		play_game(*state, &g, limit[seed % COUNT_OF(limit)]);
		free(g.s.step);
	}
}

/* More samples than a batch, a chunk or a buffer holds, in few tracks. */
static void
long_segment_comes_out_whole(void **state)
{
	enum { N = 400000 };
	static const size_t limit[] = { PLENTY, 70000 };
	struct bob_run *v = calloc(N, sizeof(*v));
	struct script s = { 0 };
	struct bob_event ev;
	size_t i, k;
	int r;

	for (i = 0; i < N; i++)
		v[i] = (struct bob_run){ .count = 1,
			.track = (bob_tid)(1 + i * 3 / N),
			.t_first = i * 3 % N + i * 3 / N * N / 2,
			.flags = T,
			.stack = i < N / 2 ? 0 : (bob_stack)i % 5 };
	for (i = 0; i < N; i += 500)
		add_runs(&s, v + i, 500);
	s.src = (struct source){ .ops = &script_ops, .state = &s,
		.ctx = *state };
	for (k = 0; k < COUNT_OF(limit); k++) {
		struct order *o = order_new(*state, limit[k]);
		uint64_t n = 0, last = 0;

		s.at = 0;
		while ((r = order_next(o, &s.src, &ev)) == BOB_OK)
			for (i = 0; i < ev.n_runs; i++) {
				assert_true(ev.runs[i].t_first >= last);
				last = ev.runs[i].t_last;
				n += ev.runs[i].count;
			}
		assert_status((struct bob_ctx *)*state, BOB_EOF, r);
		assert_int_equal(n, N);
		order_free(o);
	}
	free(s.step);
	free(v);
}

struct fault_case {
	struct bob_ctx *ctx;
	struct game game;
	size_t limit;
};

static int
order_with_fault(void *user)
{
	struct fault_case *f = user;
	struct order *o = order_new(f->ctx, f->limit);
	struct bob_event ev;
	int r;

	if (o == NULL)
		return BOB_FATAL;
	f->game.s.at = 0;
	while ((r = order_next(o, &f->game.s.src, &ev)) == BOB_OK)
		;
	order_free(o);
	if (r < 0)
		assert_int_equal(bob_ctx_error(f->ctx)->code, BOB_E_NOMEM);
	return r;
}

static void
any_allocation_may_fail(void **state)
{
	static struct fault_case f;

	f.ctx = *state;
	make_game(&f.game, 99);
	f.game.s.src = (struct source){ .ops = &script_ops,
		.state = &f.game.s, .ctx = f.ctx };
	f.limit = PLENTY;
	fault_each(order_with_fault, &f);
	f.limit = 1000;
	fault_each(order_with_fault, &f);
	free(f.game.s.step);
}

static void
missing_temporary_folder_is_an_error(void **state)
{
	static const struct bob_run v[] = { AT(1, 10), AT(2, 5) };
	struct script s = { 0 };
	struct order *o = order_new(*state, 0);
	struct bob_event ev;
	char *old = getenv("TMPDIR");
	char kept[4096] = "";

	if (old != NULL)
		(void)snprintf(kept, sizeof(kept), "%s", old);
	assert_int_equal(setenv("TMPDIR", "/there/is/no/such/folder", 1), 0);
	add_runs(&s, v, 2);
	s.src = (struct source){ .ops = &script_ops, .state = &s,
		.ctx = *state };
	assert_int_equal(order_next(o, &s.src, &ev), BOB_FATAL);
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_IO);
	assert_non_null(strstr(bob_ctx_error(*state)->text,
	    "/there/is/no/such/folder"));
	if (old != NULL)
		(void)setenv("TMPDIR", kept, 1);
	else
		(void)unsetenv("TMPDIR");
	order_free(o);
	free(s.step);
}

/* A file that may not grow is a disk that is full. */
static void
full_disk_is_an_error(void **state)
{
	static struct game g;
	struct rlimit old, small;
	struct order *o = order_new(*state, 1000);
	struct bob_event ev;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	int r;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	make_game(&g, 5);
	g.s.src = (struct source){ .ops = &script_ops, .state = &g.s,
		.ctx = *state };
	while ((r = order_next(o, &g.s.src, &ev)) == BOB_OK)
		;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	(void)signal(SIGXFSZ, handler);
	assert_int_equal(r, BOB_FATAL);
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_IO);
	assert_int_equal(bob_ctx_error(*state)->sys, EFBIG);
	order_free(o);
	free(g.s.step);
}

#define ORDER_TEST(name)                                                     \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		ORDER_TEST(late_run_of_a_sleeping_thread_is_spread),
		ORDER_TEST(equal_times_go_by_first_appearance),
		ORDER_TEST(track_keeps_its_own_order_when_its_clock_goes_back),
		ORDER_TEST(clock_may_wrap),
		ORDER_TEST(segment_without_times_passes_as_it_is),
		ORDER_TEST(sample_without_time_stays_behind_its_track),
		ORDER_TEST(marks_pass_and_segments_keep_apart),
		ORDER_TEST(nothing_yet_changes_nothing),
		ORDER_TEST(damage_comes_after_the_samples_before_it),
		ORDER_TEST(equal_neighbours_are_joined_and_others_not),
		ORDER_TEST(runs_of_equal_times_stay_counts),
		ORDER_TEST(long_pauses_and_steps_back_cut_a_run),
		ORDER_TEST(unknown_times_in_between_are_not_made_up),
		ORDER_TEST(random_tracks_come_out_as_the_model_says),
		ORDER_TEST(long_segment_comes_out_whole),
		ORDER_TEST(any_allocation_may_fail),
		ORDER_TEST(missing_temporary_folder_is_an_error),
		ORDER_TEST(full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
