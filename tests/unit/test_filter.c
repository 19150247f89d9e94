/* Filters: which runs are left, and with which frames. */
#include "support.h"

#include <stdlib.h>

#include "fault.h"
#include "pipeline/filter.h"

struct fixture {
	struct diags diags;
	struct bob_ctx *ctx;
	struct bob_dict *d;
	struct filter *f;
};

static int
setup(void **state)
{
	static struct fixture x;

	x.ctx = ctx_with(&x.diags);
	x.d = bob_dict_new(x.ctx);
	x.f = NULL;
	*state = &x;
	return x.d == NULL;
}

static int
teardown(void **state)
{
	struct fixture *x = *state;

	filter_free(x->f);
	bob_dict_free(x->d);
	bob_ctx_free(x->ctx);
	return 0;
}

static void
start(struct fixture *x, struct bob_filter spec)
{
	spec.size = sizeof(spec);
	filter_free(x->f);
	x->f = NULL;
	assert_status(x->ctx, BOB_OK, filter_new(x->ctx, &spec, x->d, &x->f));
	assert_non_null(x->f);
}

#define START(x, ...) start(x, (struct bob_filter){ __VA_ARGS__ })

static bob_str
str(struct bob_dict *d, const char *s)
{
	return bob_str_put(d, s, strlen(s));
}

/* parent with `name a.php:line` on top; BOB_NO_ID without memory. */
static bob_stack
push(struct bob_dict *d, bob_stack parent, const char *name, int64_t line)
{
	struct bob_frame f = { .where = line, .lang = BOB_LANG_PHP };
	bob_fid id;

	f.name = str(d, name);
	f.file = str(d, "a.php");
	if (parent == BOB_NO_ID || f.name == BOB_NO_ID || f.file == BOB_NO_ID)
		return BOB_NO_ID;
	id = bob_frame_put(d, &f);
	return id == BOB_NO_ID ? id : bob_stack_push(d, parent, id);
}

/* a;b;c */
static bob_stack
abc(struct bob_dict *d)
{
	return push(d, push(d, push(d, 0, "a", 1), "b", 2), "c", 3);
}

/* Filters one sample of a stack: 1 and the new stack, or 0 when dropped. */
static int
filter_stack(struct fixture *x, bob_stack s, bob_stack *ret)
{
	struct bob_run run = { .count = 1, .stack = s };
	size_t n = 1;

	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	if (n == 1 && ret != NULL)
		*ret = run.stack;
	return (int)n;
}

static bob_stack
kept(struct fixture *x, bob_stack s)
{
	bob_stack to = BOB_NO_ID;

	assert_int_equal(filter_stack(x, s, &to), 1);
	return to;
}

static void
assert_dropped(struct fixture *x, bob_stack s)
{
	assert_int_equal(filter_stack(x, s, NULL), 0);
}

/* --- making filters ------------------------------------------------------ */

static void
nothing_to_do_is_no_filter(void **state)
{
	struct fixture *x = *state;
	struct bob_filter spec = { .size = sizeof(spec) };
	struct filter *f = (struct filter *)x;

	assert_status(x->ctx, BOB_OK, filter_new(x->ctx, NULL, x->d, &f));
	assert_null(f);
	f = (struct filter *)x;
	assert_status(x->ctx, BOB_OK, filter_new(x->ctx, &spec, x->d, &f));
	assert_null(f);
	filter_free(NULL);
}

static void
bad_pattern_is_the_users_mistake(void **state)
{
	struct fixture *x = *state;
	struct bob_filter spec = { .size = sizeof(spec), .hide = "ok",
		.match = "foo(bar" };
	struct filter *f = (struct filter *)x;

	assert_int_equal(filter_new(x->ctx, &spec, x->d, &f), BOB_FAILED);
	assert_int_equal(bob_ctx_error(x->ctx)->code, BOB_E_USAGE);
	assert_non_null(strstr(bob_ctx_error(x->ctx)->text, "match"));
	assert_non_null(strstr(bob_ctx_error(x->ctx)->text, "character 7"));
	assert_ptr_equal(f, x);
}

static void
pattern_may_not_turn_bytes_into_characters(void **state)
{
	struct fixture *x = *state;
	struct bob_filter spec = { .size = sizeof(spec), .hide = "(*UTF)x" };
	struct filter *f = NULL;

	assert_int_equal(filter_new(x->ctx, &spec, x->d, &f), BOB_FAILED);
	assert_int_equal(bob_ctx_error(x->ctx)->code, BOB_E_USAGE);
}

