/*
 * Reading .rbt: which events come, in which order, and what recovery makes of
 * damage that is hard to see through. Each stream is read whole and a byte at
 * a time; what comes is written down as a line and compared.
 *
 *     S          a segment       r3a        3 samples of stack a
 *     r1b{k=v}   annotated       M:k=v      metadata
 *     C, E, U    checkpoint, end, unknown event
 *     G2/5       a gap that cost exactly 2 samples (G2+: at least), 5 bytes
 */
#include "support.h"

#include <stdlib.h>

#include "fault.h"

#define MAX_LINE 4096

static void
add(char *line, const char *fmt, ...)
{
	size_t n = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line + n, MAX_LINE - n, fmt, ap);
	va_end(ap);
}

static void
add_str(char *line, const struct bob_dict *d, bob_str id)
{
	struct bob_bytes b = bob_str_get(d, id);

	add(line, "%.*s", (int)b.n, b.p);
}

static void
add_run(char *line, const struct bob_dict *d, const struct bob_run *run)
{
	struct bob_node node = bob_stack_get(d, run->stack);
	size_t n;
	const struct bob_pair *pair = bob_annot_get(d, run->annot, &n);

	add(line, " r%llu", (unsigned long long)run->count);
	add_str(line, d, bob_frame_get(d, node.frame)->name);
	if (n > 0) {
		add(line, "{");
		add_str(line, d, pair->key);
		add(line, "=");
		add_str(line, d, pair->value);
		add(line, "}");
	}
}

static void
add_mark(char *line, const struct bob_dict *d, const struct bob_mark *m)
{
	switch (m->kind) {
	case BOB_MARK_META:
		add(line, " M:");
		add_str(line, d, m->key);
		add(line, "=");
		add_str(line, d, m->value);
		break;
	case BOB_MARK_GAP:
		add(line, " G%llu%s/%llu", (unsigned long long)m->gap->lost,
		    m->gap->lost_is_exact ? "" : "+",
		    (unsigned long long)m->gap->length);
		break;
	default:
		add(line, " %c", m->kind == BOB_MARK_CHECKPOINT ? 'C' :
		    m->kind == BOB_MARK_END ? 'E' : 'U');
	}
}

static void
drain(struct bob_reader *in, char *line)
{
	struct bob_event ev;
	size_t i;
	int r;

	line[0] = '\0';
	while ((r = bob_next(in, &ev)) == BOB_OK || r == BOB_AGAIN) {
		if (r == BOB_AGAIN)
			continue;
		if (ev.kind == BOB_EVENT_SEGMENT)
			add(line, " S");
		if (ev.kind == BOB_EVENT_MARK)
			add_mark(line, bob_reader_dict(in), ev.mark);
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			add_run(line, bob_reader_dict(in), &ev.runs[i]);
	}
	if (r < 0)
		add(line, " !");
}

/* Both ways of reading must give `want`. Frees b. */
static void
assert_reads(struct bob_ctx *ctx, struct buf *b, uint32_t flags,
    const char *want)
{
	/* Not every event on its own, as counts of them would need. */
	struct bob_read_opts o = { .size = sizeof(o), .format = "rbt",
		.flags = flags, .want = BOB_WANT_ALL & ~BOB_WANT_STATS };
	struct chunks slow = trickle(b->p, b->n);
	struct bob_reader *in;
	char line[MAX_LINE];

	assert_status(ctx, BOB_OK, bob_open_memory(ctx, b->p, b->n, "whole",
	    &o, &in));
	drain(in, line);
	assert_string_equal(line, want);
	bob_close(in);
	assert_status(ctx, BOB_OK, bob_open_fn(ctx, chunks_read, &slow, "slow",
	    &o, &in));
	drain(in, line);
	assert_string_equal(line, want);
	bob_close(in);
	buf_free(b);
}

/* A segment with stacks 0 .. n - 1, named a, b, c and so on. */
static void
put_stacks(struct buf *b, unsigned n)
{
	char name[2] = "a";
	unsigned i;

	put_header(b, 10000, 0);
	put_string(b, 0, "");
	for (i = 0; i < n; i++) {
		name[0] = (char)('a' + i);
		put_string(b, 1 + i, name);
		put_frame(b, i, 1 + i, 0, 1);
		put_stack(b, i, (uint64_t[]){ i }, 1);
	}
}

static void
marks_stay_behind_the_samples_they_follow(void **state)
{
	struct buf b = { 0 };

	put_stacks(&b, 2);
	put_compact(&b, 0);
	put_meta(&b, "k", "v");
	put_compact(&b, 0);
	put_compact(&b, 1);
	put_checkpoint(&b, 2, 2, 3);
	put_compact(&b, 1);
	put_end(&b);
	assert_reads(*state, &b, 0, " S r1a M:k=v r1a r1b C r1b E");
}

