/* Folded stacks as CPython's profiler writes them (--tachyon-names). */
#include "format/folded/folded.h"

#include <stdlib.h>

#include "fault.h"
#include "format/folded/cpython/pairs.h"
#include "format/folded/cpython/sort.h"
#include "through.h"

/* Whatever `where` holds then, it is no line. */
static const struct bob_frame no_place = { .lang = BOB_LANG_PYTHON,
	.flags = BOB_FRAME_NO_LINE, .where = 9 };

static void
begin(struct hand *h)
{
	hand_begin(h, "folded", "tachyon-names", NULL);
}

static struct bob_frame
at(int64_t line)
{
	return (struct bob_frame){ .lang = BOB_LANG_PYTHON, .where = line };
}

static bob_stack
push(struct hand *h, bob_stack parent, const char *name, const char *file,
    int64_t line)
{
	return hand_push(h, parent, at(line), name, file);
}

static void
sample(struct hand *h, uint64_t tid, uint32_t interp, bob_stack stack,
    uint64_t count)
{
	struct bob_track track = { .tid = tid, .interp = interp,
		.flags = BOB_TRACK_TID | BOB_TRACK_INTERP };
	struct bob_run run = { .count = count, .stack = stack };

	run.track = bob_track_put(h->d, &track);
	hand_run(h, &run);
}

static void
frames_have_base_names_and_lines(void **state)
{
	struct hand h;
	bob_stack s;

	(void)state;
	begin(&h);
	s = push(&h, 0, "<module>", "/srv/app/app.py", 12);
	s = push(&h, s, "Db.query", "db.py", -7);
	s = push(&h, s, "_run", "<frozen runpy>", 88);
	s = push(&h, s, "x", "/ends/in/slash/", 1);
	sample(&h, 4711, 0, s, 3);
	hand_end(&h, "tid:4711;app.py:<module>:12;db.py:Db.query:-7;"
	             "<frozen runpy>:_run:88;:x:1 3\n");
}

static void
frames_without_a_place_are_line_0_or_a_name(void **state)
{
	struct hand h;
	bob_stack s;

	(void)state;
	begin(&h);
	s = hand_push(&h, 0, no_place, "__init__", "__init__");
	s = hand_push(&h, s, no_place, "<GC>", "~");
	s = push(&h, s, "<native>", "~", 0);
	s = push(&h, s, "odd", "~", 5);
	sample(&h, 1, 0, s, 1);
	hand_end(&h, "tid:1;__init__:__init__:0;<GC>;<native>;~:odd:5 1\n");
}

static void
the_launcher_is_left_out(void **state)
{
	struct hand h;
	bob_stack launcher, s;

	(void)state;
	begin(&h);
	launcher = push(&h, 0, "main", "/lib/_sync_coordinator.py", 9);
	s = push(&h, launcher, "f", "a.py", 1);
	sample(&h, 1, 0, s, 2);
	sample(&h, 1, 0, launcher, 5);
	sample(&h, 1, 0, 0, 7);
	hand_end(&h, "tid:1;a.py:f:1 2\n");
}

static void
what_is_shown_alike_is_one_line(void **state)
{
	struct hand h;
	struct bob_frame f = at(3);
	bob_stack a, b;

	(void)state;
	begin(&h);
	a = hand_push(&h, 0, f, "f", "/x/a.py");
	f.flags = BOB_FRAME_COLUMNS | BOB_FRAME_OPCODE;
	f.col = 4;
	f.opcode = 90;
	b = hand_push(&h, 0, f, "f", "/x/a.py");
	assert_int_not_equal(a, b);
	sample(&h, 8, 0, a, 1);
	sample(&h, 8, 0, b, 1);
	/* Interpreters are not shown. */
	sample(&h, 8, 1, b, 5);
	sample(&h, 9, 0, b, 1);
	/* No line and line 0 are the same, as they are for CPython. */
	sample(&h, 9, 0, push(&h, 0, "g", "a.py", 0), 10);
	sample(&h, 9, 0, hand_push(&h, 0, no_place, "g", "a.py"), 10);
	hand_end(&h, "tid:9;a.py:g:0 20\ntid:8;a.py:f:3 7\n"
	             "tid:9;a.py:f:3 1\n");
}