static void
fields_that_the_caller_does_not_have_are_not_read(void **state)
{
	struct fixture *x = *state;
	struct bob_filter spec = { .size = offsetof(struct bob_filter, match),
		.hide = "b a", .match = "(" };
	struct filter *f = NULL;

	assert_status(x->ctx, BOB_OK, filter_new(x->ctx, &spec, x->d, &f));
	assert_non_null(f);
	filter_free(f);
}

static void
wants_follow_from_what_is_asked(void **state)
{
	struct fixture *x = *state;
	static const uint64_t pid = 1;
	static const char *const key = "k";

	START(x, .hide = "x", .match = "y", .flags = BOB_FILTER_NO_LINE);
	assert_int_equal(filter_wants(x->f), 0);
	START(x, .pids = &pid, .n_pids = 1);
	assert_int_equal(filter_wants(x->f), BOB_WANT_TRACKS |
	    BOB_WANT_MARKS | BOB_WANT_ORDER);
	START(x, .flags = BOB_FILTER_TIME, .t_to = 1);
	assert_int_equal(filter_wants(x->f), BOB_WANT_TIMES | BOB_WANT_ORDER |
	    BOB_WANT_MARKS);
	START(x, .annotations = &key, .n_annotations = 1);
	assert_int_equal(filter_wants(x->f), BOB_WANT_ANNOTATIONS);
}

static void
spec_is_copied(void **state)
{
	struct fixture *x = *state;
	char hide[] = "b a", key[] = "k=v";
	const char *keys[] = { key };
	uint64_t pid = 7;
	struct bob_track t = { .pid = 7, .flags = BOB_TRACK_PID };
	struct bob_pair pair = { str(x->d, "k"), str(x->d, "v") };
	struct bob_run run = { .count = 1, .stack = abc(x->d) };
	size_t n = 1;

	START(x, .hide = hide, .pids = &pid, .n_pids = 1,
	    .annotations = keys, .n_annotations = 1);
	hide[0] = key[0] = 'z';
	pid = 8;
	keys[0] = NULL;
	run.track = bob_track_put(x->d, &t);
	run.annot = bob_annot_put(x->d, &pair, 1);
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	assert_int_equal(n, 1);
	assert_int_equal(bob_stack_get(x->d, run.stack).depth, 2);
}

/* --- hide and match ------------------------------------------------------ */

static void
hide_takes_frames_out_wherever_they_are(void **state)
{
	struct fixture *x = *state;
	bob_stack s = abc(x->d);

	START(x, .hide = "^b ");
	assert_int_equal(kept(x, s), push(x->d, push(x->d, 0, "a", 1), "c",
	    3));
	START(x, .hide = "^a ");
	assert_int_equal(kept(x, s), push(x->d, push(x->d, 0, "b", 2), "c",
	    3));
	START(x, .hide = "^c ");
	assert_int_equal(kept(x, s), push(x->d, push(x->d, 0, "a", 1), "b",
	    2));
	START(x, .hide = "nowhere");
	assert_int_equal(kept(x, s), s);
}

static void
stack_left_empty_by_hide_is_dropped(void **state)
{
	struct fixture *x = *state;

	START(x, .hide = "a.php");
	assert_dropped(x, abc(x->d));
}

static void
stack_that_was_empty_is_kept_unless_it_must_match(void **state)
{
	struct fixture *x = *state;

	START(x, .hide = "a.php");
	assert_int_equal(kept(x, 0), 0);
	START(x, .match = "");
	assert_dropped(x, 0);
}

static void
match_keeps_stacks_with_any_matching_frame(void **state)
{
	struct fixture *x = *state;
	bob_stack s = abc(x->d), up = bob_stack_get(x->d, s).parent;

	START(x, .match = "^a ");
	assert_int_equal(kept(x, s), s);
	START(x, .match = "^c ");
	assert_int_equal(kept(x, s), s);
	assert_dropped(x, up);
	START(x, .match = "^d ");
	assert_dropped(x, s);
}

static void
match_sees_what_hide_left(void **state)
{
	struct fixture *x = *state;
	bob_stack s = abc(x->d);

	START(x, .hide = "^b ", .match = "^b ");
	assert_dropped(x, s);
	START(x, .hide = "^b ", .match = "^c ");
	assert_int_equal(bob_stack_get(x->d, kept(x, s)).depth, 2);
}