static void
sample_stays_open_over_a_mark_when_more_belongs_to_it(void **state)
{
	struct buf b = { 0 };

	put_stacks(&b, 2);
	put_compact(&b, 1);
	put_compact(&b, 0);
	put_checkpoint(&b, 2, 2, 2);
	put_string(&b, 9, "late");
	put_annotation(&b, 9, 9);
	put_compact(&b, 1);
	put_meta(&b, "k", "v");
	put_repeat(&b, 4);
	assert_reads(*state, &b, 0,
	    " S r1b C r1a{late=late} M:k=v r5b");
}

static void
repeat_belongs_to_the_sample_before_it_only(void **state)
{
	struct buf b = { 0 };

	put_stacks(&b, 1);
	put_meta(&b, "k", "v");
	put_repeat(&b, 4);
	assert_reads(*state, &b, 0, " S M:k=v !");
}

/*
 * Behind the damaged byte 0x52 stands a sample's tail, and in front of it an
 * 08 that makes another row of events: compact(8), then metadata of nine
 * bytes, after which it falls into step. Stack 8 was never sampled.
 */
static void
recovery_invents_no_sample_where_two_rows_of_events_fit(void **state)
{
	static const uint8_t rivals[] = { 0x52, 8, 8, 6, 9, 1, 8, 6, 8, 1, 8,
		2, 8, 3 };
	struct buf b = { 0 };
	int i;

	put_stacks(&b, 9);
	put_compact(&b, 0);
	put_bytes(&b, rivals, sizeof(rivals));
	for (i = 0; i < 40; i++)
		put_compact(&b, 4);
	/* 1 before, 6 in step with the rival, 40 behind. */
	put_checkpoint(&b, 9, 9, 47);
	put_end(&b);
	assert_reads(*state, &b, BOB_READ_RECOVER,
	    " S r1a r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e"
	    " r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e"
	    " r1e r1e r1e r1e r1e r1e r1e r1e r1e r1e C G6/14 E");
}

static void
orphans_of_a_gap_are_counted_and_the_rest_is_kept(void **state)
{
	struct buf b = { 0 };
	int i;

	put_stacks(&b, 1);
	put_compact(&b, 0);
	put_byte(&b, 0x52); /* was the definition of stack 1 */
	for (i = 0; i < 30; i++)
		put_compact(&b, 0);
	put_compact(&b, 1);
	put_repeat(&b, 2);
	put_compact(&b, 0);
	put_checkpoint(&b, 2, 2, 35);
	assert_reads(*state, &b, BOB_READ_RECOVER,
	    " S r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a"
	    " r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a r1a"
	    " r1a C G3/5");
}

static void
samples_cost_no_memory(void **state)
{
	unsigned long cost[2];
	struct bob_reader *in;
	struct bob_event ev;
	int round, i;

	for (round = 0; round < 2; round++) {
		struct buf b = { 0 };

		put_stacks(&b, 3);
		for (i = 0; i < 1000 << round; i++)
			put_compact(&b, (uint64_t)i % 3);
		fault_arm(0);
		assert_status(*state, BOB_OK, bob_open_memory(*state, b.p,
		    b.n, "x", NULL, &in));
		while (bob_next(in, &ev) == BOB_OK)
			;
		bob_close(in);
		cost[round] = fault_count();
		buf_free(&b);
	}
	assert_int_equal(cost[0], cost[1]);
}

#define MANY_STACKS 20000u /* ids of one to three bytes */
#define MANY_SAMPLES 60000u

static unsigned
next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

/* A pid sample with a time, and bytes behind it that nobody knows. */
static void
put_full_sample(struct buf *b, uint64_t stack, uint64_t pid, uint64_t delta,
    unsigned n_more)
{
	struct buf payload = { 0 };

	put_varint(&payload, stack);
	put_varint(&payload, pid);
	put_varint(&payload, delta);
	while (n_more-- > 0)
		put_byte(&payload, 0x80);
	put_event(b, 0x07, &payload);
	buf_free(&payload);
}

/* Numbers of all sizes, most of them small. */
static uint64_t
any_number(unsigned *seed)
{
	return (uint64_t)next_random(seed) << 20 >>
	    (next_random(seed) % 8 * 6);
}

static void
put_any_sample(struct buf *b, unsigned *seed)
{
	uint64_t stack = next_random(seed) % MANY_STACKS;
	uint64_t pid = next_random(seed) % 200;

	switch (next_random(seed) % 8) {
	case 0:
		put_sample(b, stack, any_number(seed));
		break;
	case 1:
		put_pid_sample(b, stack, pid);
		break;
	case 2:
		put_full_sample(b, stack, pid << 30, any_number(seed), 0);
		break;
	case 3:
		put_full_sample(b, stack, pid, any_number(seed),
		    next_random(seed) % 20);
		break;
	case 4:
		put_compact(b, stack);
		put_repeat(b, next_random(seed) % 300);
		break;
	case 5:
		put_full_sample(b, stack, pid, 5, 0);
		put_repeat(b, 2);
		break;
	default:
		put_compact(b, stack);
	}
}