static void
other_files_with_one_base_name_stay_two(void **state)
{
	struct hand h;

	(void)state;
	begin(&h);
	sample(&h, 1, 0, push(&h, 0, "f", "/x/a.py", 1), 2);
	sample(&h, 1, 0, push(&h, 0, "f", "/y/a.py", 1), 3);
	hand_end(&h, "tid:1;a.py:f:1 3\ntid:1;a.py:f:1 2\n");
}

/* Largest first; then by bytes, in which ';' comes before letters and behind
 * digits, and numbers are text. */
static void
lines_are_ordered_by_weight_then_bytes(void **state)
{
	struct hand h;
	bob_stack one, twelve, same;

	(void)state;
	begin(&h);
	(void)push(&h, 0, "f", "a.py", 123);
	one = push(&h, 0, "f", "a.py", 1);
	twelve = push(&h, 0, "f", "a.py", 12);
	same = push(&h, 0, "f", "/z/a.py", 1);
	sample(&h, 9, 0, one, 4);
	sample(&h, 10, 0, push(&h, twelve, "g", "a.py", 1), 4);
	sample(&h, 10, 0, push(&h, one, "g", "a.py", 1), 4);
	sample(&h, 10, 0, push(&h, one, "gh", "a.py", 1), 4);
	sample(&h, 10, 0, push(&h, same, "h", "a.py", 1), 4);
	sample(&h, 10, 0, push(&h, same, "ga", "a.py", 1), 4);
	sample(&h, 10, 0, push(&h, 0, "f", "a.py", 123), 4);
	sample(&h, 10, 0, one, 4);
	sample(&h, 10, 0, twelve, 4);
	sample(&h, 100, 0, one, 4);
	sample(&h, 9, 0, twelve, 5);
	hand_end(&h,
	    "tid:9;a.py:f:12 5\n"
	    "tid:100;a.py:f:1 4\n"
	    "tid:10;a.py:f:1 4\n"
	    "tid:10;a.py:f:12 4\n"
	    "tid:10;a.py:f:123 4\n"
	    "tid:10;a.py:f:12;a.py:g:1 4\n"
	    "tid:10;a.py:f:1;a.py:g:1 4\n"
	    "tid:10;a.py:f:1;a.py:ga:1 4\n"
	    "tid:10;a.py:f:1;a.py:gh:1 4\n"
	    "tid:10;a.py:f:1;a.py:h:1 4\n"
	    "tid:9;a.py:f:1 4\n");
}

static void
a_name_cannot_break_a_line(void **state)
{
	struct hand h;

	(void)state;
	begin(&h);
	sample(&h, 1, 0, push(&h, 0, "a;b\nc%41", "d\x7f" "e.py", 1), 2);
	hand_end(&h, "tid:1;d%7Fe.py:a%3Bb%0Ac%41:1 2\n");
}

static void
a_process_stands_in_for_its_thread(void **state)
{
	struct bob_track track = { .pid = 77, .flags = BOB_TRACK_PID };
	struct bob_run run = { .count = 1 };
	struct hand h;

	(void)state;
	begin(&h);
	run.stack = push(&h, 0, "f", "a.php", 1);
	run.track = bob_track_put(h.d, &track);
	hand_run(&h, &run);
	hand_end(&h, "tid:77;a.php:f:1 1\n");
}

static void
counts_have_units_as_without_it(void **state)
{
	struct bob_segment fine = { .period_us = 100 };
	struct bob_segment coarse = { .period_us = 1000 };
	struct hand h;
	bob_stack s;

	(void)state;
	begin(&h);
	s = push(&h, 0, "f", "a.py", 1);
	hand_segment(&h, &fine);
	sample(&h, 1, 0, s, 1);
	hand_segment(&h, &coarse);
	sample(&h, 1, 0, s, 2);
	hand_end(&h, "tid:1;a.py:f:1 21\n");
}

static void
the_plan_keeps_threads(void **state)
{
	struct hand h;

	(void)state;
	begin(&h);
	assert_int_equal(bob_writer_caps(h.w), BOB_CAP_THREADS);
	hand_end(&h, "");
	hand_begin(&h, "folded", NULL, NULL);
	assert_int_equal(bob_writer_caps(h.w), 0);
	hand_end(&h, "");
}