static void
patterns_see_function_file_and_line(void **state)
{
	struct fixture *x = *state;
	struct bob_frame f = { .where = -1, .lang = BOB_LANG_PHP };
	bob_stack php, native, no_line;

	assert_status(x->ctx, BOB_OK, bob_frame_set_php_name(x->d, &f,
	    "App\\Db::q", 9));
	f.file = str(x->d, "/app/my file.php");
	f.flags = BOB_FRAME_OPNAME;
	f.opname = str(x->d, "ZEND_ADD");
	php = bob_stack_push(x->d, 0, bob_frame_put(x->d, &f));
	f = (struct bob_frame){ .where = 90, .lang = BOB_LANG_NATIVE };
	f.name = str(x->d, "read");
	f.file = str(x->d, "libc.so.6");
	native = bob_stack_push(x->d, 0, bob_frame_put(x->d, &f));
	f = (struct bob_frame){ .flags = BOB_FRAME_NO_LINE };
	f.name = str(x->d, "f");
	f.file = str(x->d, "x.py");
	no_line = bob_stack_push(x->d, 0, bob_frame_put(x->d, &f));

	START(x, .match = "\\AApp\\\\Db::q /app/my file\\.php:-1\\z");
	assert_int_equal(kept(x, php), php);
	START(x, .match = "\\Aread libc\\.so\\.6:0\\z");
	assert_int_equal(kept(x, native), native);
	START(x, .match = "\\Af x\\.py\\z");
	assert_int_equal(kept(x, no_line), no_line);
}

static void
patterns_see_the_smallest_and_largest_line(void **state)
{
	struct fixture *x = *state;
	bob_stack low = push(x->d, 0, "f", INT64_MIN);
	bob_stack high = push(x->d, 0, "f", INT64_MAX);

	START(x, .match = ":-9223372036854775808\\z");
	assert_int_equal(kept(x, low), low);
	assert_dropped(x, high);
	START(x, .match = ":9223372036854775807\\z");
	assert_int_equal(kept(x, high), high);
}

static void
names_are_matched_as_bytes(void **state)
{
	struct fixture *x = *state;
	struct bob_frame f = { .where = 1 };
	bob_stack s;

	f.name = bob_str_put(x->d, "\xff\0end", 5);
	s = bob_stack_push(x->d, 0, bob_frame_put(x->d, &f));
	START(x, .match = "^..end");
	assert_int_equal(kept(x, s), s);
	START(x, .match = "^\\xff\\x00end");
	assert_int_equal(kept(x, s), s);
}

static void
long_names_are_matched_to_their_end(void **state)
{
	struct fixture *x = *state;
	size_t n = 100000;
	char *name = calloc(1, n);
	bob_stack s;

	assert_non_null(name);
	memset(name, 'x', n - 1);
	s = push(x->d, 0, name, 12345);
	free(name);
	START(x, .match = "x a\\.php:12345$");
	assert_int_equal(kept(x, s), s);
}

static void
exploding_pattern_gives_up_with_one_warning(void **state)
{
	struct fixture *x = *state;
	char name[64];
	uint32_t i;

	START(x, .hide = "^(a|aa|a?a)+\\1$");
	for (i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "%045d", 0);
		memset(name, 'a', 45);
		assert_int_equal(bob_stack_get(x->d, kept(x, push(x->d, 0,
		    name, i))).depth, 1);
	}
	assert_int_equal(x->diags.n_warnings, 1);
	assert_int_equal(x->diags.last.code, BOB_E_LIMIT);
	assert_non_null(strstr(x->diags.last.text, "hide"));
}

/* --- no-line ------------------------------------------------------------- */

static bob_stack
variant(struct bob_dict *d, int64_t line, const char *op, int32_t col)
{
	struct bob_frame f = { .where = line, .lang = BOB_LANG_PYTHON };

	f.name = str(d, "f");
	f.file = str(d, "f.py");
	if (op != NULL) {
		f.flags |= BOB_FRAME_OPNAME | BOB_FRAME_OPCODE;
		f.opname = str(d, op);
		f.opcode = 5;
	}
	if (col > 0) {
		f.flags |= BOB_FRAME_COLUMNS;
		f.col = f.end_col = f.end_line = col;
	}
	return bob_stack_push(d, 0, bob_frame_put(d, &f));
}

static void
no_line_merges_places_in_one_function(void **state)
{
	struct fixture *x = *state;
	const struct bob_frame *f;
	bob_stack one;

	START(x, .flags = BOB_FILTER_NO_LINE);
	one = kept(x, variant(x->d, 1, NULL, 0));
	assert_int_equal(kept(x, variant(x->d, 2, NULL, 0)), one);
	assert_int_equal(kept(x, variant(x->d, 2, "ADD", 0)), one);
	assert_int_equal(kept(x, variant(x->d, 2, "", 0)), one);
	assert_int_equal(kept(x, variant(x->d, 2, NULL, 9)), one);
	f = bob_frame_get(x->d, bob_stack_get(x->d, one).frame);
	assert_int_equal(f->flags, BOB_FRAME_NO_LINE);
	assert_int_equal(f->lang, BOB_LANG_PYTHON);
	assert_int_equal(f->where, 0);
}