static void
put_many(struct buf *b)
{
	unsigned seed = 7, i;

	put_header(b, 10000, 1);
	put_string(b, 0, "f");
	for (i = 0; i < 200; i++)
		put_frame(b, i, 0, 0, i);
	for (i = 0; i < MANY_STACKS; i++) {
		uint64_t frames[] = { i % 200, i / 200 };

		put_stack(b, i, frames, 2);
	}
	for (i = 0; i < MANY_SAMPLES; i++)
		put_any_sample(b, &seed);
	put_end(b);
}

/* All runs, at most cap. */
static size_t
read_runs(struct bob_ctx *ctx, const struct buf *b, uint32_t want,
    struct bob_run *run, size_t cap)
{
	struct bob_read_opts o = { .size = sizeof(o), .want = want };
	struct bob_reader *in;
	struct bob_event ev;
	size_t n = 0;

	assert_status(ctx, BOB_OK, bob_open_memory(ctx, b->p, b->n, "x", &o,
	    &in));
	while (bob_next(in, &ev) == BOB_OK) {
		if (ev.kind != BOB_EVENT_RUNS)
			continue;
		assert_true(ev.n_runs <= cap - n);
		memcpy(run + n, ev.runs, ev.n_runs * sizeof(*run));
		n += ev.n_runs;
	}
	assert_int_equal(bob_ctx_error(ctx)->status, BOB_OK);
	bob_close(in);
	return n;
}

/* Who asks for counts of records gets every event decoded on its own. */
static void
hot_loops_read_what_single_steps_read(void **state)
{
	struct bob_run *fast = calloc(MANY_SAMPLES, sizeof(*fast));
	struct bob_run *slow = calloc(MANY_SAMPLES, sizeof(*slow));
	struct buf b = { 0 };
	size_t n, i;

	assert_non_null(fast);
	assert_non_null(slow);
	put_many(&b);
	n = read_runs(*state, &b, BOB_WANT_ALL, slow, MANY_SAMPLES);
	assert_int_equal(n, MANY_SAMPLES);
	assert_int_equal(n, read_runs(*state, &b,
	    BOB_WANT_ALL & ~BOB_WANT_STATS, fast, MANY_SAMPLES));
	for (i = 0; i < n; i++)
		assert_memory_equal(&fast[i], &slow[i], sizeof(*fast));
	n = read_runs(*state, &b, BOB_WANT_ORDER | BOB_WANT_TIMES, fast,
	    MANY_SAMPLES);
	for (i = 0; i < n; i++) {
		slow[i].track = 0;
		assert_memory_equal(&fast[i], &slow[i], sizeof(*fast));
	}
	buf_free(&b);
	free(fast);
	free(slow);
}

static void
sample_that_ends_inside_its_time_is_damage(void **state)
{
	struct buf b = { 0 }, cut = { 0 };
	int i;

	put_header(&b, 10000, 1);
	put_string(&b, 0, "a");
	put_frame(&b, 0, 0, 0, 1);
	put_stack(&b, 0, (uint64_t[]){ 0 }, 1);
	for (i = 0; i < 2; i++) /* the pid of the second one is known */
		put_full_sample(&b, 0, 5, 1, 0);
	put_bytes(&cut, "\x00\x05\x80", 3);
	put_event(&b, 0x07, &cut);
	for (i = 0; i < 30; i++)
		put_compact(&b, 0);
	assert_reads(*state, &b, 0, " S r1a r1a !");
	buf_free(&cut);
}

/* The caller may add frames of his own while he reads. */
static void
frames_of_the_caller_may_have_strings_that_are_none(void **state)
{
	struct bob_dict *d = bob_dict_new(*state);
	struct bob_read_opts o = { .size = sizeof(o), .dict = d };
	const struct bob_frame wild = { .name = 0x7fffffff,
		.file = 0x7fffffff };
	struct buf b = { 0 };
	struct bob_reader *in;
	struct bob_event ev;
	int r;

	put_stacks(&b, 1);
	put_compact(&b, 0);
	assert_status(*state, BOB_OK,
	    bob_open_memory(*state, b.p, b.n, "x", &o, &in));
	assert_true(bob_frame_put(d, &wild) != BOB_NO_ID);
	while ((r = bob_next(in, &ev)) == BOB_OK)
		continue;
	assert_int_equal(r, BOB_EOF);
	bob_close(in);
	bob_dict_free(d);
	buf_free(&b);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)
	const struct CMUnitTest tests[] = {
		TEST(marks_stay_behind_the_samples_they_follow),
		TEST(sample_stays_open_over_a_mark_when_more_belongs_to_it),
		TEST(repeat_belongs_to_the_sample_before_it_only),
		TEST(recovery_invents_no_sample_where_two_rows_of_events_fit),
		TEST(orphans_of_a_gap_are_counted_and_the_rest_is_kept),
		TEST(samples_cost_no_memory),
		TEST(hot_loops_read_what_single_steps_read),
		TEST(sample_that_ends_inside_its_time_is_damage),
		TEST(frames_of_the_caller_may_have_strings_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
