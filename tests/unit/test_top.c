/*
 * The store and the tables of `bobbin top`, without processes: windows that
 * slide, rows against sums by hand, and years of requests in little memory.
 */
#include "support.h"

#include "cli/top/top.h"

#define SECOND ((uint64_t)1000000)

static bob_fid
frame(struct bob_dict *d, const char *name)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP, .where = 1 };

	f.name = bob_str_put(d, name, strlen(name));
	f.file = strcmp(name, "pcntl_wait") == 0
	    ? bob_str_put(d, "<internal>", 10)
	    : bob_str_put(d, "a.php", 5);
	return bob_frame_put(d, &f);
}

/* "main;a;b", outermost first. */
static bob_stack
stack(struct bob_dict *d, const char *names)
{
	bob_stack s = 0;
	char name[32];
	size_t n;

	for (; *names != '\0'; names += n + (names[n] == ';')) {
		n = strcspn(names, ";");
		(void)snprintf(name, sizeof(name), "%.*s", (int)n, names);
		s = bob_stack_push(d, s, frame(d, name));
	}
	return s;
}

static bob_annot
request(struct bob_dict *d, const char *uri, const char *route)
{
	struct bob_pair v[2];

	v[0].key = bob_str_put(d, "request.uri", 11);
	v[0].value = bob_str_put(d, uri, strlen(uri));
	v[1].key = bob_str_put(d, "request.route", 13);
	v[1].value = bob_str_put(d, route, strlen(route));
	return bob_annot_put(d, v, 2);
}

static void
add(struct top_store *s, uint64_t t_us, const char *names, uint64_t pid,
    const char *uri, const char *route)
{
	struct bob_track track = { .pid = pid, .flags = BOB_TRACK_PID };
	struct bob_run run;

	memset(&run, 0, sizeof(run));
	run.count = 1;
	run.t_first = run.t_last = t_us;
	run.flags = BOB_RUN_TIMED;
	run.stack = stack(s->dict, names);
	run.track = bob_track_put(s->dict, &track);
	run.annot = uri != NULL ? request(s->dict, uri, route) : 0;
	assert_status(s->ctx, BOB_OK, top_store_add(s, t_us, &run, 1));
}

static const char *
no_command(void *user, uint64_t pid)
{
	(void)user;
	(void)pid;
	return "php";
}

static const struct top_row *
find(const struct top_table *t, const char *text)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->row[i].n_text == strlen(text) &&
		    memcmp(t->bytes + t->row[i].text, text,
		        t->row[i].n_text) == 0)
			return &t->row[i];
	return NULL;
}

static void
expect_row(struct top_store *s, int by, const char *text, uint64_t self,
    uint64_t total, uint64_t all_self, uint64_t all_total)
{
	struct top_table t = { .by = by };
	const struct top_row *r;

	assert_status(s->ctx, BOB_OK, top_table_make(&t, s, NULL, no_command,
	    NULL));
	r = find(&t, text);
	assert_non_null(r);
	assert_int_equal(r->w[TOP_SELF], self);
	assert_int_equal(r->w[TOP_TOTAL], total);
	assert_int_equal(r->w[TOP_ALL_SELF], all_self);
	assert_int_equal(r->w[TOP_ALL_TOTAL], all_total);
	top_table_done(&t);
}

static void
window_slides_and_sums_stay(void **state)
{
	struct top_store s;

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	add(&s, 1 * SECOND, "main;old", 1, NULL, NULL);
	add(&s, 8 * SECOND, "main;f;f", 1, NULL, NULL);
	add(&s, 9 * SECOND, "main;f", 2, NULL, NULL);
	s.t_us = 12 * SECOND;
	top_store_slide(&s, 10 * SECOND);
	assert_int_equal(s.n_recent, 2);
	assert_int_equal(s.t_from, 2 * SECOND);
	expect_row(&s, TOP_BY_FUNCTION, "old a.php", 0, 0, 1, 1);
	/* Recursion counts once. */
	expect_row(&s, TOP_BY_FUNCTION, "f a.php", 2, 2, 2, 2);
	expect_row(&s, TOP_BY_FUNCTION, "main a.php", 0, 2, 0, 3);
	expect_row(&s, TOP_BY_PID, "1  php", 1, 1, 2, 2);
	expect_row(&s, TOP_BY_PID, "2  php", 1, 1, 1, 1);
	s.t_us = 60 * SECOND;
	top_store_slide(&s, 10 * SECOND);
	expect_row(&s, TOP_BY_FILE, "a.php", 0, 0, 3, 3);
	top_store_done(&s);
}