static void
no_line_keeps_functions_apart(void **state)
{
	struct fixture *x = *state;
	bob_stack a = push(x->d, 0, "f", 1), b = push(x->d, 0, "g", 1);

	START(x, .flags = BOB_FILTER_NO_LINE);
	assert_int_not_equal(kept(x, a), kept(x, b));
	assert_int_not_equal(kept(x, a), kept(x, variant(x->d, 1, NULL, 0)));
}

static void
lines_are_merged_after_patterns_have_seen_them(void **state)
{
	struct fixture *x = *state;
	bob_stack root = push(x->d, 0, "main", 1);
	bob_stack s3 = push(x->d, root, "f", 3), s4 = push(x->d, root, "f", 4);

	START(x, .flags = BOB_FILTER_NO_LINE, .hide = "^f .*:3$");
	assert_int_equal(bob_stack_get(x->d, kept(x, s3)).depth, 1);
	assert_int_equal(bob_stack_get(x->d, kept(x, s4)).depth, 2);
	START(x, .flags = BOB_FILTER_NO_LINE, .match = ":4$");
	assert_dropped(x, s3);
	assert_int_equal(bob_stack_get(x->d, kept(x, s4)).depth, 2);
}

static void
hidden_frames_get_no_image(void **state)
{
	struct fixture *x = *state;
	bob_stack s = push(x->d, 0, "f", 3);
	uint32_t n = bob_dict_counts(x->d).n_frame;

	START(x, .flags = BOB_FILTER_NO_LINE, .hide = "^f ");
	assert_dropped(x, s);
	assert_int_equal(bob_dict_counts(x->d).n_frame, n);
}

static void
filtering_twice_changes_nothing(void **state)
{
	struct fixture *x = *state;
	bob_stack s3 = push(x->d, push(x->d, 0, "a", 1), "f", 3);
	bob_stack s4 = push(x->d, push(x->d, 0, "a", 1), "f", 4);
	bob_stack to;

	START(x, .hide = "^a ");
	to = kept(x, s3);
	assert_int_equal(kept(x, to), to);
	/* No pattern here would match the frames without lines. */
	START(x, .flags = BOB_FILTER_NO_LINE, .hide = ":1$", .match = ":4$");
	assert_dropped(x, s3);
	to = kept(x, s4);
	assert_int_equal(kept(x, to), to);
	/* And this one would hide them. */
	START(x, .flags = BOB_FILTER_NO_LINE, .hide = "php$");
	to = kept(x, push(x->d, 0, "new", 9));
	assert_int_equal(kept(x, to), to);
}

/* --- memory -------------------------------------------------------------- */

static void
stacks_may_be_a_million_frames_deep(void **state)
{
	struct fixture *x = *state;
	bob_stack s = 0;
	int i;

	for (i = 0; i < 1000000; i++)
		s = push(x->d, s, i % 2 ? "odd" : "even", 1);
	START(x, .hide = "^odd", .match = "^even",
	    .flags = BOB_FILTER_NO_LINE);
	s = kept(x, s);
	assert_int_equal(bob_stack_get(x->d, s).depth, 500000);
}

static void
known_stacks_cost_no_allocation(void **state)
{
	struct fixture *x = *state;
	struct bob_run runs[64];
	bob_stack s = abc(x->d);
	size_t n, i;

	START(x, .hide = "^b ", .match = "^c ");
	(void)kept(x, s);
	fault_arm(0);
	for (i = 0; i < COUNT_OF(runs); i++)
		runs[i] = (struct bob_run){ .count = 5, .stack = s };
	n = COUNT_OF(runs);
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, runs, &n));
	assert_int_equal(n, COUNT_OF(runs));
	assert_int_equal(fault_count(), 0);
}

static void
runs_that_are_left_keep_their_order_and_their_facts(void **state)
{
	struct fixture *x = *state;
	bob_stack yes = push(x->d, 0, "yes", 1), no = push(x->d, 0, "no", 1);
	struct bob_run runs[9];
	size_t n = COUNT_OF(runs), i;

	for (i = 0; i < n; i++)
		runs[i] = (struct bob_run){ .count = i + 1, .track = 3,
			.annot = 4, .status = 5, .flags = BOB_RUN_STATUS,
			.stack = i % 3 == 1 ? no : yes };
	START(x, .match = "yes");
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, runs, &n));
	assert_int_equal(n, 6);
	for (i = 0; i < n; i++) {
		assert_int_equal(runs[i].count, i + (i + 1) / 2 + 1);
		assert_int_equal(runs[i].stack, yes);
		assert_int_equal(runs[i].track, 3);
		assert_int_equal(runs[i].annot, 4);
		assert_int_equal(runs[i].status, 5);
	}
}