/* Takes nothing, so that no memory of the test's own can fail. */
static int
drop(void *user, const void *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	return 0;
}

/* The stack of one frame in this file, sampled once. */
static int
write_stack(struct bob_writer *out, const char *file)
{
	struct bob_dict *d = bob_writer_dict(out);
	struct bob_frame f = at(1);
	struct bob_run run = { .count = 1 };

	f.name = bob_str_put(d, "f", 1);
	f.file = bob_str_put(d, file, strlen(file));
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID)
		return BOB_FAILED;
	run.stack = bob_stack_push(d, 0, bob_frame_put(d, &f));
	if (run.stack == BOB_NO_ID)
		return BOB_FAILED;
	return bob_write_runs(out, &run, 1);
}

static int
write_twins(void *user)
{
	struct bob_target to = { .write = drop };
	struct bob_option option = { "tachyon-names", NULL };
	struct bob_write_opts o = { .size = sizeof(o), .format = "folded",
		.options = &option, .n_options = 1 };
	struct bob_writer *out;

	if (bob_create(user, &to, &o, &out) < 0)
		return BOB_FAILED;
	if (write_stack(out, "x/a.py") < 0 || write_stack(out, "y/a.py") < 0) {
		bob_discard(out);
		return BOB_FAILED;
	}
	return bob_finish(out);
}

static void
every_allocation_may_fail(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();

	(void)state;
	assert_non_null(ctx);
	fault_each(write_twins, ctx);
	bob_ctx_free(ctx);
}

static int
plainly(const void *a, const void *b)
{
	const struct tachyon_entry *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Numbers of all lengths, also those that differ in a few bytes only. */
static void
sorting_is_that_of_qsort(void **state)
{
	enum { N = 700 };
	struct tachyon_entry v[N], other[N], want[N], *got;
	uint64_t seed = 5;
	unsigned shift, i;

	(void)state;
	for (shift = 0; shift < 64; shift += 3) {
		for (i = 0; i < N; i++) {
			seed = seed * 6364136223846793005u + 1442695041u;
			v[i] = (struct tachyon_entry){ seed >> 60 << shift,
				(seed >> shift & ~UINT64_C(0xffff)) | i, i };
		}
		memcpy(want, v, sizeof(v));
		qsort(want, N, sizeof(*want), plainly);
		got = tachyon_sort(v, other, N);
		for (i = 0; i < N; i++)
			assert_int_equal(got[i].stack, want[i].stack);
	}
	assert_ptr_equal(tachyon_sort(v, other, 1), v);
}

/* Stacks of several threads, and threads of several stacks. */
static void
equal_pairs_have_one_number(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct pairs p;
	uint32_t id[8][300];
	unsigned t, s, round;

	(void)state;
	assert_non_null(ctx);
	pairs_init(&p, ctx, 1);
	for (round = 0; round < 2; round++)
		for (s = 0; s < 300; s++)
			for (t = 0; t < 8; t++) {
				uint32_t n = pairs_put(&p, t * 1000, s);

				if (round == 0)
					id[t][s] = n;
				assert_int_equal(n, id[t][s]);
				assert_int_equal(n, 1 + 8 * s + t);
				assert_int_equal(p.pair[n].thread, t * 1000);
				assert_int_equal(p.pair[n].stack, s);
			}
	pairs_done(&p);
	bob_ctx_free(ctx);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_base_names_and_lines),
		cmocka_unit_test(frames_without_a_place_are_line_0_or_a_name),
		cmocka_unit_test(the_launcher_is_left_out),
		cmocka_unit_test(what_is_shown_alike_is_one_line),
		cmocka_unit_test(other_files_with_one_base_name_stay_two),
		cmocka_unit_test(lines_are_ordered_by_weight_then_bytes),
		cmocka_unit_test(a_name_cannot_break_a_line),
		cmocka_unit_test(a_process_stands_in_for_its_thread),
		cmocka_unit_test(counts_have_units_as_without_it),
		cmocka_unit_test(the_plan_keeps_threads),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(sorting_is_that_of_qsort),
		cmocka_unit_test(equal_pairs_have_one_number),
	};

	return cmocka_run_group_tests_name("tachyon", tests, NULL, NULL);
}