static void
orders_and_filters(void **state)
{
	struct top_store s;
	struct top_table t = { .order = TOP_TOTAL };

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	add(&s, 1, "main;a", 1, NULL, NULL);
	add(&s, 2, "main;b", 1, "/x/1", "/x/{n}");
	add(&s, 3, "main;b", 1, "/x/2", "/x/{n}");
	assert_int_equal(top_table_make(&t, &s, NULL, no_command, NULL),
	    BOB_OK);
	assert_int_equal(t.n, 3);
	assert_memory_equal(t.bytes + t.row[0].text, "main", 4);
	assert_memory_equal(t.bytes + t.row[1].text, "b ", 2);
	assert_int_equal(top_table_make(&t, &s, "^[ab]", no_command, NULL),
	    BOB_OK);
	assert_int_equal(t.n, 2);
	assert_int_equal(top_table_make(&t, &s, "(", no_command, NULL),
	    BOB_FAILED);
	t.by = TOP_BY_ROUTE;
	assert_int_equal(top_table_make(&t, &s, "{n}", no_command, NULL),
	    BOB_OK);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.row[0].w[TOP_SELF], 2);
	expect_row(&s, TOP_BY_ROUTE, "(no route)", 1, 1, 1, 1);
	top_table_done(&t);
	top_store_done(&s);
}

static void
folding_keeps_sums_and_the_window(void **state)
{
	struct top_store s;
	unsigned i, n_folds = 0;
	char uri[64];

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	add(&s, 1 * SECOND, "main;old", 7, NULL, NULL);
	for (i = 0; i < 120000; i++) {
		(void)snprintf(uri, sizeof(uri), "/item/%u", i);
		add(&s, 20 * SECOND + i, i % 3 == 0 ? "main;a" : "main;b;c",
		    1 + i % 2, uri, "/item/{n}");
		if (!top_store_is_full(&s))
			continue;
		assert_status(s.ctx, BOB_OK, top_store_fold(&s));
		assert_false(top_store_is_full(&s));
		assert_true(bob_dict_counts(s.dict).n_annot < 10);
		n_folds++;
	}
	assert_true(n_folds >= 2);
	top_store_slide(&s, 10 * SECOND);
	expect_row(&s, TOP_BY_FUNCTION, "old a.php", 0, 0, 1, 1);
	expect_row(&s, TOP_BY_FUNCTION, "a a.php", 40000, 40000, 40000,
	    40000);
	expect_row(&s, TOP_BY_FUNCTION, "c a.php", 80000, 80000, 80000,
	    80000);
	expect_row(&s, TOP_BY_FUNCTION, "main a.php", 0, 120000, 0, 120001);
	expect_row(&s, TOP_BY_ROUTE, "/item/{n}", 120000, 120000, 120000,
	    120000);
	expect_row(&s, TOP_BY_PID, "2  php", 60000, 60000, 60000, 60000);
	top_store_done(&s);
}

static uint64_t
own_time(struct top_store *s, const char *text)
{
	struct top_table t = { .by = TOP_BY_FUNCTION };
	uint64_t us;

	assert_int_equal(top_table_make(&t, s, NULL, no_command, NULL),
	    BOB_OK);
	assert_non_null(find(&t, text));
	us = find(&t, text)->self_us;
	top_table_done(&t);
	return us;
}

/* One is sampled late again and again: gaps of all sizes, on two tracks. */
static void
folding_keeps_times(void **state)
{
	static const uint64_t gaps[] = { 10000, 19000, 700, 25000, 10000 };
	struct top_store s;
	uint64_t t = 10000, a, b;
	unsigned i;

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	for (i = 0; i < 50; i++) {
		t += gaps[i % 5];
		add(&s, t, i % 3 == 0 ? "main;a" : "main;b;c", 1 + i % 2,
		    NULL, NULL);
	}
	a = own_time(&s, "a a.php");
	b = own_time(&s, "c a.php");
	assert_true(a % 10000 != 0 && b % 10000 != 0);
	for (i = 0; i < 2; i++) {
		assert_status(s.ctx, BOB_OK, top_store_fold(&s));
		assert_int_equal(own_time(&s, "a a.php"), a);
		assert_int_equal(own_time(&s, "c a.php"), b);
	}
	/* The next sample has one period, as the first of all. */
	add(&s, t + 12000, "main;a", 1, NULL, NULL);
	assert_int_equal(own_time(&s, "a a.php"), a + 10000);
	assert_int_equal(bob_profile_info(s.profile, 0).basis,
	    BOB_TIME_CLOCK);
	top_store_done(&s);
}