/* --- pids ---------------------------------------------------------------- */

static int
keeps_pid(struct fixture *x, int has_pid, uint64_t pid)
{
	struct bob_track t = { .pid = pid, .flags = BOB_TRACK_PID };
	struct bob_run run = { .count = 1 };
	size_t n = 1;

	run.track = has_pid ? bob_track_put(x->d, &t) : 0;
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	return (int)n;
}

static void
say_meta(struct fixture *x, const char *key, const char *value)
{
	struct bob_mark m = { .kind = BOB_MARK_META };

	m.key = str(x->d, key);
	m.value = str(x->d, value);
	filter_mark(x->f, &m);
}

static void
only_listed_pids_are_kept(void **state)
{
	struct fixture *x = *state;
	static const uint64_t pids[] = { 7, UINT64_MAX };

	START(x, .pids = pids, .n_pids = 2);
	assert_true(keeps_pid(x, 1, 7));
	assert_true(keeps_pid(x, 1, UINT64_MAX));
	assert_false(keeps_pid(x, 1, 8));
	assert_false(keeps_pid(x, 1, 0));
	assert_false(keeps_pid(x, 0, 0));
}

static void
pid_0_is_a_pid(void **state)
{
	struct fixture *x = *state;
	static const uint64_t pid = 0;

	START(x, .pids = &pid, .n_pids = 1);
	assert_true(keeps_pid(x, 1, 0));
	assert_false(keeps_pid(x, 0, 0));
}

static void
segments_pid_counts_for_samples_without_one(void **state)
{
	struct fixture *x = *state;
	struct bob_segment s = { .index = 0 };
	static const uint64_t pid = 7;

	START(x, .pids = &pid, .n_pids = 1);
	filter_segment(x->f, &s);
	assert_false(keeps_pid(x, 0, 0));
	say_meta(x, "pid", "7");
	assert_true(keeps_pid(x, 0, 0));
	assert_false(keeps_pid(x, 1, 8));
	say_meta(x, "host", "8");
	assert_true(keeps_pid(x, 0, 0));
	say_meta(x, "pid", "8");
	assert_false(keeps_pid(x, 0, 0));
	assert_true(keeps_pid(x, 1, 7));
}

static void
segments_pid_ends_with_the_segment(void **state)
{
	struct fixture *x = *state;
	struct bob_segment s = { .index = 1 };
	static const uint64_t pid = 7;

	START(x, .pids = &pid, .n_pids = 1);
	say_meta(x, "pid", "7");
	filter_segment(x->f, &s);
	assert_false(keeps_pid(x, 0, 0));
}

static void
metadata_that_is_no_number_is_no_pid(void **state)
{
	static const char *const bad[] = { "", "7x", " 7", "-7", "7.0",
		"18446744073709551623", "77777777777777777777777777" };
	struct fixture *x = *state;
	static const uint64_t pids[] = { 0, 7, UINT64_MAX };
	size_t i;

	START(x, .pids = pids, .n_pids = 3);
	for (i = 0; i < COUNT_OF(bad); i++) {
		say_meta(x, "pid", "7");
		assert_true(keeps_pid(x, 0, 0));
		say_meta(x, "pid", bad[i]);
		assert_false(keeps_pid(x, 0, 0));
	}
	say_meta(x, "pid", "18446744073709551615");
	assert_true(keeps_pid(x, 0, 0));
}

static void
other_marks_do_not_matter(void **state)
{
	struct fixture *x = *state;
	struct bob_mark m = { .kind = BOB_MARK_CHECKPOINT };
	static const uint64_t pid = 7;

	START(x, .pids = &pid, .n_pids = 1);
	m.key = str(x->d, "pid");
	m.value = str(x->d, "7");
	filter_mark(x->f, &m);
	assert_false(keeps_pid(x, 0, 0));
}

/* --- time ---------------------------------------------------------------- */

static struct bob_run
at(uint64_t t)
{
	return (struct bob_run){ .count = 1, .t_first = t, .t_last = t,
		.flags = BOB_RUN_TIMED };
}

static int
keeps_time(struct fixture *x, uint64_t t)
{
	struct bob_run run = at(t);
	size_t n = 1;

	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	return (int)n;
}

static void
time_counts_from_the_first_sample(void **state)
{
	struct fixture *x = *state;

	START(x, .flags = BOB_FILTER_TIME, .t_from = 10, .t_to = 20);
	assert_false(keeps_time(x, 1000));
	assert_false(keeps_time(x, 1009));
	assert_true(keeps_time(x, 1010));
	assert_true(keeps_time(x, 1019));
	assert_false(keeps_time(x, 1020));
}

static void
clock_that_was_set_back_is_before_the_beginning(void **state)
{
	struct fixture *x = *state;

	START(x, .flags = BOB_FILTER_TIME, .t_from = 0, .t_to = UINT64_MAX);
	assert_true(keeps_time(x, 1000));
	assert_false(keeps_time(x, 999));
	assert_true(keeps_time(x, 1001));
}

static void
samples_without_a_time_are_dropped(void **state)
{
	struct fixture *x = *state;
	struct bob_run run = { .count = 1 };
	size_t n = 1;

	START(x, .flags = BOB_FILTER_TIME, .t_to = UINT64_MAX);
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	assert_int_equal(n, 0);
}

static void
first_sample_sets_the_clock_even_when_dropped(void **state)
{
	struct fixture *x = *state;
	bob_stack no = push(x->d, 0, "no", 1), yes = push(x->d, 0, "yes", 1);
	struct bob_run runs[2] = { at(100), at(115) };
	size_t n = 2;

	runs[0].stack = no;
	runs[1].stack = yes;
	START(x, .flags = BOB_FILTER_TIME, .t_from = 10, .t_to = 20,
	    .match = "yes");
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, runs, &n));
	assert_int_equal(n, 1);
	assert_int_equal(runs[0].t_first, 115);
}

/* Cuts the run of times 100 110 110 125 200 after a sample at 0. */
static struct bob_run
cut_run(struct fixture *x, uint64_t from, uint64_t to, size_t *n)
{
	static const uint32_t dt[] = { 10, 0, 15, 75 };
	struct bob_run runs[2] = { at(0), at(100) };

	runs[1].count = 5;
	runs[1].t_last = 200;
	runs[1].dt = dt;
	*n = 2;
	START(x, .flags = BOB_FILTER_TIME, .t_from = from, .t_to = to);
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, runs, n));
	assert_true(*n <= 1 || runs[0].t_first == 0);
	return runs[*n == 0 ? 0 : *n - 1];
}

static void
run_that_crosses_a_border_is_cut(void **state)
{
	static const struct {
		uint64_t from, to, count, t_first, t_last;
	} v[] = {
		{ 1, 1000, 5, 100, 200 },
		{ 100, 201, 5, 100, 200 },
		{ 101, 1000, 4, 110, 200 },
		{ 1, 200, 4, 100, 125 },
		{ 110, 111, 2, 110, 110 },
		{ 111, 126, 1, 125, 125 },
		{ 126, 201, 1, 200, 200 },
		{ 1, 101, 1, 100, 100 },
	};
	struct fixture *x = *state;
	struct bob_run run;
	size_t n, i, k;

	for (i = 0; i < COUNT_OF(v); i++) {
		uint64_t sum;

		run = cut_run(x, v[i].from, v[i].to, &n);
		assert_int_equal(n, 1);
		assert_int_equal(run.count, v[i].count);
		assert_int_equal(run.t_first, v[i].t_first);
		assert_int_equal(run.t_last, v[i].t_last);
		for (sum = run.t_first, k = 0; k < run.count - 1; k++)
			sum += run.dt[k];
		assert_int_equal(sum, run.t_last);
	}
}

static void
run_outside_or_between_two_samples_is_dropped(void **state)
{
	static const uint64_t v[][2] = { { 1, 100 }, { 201, 300 },
		{ 126, 200 }, { 50, 50 }, { 150, 120 } };
	struct fixture *x = *state;
	size_t n, i;

	for (i = 0; i < COUNT_OF(v); i++) {
		(void)cut_run(x, v[i][0], v[i][1], &n);
		assert_int_equal(n, 0);
	}
}

static void
run_at_one_moment_is_kept_or_dropped_whole(void **state)
{
	struct fixture *x = *state;
	struct bob_run runs[2] = { at(5), at(9) };
	size_t n = 2;

	runs[0].count = BOB_MAX_COUNT;
	runs[1].count = BOB_MAX_COUNT;
	START(x, .flags = BOB_FILTER_TIME, .t_from = 4, .t_to = 5);
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, runs, &n));
	assert_int_equal(n, 1);
	assert_int_equal(runs[0].t_first, 9);
	assert_true(runs[0].count == BOB_MAX_COUNT);
}

static void
next_segment_continues_where_the_last_one_ended(void **state)
{
	struct fixture *x = *state;
	struct bob_segment s = { .index = 0 };

	START(x, .flags = BOB_FILTER_TIME, .t_from = 100, .t_to = 110);
	filter_segment(x->f, &s);
	assert_false(keeps_time(x, 50)); /* 0 */
	assert_false(keeps_time(x, 140)); /* 90 */
	filter_segment(x->f, &s);
	assert_false(keeps_time(x, 9)); /* 99 */
	assert_true(keeps_time(x, 10)); /* 100 */
	filter_segment(x->f, &s);
	assert_true(keeps_time(x, 9)); /* 109 */
	assert_false(keeps_time(x, 10)); /* 110 */
}