static void
ever_new_functions_begin_anew(void **state)
{
	struct top_store s;
	unsigned i, n_restarts = 0;
	char name[64];

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	for (i = 0; i < 700000; i++) {
		(void)snprintf(name, sizeof(name), "main;f%u", i);
		add(&s, i * (uint64_t)100, name, 1, NULL, NULL);
		if (i % 1000 == 0)
			top_store_slide(&s, SECOND);
		if (!top_store_is_full(&s))
			continue;
		assert_status(s.ctx, BOB_OK, top_store_fold(&s));
		assert_int_equal(s.t_since, s.t_us);
		n_restarts++;
	}
	assert_true(n_restarts >= 2);
	assert_true(bob_profile_info(s.profile, 0).n_samples < 400000);
	top_store_done(&s);
}

static void
add_status(struct top_store *s, uint64_t t_us, uint64_t tid, uint8_t status,
    const char *names)
{
	struct bob_track track = { .pid = 1, .tid = tid,
		.flags = BOB_TRACK_PID | BOB_TRACK_TID };
	struct bob_run run;

	memset(&run, 0, sizeof(run));
	run.count = 1;
	run.t_first = run.t_last = t_us;
	run.flags = BOB_RUN_TIMED | BOB_RUN_STATUS;
	run.status = status;
	run.stack = stack(s->dict, names);
	run.track = bob_track_put(s->dict, &track);
	assert_status(s->ctx, BOB_OK, top_store_add(s, t_us, &run, 1));
}

/* 100 periods: one thread works, one waits, one came half way. */
static void
threads_are_active_or_idle(void **state)
{
	struct top_table t = { .by = TOP_BY_THREAD };
	struct top_store s;
	unsigned i;

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	for (i = 1; i <= 100; i++) {
		add_status(&s, i * 10000, 10, 0, "main;pcntl_wait");
		add_status(&s, i * 10000, 11, BOB_STATUS_ON_CPU |
		    BOB_STATUS_HAS_GIL, "main;a");
		if (i > 50)
			add_status(&s, i * 10000, 12, 0, "main;b");
	}
	assert_int_equal(top_table_make(&t, &s, NULL, no_command, NULL),
	    BOB_OK);
	assert_int_equal(t.n_threads, 3);
	assert_true(t.has_gil);
	assert_true(t.active > 1.49 && t.active < 1.51);
	assert_true(t.idle > 0.99 && t.idle < 1.01);
	assert_true(t.gil > 0.99 && t.gil < 1.01);
	/* The one that worked most is first. */
	assert_memory_equal(t.bytes + t.row[0].text, "1/11", 4);
	assert_memory_equal(t.bytes + t.row[1].text, "1/12", 4);
	assert_int_equal(t.row[0].n_active, 100);
	assert_int_equal(t.row[0].n_gil, 100);
	assert_int_equal(t.row[2].n_idle, 100);
	/* Times are those between samples. */
	assert_int_equal(t.row[0].self_us, 1000000);
	/* Idle samples have no part in rows, unless they are shown. */
	assert_int_equal(t.n_window, 150);
	assert_int_equal(t.n_all, 150);
	assert_int_equal(t.n_set_aside, 100);
	assert_int_equal(t.row[2].w[TOP_SELF], 0);
	t.by = TOP_BY_FUNCTION;
	assert_int_equal(top_table_make(&t, &s, NULL, no_command, NULL),
	    BOB_OK);
	assert_null(find(&t, "pcntl_wait <internal>"));
	assert_int_equal(find(&t, "main a.php")->w[TOP_TOTAL], 150);
	assert_int_equal(t.n_all, 150);
	t.shows_idle = 1;
	assert_int_equal(top_table_make(&t, &s, NULL, no_command, NULL),
	    BOB_OK);
	assert_int_equal(find(&t, "pcntl_wait <internal>")->w[TOP_SELF], 100);
	assert_int_equal(t.n_window, 250);
	assert_int_equal(t.n_all, 250);
	top_table_done(&t);
	top_store_done(&s);
}

static void
clearing_keeps_the_window(void **state)
{
	struct top_store s;

	assert_int_equal(top_store_init(&s, *state, 10000), BOB_OK);
	add(&s, 1 * SECOND, "main;a", 1, "/x/1", "/x/{n}");
	assert_int_equal(top_store_clear(&s), BOB_OK);
	add(&s, 2 * SECOND, "main;a", 1, "/x/2", "/x/{n}");
	expect_row(&s, TOP_BY_FUNCTION, "a a.php", 2, 2, 1, 1);
	expect_row(&s, TOP_BY_ROUTE, "/x/{n}", 2, 2, 1, 1);
	assert_int_equal(s.t_since, 1 * SECOND);
	top_store_done(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(window_slides_and_sums_stay,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(orders_and_filters,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    folding_keeps_sums_and_the_window, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(folding_keeps_times,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    ever_new_functions_begin_anew, ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(threads_are_active_or_idle,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(clearing_keeps_the_window,
		    ctx_setup, ctx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