static void
segment_without_times_does_not_move_the_clock(void **state)
{
	struct fixture *x = *state;
	struct bob_segment s = { .index = 0 };
	struct bob_run run = { .count = 1 };
	size_t n = 1;

	START(x, .flags = BOB_FILTER_TIME, .t_from = 10, .t_to = 11);
	assert_false(keeps_time(x, 5)); /* 0 */
	filter_segment(x->f, &s);
	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	assert_int_equal(n, 0);
	filter_segment(x->f, &s);
	assert_true(keeps_time(x, 10));
}

static void
segments_with_dates_are_placed_by_them(void **state)
{
	struct fixture *x = *state;
	struct bob_segment s = { .start_us = 1000000 };

	START(x, .flags = BOB_FILTER_TIME, .t_from = 500, .t_to = 600);
	filter_segment(x->f, &s);
	assert_false(keeps_time(x, 50)); /* 1000050 is 0 */
	s.start_us = 1000540;
	filter_segment(x->f, &s);
	assert_false(keeps_time(x, 9)); /* 499 */
	assert_true(keeps_time(x, 10));
	assert_true(keeps_time(x, 109));
	assert_false(keeps_time(x, 110));
	s.start_us = 0; /* unknown: continues at 600 */
	filter_segment(x->f, &s);
	assert_false(keeps_time(x, 0));
}

/* --- annotations --------------------------------------------------------- */

static int
keeps_annot(struct fixture *x, bob_annot id)
{
	struct bob_run run = { .count = 1, .annot = id };
	size_t n = 1;

	assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
	return (int)n;
}

static void
want(struct fixture *x, const char *a, const char *b)
{
	const char *v[] = { a, b };

	START(x, .annotations = v, .n_annotations = b == NULL ? 1 : 2);
}

static void
annotations_are_compared_whole(void **state)
{
	struct fixture *x = *state;
	struct bob_pair v[2] = { { str(x->d, "uri"), str(x->d, "/a=b") },
		{ str(x->d, "user"), 0 } };
	bob_annot one = bob_annot_put(x->d, v, 1);
	bob_annot both = bob_annot_put(x->d, v, 2);
	bob_annot empty = bob_annot_put(x->d, NULL, 0);
	static const struct {
		const char *a, *b;
		int one, both;
	} t[] = {
		{ "uri=/a=b", NULL, 1, 1 },
		{ "uri", NULL, 1, 1 },
		{ "uri=/a", NULL, 0, 0 },
		{ "uri=", NULL, 0, 0 },
		{ "ur", NULL, 0, 0 },
		{ "uri=/a=bc", NULL, 0, 0 },
		{ "user=", NULL, 0, 1 },
		{ "user", NULL, 0, 1 },
		{ "", NULL, 0, 0 },
		{ "uri", "user", 0, 1 },
		{ "user", "uri=/a=b", 0, 1 },
		{ "user", "uri=/", 0, 0 },
	};
	size_t i;

	for (i = 0; i < COUNT_OF(t); i++) {
		want(x, t[i].a, t[i].b);
		assert_int_equal(keeps_annot(x, one), t[i].one);
		assert_int_equal(keeps_annot(x, both), t[i].both);
		assert_int_equal(keeps_annot(x, empty), 0);
		assert_int_equal(keeps_annot(x, 0), 0);
		assert_int_equal(keeps_annot(x, one), t[i].one);
	}
}

/* --- everything ---------------------------------------------------------- */

static void
sample_must_pass_every_part(void **state)
{
	struct fixture *x = *state;
	static const uint64_t pid = 7;
	static const char *const key = "k";
	struct bob_track t = { .pid = 7, .flags = BOB_TRACK_PID };
	struct bob_pair pair = { str(x->d, "k"), 0 };
	struct bob_run good = at(0), run;
	unsigned bad;
	size_t n;

	good.stack = abc(x->d);
	good.track = bob_track_put(x->d, &t);
	good.annot = bob_annot_put(x->d, &pair, 1);
	for (bad = 0; bad < 5; bad++) {
		START(x, .pids = &pid, .n_pids = 1, .annotations = &key,
		    .n_annotations = 1, .match = "^c ",
		    .flags = BOB_FILTER_TIME, .t_to = 1);
		run = good;
		if (bad == 1)
			run.track = 0;
		if (bad == 2)
			run.annot = 0;
		if (bad == 3)
			run.stack = 0;
		if (bad == 4)
			run.flags = 0;
		n = 1;
		assert_status(x->ctx, BOB_OK, filter_runs(x->f, &run, &n));
		assert_int_equal(n, bad == 0);
	}
}

static int
filter_some(void *user)
{
	struct fixture *x = user;
	static const uint64_t pid = 7;
	static const char *const keys[] = { "k", "l=m" };
	struct bob_filter spec = { .size = sizeof(spec), .pids = &pid,
		.n_pids = 1, .annotations = keys, .n_annotations = 2,
		.hide = "^b ", .match = "^(a|x)+ a",
		.flags = BOB_FILTER_NO_LINE };
	struct bob_pair pair[] = { { 1, 2 }, { 3, 4 } };
	struct bob_run run = { .count = 1, .track = 1, .annot = 1 };
	struct bob_dict *d = bob_dict_new(x->ctx);
	struct bob_track t = { .pid = 7, .flags = BOB_TRACK_PID };
	struct filter *f = NULL;
	size_t n = 1;
	int r = BOB_FATAL;

	if (d == NULL)
		return r;
	if (str(d, "k") != 1 || str(d, "v") != 2 || str(d, "l") != 3 ||
	    str(d, "m") != 4 || bob_track_put(d, &t) != 1 ||
	    bob_annot_put(d, pair, 2) != 1)
		goto out;
	run.stack = abc(d);
	if (run.stack == BOB_NO_ID)
		goto out;
	r = filter_new(x->ctx, &spec, d, &f);
	if (r < 0)
		goto out;
	r = filter_runs(f, &run, &n);
out:
	if (r < 0)
		assert_int_equal(bob_ctx_error(x->ctx)->code, BOB_E_NOMEM);
	else
		assert_int_equal(n, 1);
	filter_free(f);
	bob_dict_free(d);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	fault_each(filter_some, *state);
}

#define WITH_DICT(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DICT(nothing_to_do_is_no_filter),
		WITH_DICT(bad_pattern_is_the_users_mistake),
		WITH_DICT(pattern_may_not_turn_bytes_into_characters),
		WITH_DICT(fields_that_the_caller_does_not_have_are_not_read),
		WITH_DICT(wants_follow_from_what_is_asked),
		WITH_DICT(spec_is_copied),
		WITH_DICT(hide_takes_frames_out_wherever_they_are),
		WITH_DICT(stack_left_empty_by_hide_is_dropped),
		WITH_DICT(stack_that_was_empty_is_kept_unless_it_must_match),
		WITH_DICT(match_keeps_stacks_with_any_matching_frame),
		WITH_DICT(match_sees_what_hide_left),
		WITH_DICT(patterns_see_function_file_and_line),
		WITH_DICT(patterns_see_the_smallest_and_largest_line),
		WITH_DICT(names_are_matched_as_bytes),
		WITH_DICT(long_names_are_matched_to_their_end),
		WITH_DICT(exploding_pattern_gives_up_with_one_warning),
		WITH_DICT(no_line_merges_places_in_one_function),
		WITH_DICT(no_line_keeps_functions_apart),
		WITH_DICT(lines_are_merged_after_patterns_have_seen_them),
		WITH_DICT(hidden_frames_get_no_image),
		WITH_DICT(filtering_twice_changes_nothing),
		WITH_DICT(stacks_may_be_a_million_frames_deep),
		WITH_DICT(known_stacks_cost_no_allocation),
		WITH_DICT(runs_that_are_left_keep_their_order_and_their_facts),
		WITH_DICT(only_listed_pids_are_kept),
		WITH_DICT(pid_0_is_a_pid),
		WITH_DICT(segments_pid_counts_for_samples_without_one),
		WITH_DICT(segments_pid_ends_with_the_segment),
		WITH_DICT(metadata_that_is_no_number_is_no_pid),
		WITH_DICT(other_marks_do_not_matter),
		WITH_DICT(time_counts_from_the_first_sample),
		WITH_DICT(clock_that_was_set_back_is_before_the_beginning),
		WITH_DICT(samples_without_a_time_are_dropped),
		WITH_DICT(first_sample_sets_the_clock_even_when_dropped),
		WITH_DICT(run_that_crosses_a_border_is_cut),
		WITH_DICT(run_outside_or_between_two_samples_is_dropped),
		WITH_DICT(run_at_one_moment_is_kept_or_dropped_whole),
		WITH_DICT(next_segment_continues_where_the_last_one_ended),
		WITH_DICT(segment_without_times_does_not_move_the_clock),
		WITH_DICT(segments_with_dates_are_placed_by_them),
		WITH_DICT(annotations_are_compared_whole),
		WITH_DICT(sample_must_pass_every_part),
		WITH_DICT(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
