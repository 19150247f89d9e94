/* Idle: which stacks wait for work, and what the status changes. */
#include "support.h"

#include <stdlib.h>

#include "model/idle.h"

#define LIB "/usr/lib/python3.11/"
#define T LIB "threading.py"
#define THREAD "py|Thread._bootstrap|" T ";py|Thread._bootstrap_inner|" T     \
	";py|Thread.run|" T ";"

static bob_str
str(struct bob_dict *d, const char *s, size_t n)
{
	return bob_str_put(d, s, n);
}

/* "lang|name|file", the language by its first letter. */
static bob_fid
frame_of(struct bob_dict *d, const char *s, size_t n)
{
	const char *name = memchr(s, '|', n), *file;
	struct bob_frame f = { .lang = s[0] == 'n' ? BOB_LANG_NATIVE
	    : s[1] == 'h' ? BOB_LANG_PHP : BOB_LANG_PYTHON };

	assert_non_null(name);
	name++;
	file = memchr(name, '|', n - (size_t)(name - s));
	assert_non_null(file);
	f.file = str(d, file + 1, n - (size_t)(file + 1 - s));
	if (f.lang == BOB_LANG_PHP)
		assert_int_equal(bob_frame_set_php_name(d, &f, name,
		    (size_t)(file - name)), BOB_OK);
	else
		f.name = str(d, name, (size_t)(file - name));
	return bob_frame_put(d, &f);
}

/* Frames from the outermost to the innermost, with ";" between them. */
static bob_stack
stack_of(struct bob_dict *d, const char *s)
{
	bob_stack stack = 0;
	size_t n;

	for (; *s != '\0'; s += n + (s[n] == ';')) {
		n = strcspn(s, ";");
		stack = bob_stack_push(d, stack, frame_of(d, s, n));
	}
	return stack;
}

static int
is_idle(struct own_dict *x, const char *text, uint8_t status, uint8_t flags)
{
	struct idle idle;
	int r;

	idle_init(&idle, x->ctx, x->d);
	r = idle_of(&idle, stack_of(x->d, text), status, flags);
	idle_done(&idle);
	return r;
}

static void
known_functions_wait_for_work(void **state)
{
	static const char *const text[] = {
		THREAD "py|_worker|" LIB "concurrent/futures/thread.py",
		THREAD "py|worker|/app/w.py;py|Queue.get|" LIB "queue.py;"
		"py|Condition.wait|" T,
		/* Names without classes: before Python 3.11. */
		THREAD "py|run|/app/w.py;py|loop|/app/w.py;py|get|" LIB
		"queue.py;py|wait|" T,
		THREAD "py|serve|/app/w.py;py|socket.accept|" LIB "socket.py",
		"py|Arbiter.wait_for_signals|/v/gunicorn/arbiter.py",
		"py|ThreadWorker.wait_for_and_dispatch_events|"
		"/v/gunicorn/workers/gthread.py;py|EpollSelector.select|" LIB
		"selectors.py",
		"py|Worker._make_protected_receive.<locals>.receive|"
		"/v/billiard/pool.py;py|Connection._recv|"
		"/v/billiard/connection.py",
		/* In these both wait for work and for answers: by class. */
		"py|PubSub.parse_response|/v/redis/client.py;"
		"py|SocketBuffer._read_from_socket|/v/redis/_parsers/socket.py",
		THREAD "py|Event.wait|" T ";py|Condition.wait|" T,
		"py|<module>|/app/w.py;py|Thread.join|" T
		";py|Thread._wait_for_tstate_lock|" T,
		"py|<module>|/app/w.py;py|BaseEventLoop._run_once|" LIB
		"asyncio/base_events.py;py|EpollSelector.select|" LIB
		"selectors.py",
		/* Native frames around do not matter. */
		"na|start_thread|libc.so;" THREAD "py|_worker|" LIB
		"concurrent/futures/thread.py;na|futex_wait|libc.so",
		"py|main|/app/w.py;py|Worker.dequeue_job_and_maintain_ttl|"
		"/site/rq/worker.py;py|read|/site/redis/connection.py",
		"ph|<main>|/app/w.php;ph|pcntl_wait|<internal>",
		"ph|<main>|/app/w.php;ph|Illuminate\\Queue\\Worker::sleep|"
		"/v/Worker.php;ph|usleep|<internal>",
		"na|main|fpm;na|fcgi_accept_request|fpm;na|accept|libc.so;"
		"na|__libc_enable|libc.so",
		"na|main|server;na|epoll_wait|libc.so",
	};
	size_t i;

	for (i = 0; i < COUNT_OF(text); i++)
		if (is_idle(*state, text[i], 0, 0) != 1)
			fail_msg("not idle: %s", text[i]);
}

static void
answers_and_work_are_kept(void **state)
{
	static const char *const text[] = {
		"py|Redis.parse_response|/v/redis/client.py;"
		"py|SocketBuffer._read_from_socket|/v/redis/_parsers/socket.py",
		"",
		"py|<module>|/app/w.py",
		/* A task of a pool, a result, a lock, a query, sleep. */
		THREAD "py|_worker|" LIB "concurrent/futures/thread.py;"
		"py|_WorkItem.run|" LIB "concurrent/futures/thread.py",
		"py|<module>|/app/w.py;py|Future.result|" LIB
		"concurrent/futures/_base.py;py|Condition.wait|" T,
		THREAD "py|f|/app/w.py;py|Future.result|" LIB
		"concurrent/futures/_base.py;py|Condition.wait|" T,
		THREAD "py|f|/app/w.py;py|Semaphore.acquire|" T
		";py|Condition.wait|" T,
		/* Deep inside a request. */
		THREAD "py|a|/app/w.py;py|b|/app/w.py;py|c|/app/w.py;"
		"py|Queue.get|" LIB "queue.py;py|Condition.wait|" T,
		/* The same names elsewhere. */
		THREAD "py|_worker|/app/concurrent/futures/thread.py",
		THREAD "py|_workers|" LIB "concurrent/futures/thread.py",
		"py|<module>|/app/w.py;py|join|/app/threading.py",
		/* Work inside the loop. */
		"py|BaseEventLoop._run_once|" LIB "asyncio/base_events.py",
		"py|BaseEventLoop._run_once|" LIB "asyncio/base_events.py;"
		"py|Handle._run|" LIB "asyncio/events.py",
		"ph|<main>|/app/w.php;ph|sleep|<internal>",
		"ph|<main>|/app/w.php;ph|PDO::query|<internal>",
		"ph|<main>|/app/w.php;ph|curl_exec|<internal>",
		"ph|<main>|/app/w.php;ph|App\\pcntl_wait|/app/w.php",
		/* A system call below the program's own code. */
		"ph|<main>|/app/w.php;na|epoll_wait|libc.so",
		"na|main|server;na|epoll_wait|libc.so;na|handler|server",
	};
	size_t i;

	for (i = 0; i < COUNT_OF(text); i++)
		if (is_idle(*state, text[i], 0, 0) != 0)
			fail_msg("idle: %s", text[i]);
}

static void
a_thread_that_runs_is_not_idle(void **state)
{
	static const char *const waits = THREAD "py|_worker|" LIB
	    "concurrent/futures/thread.py";
	static const char *const works = THREAD "py|f|/app/w.py";
	const uint8_t is = BOB_RUN_STATUS;

	assert_int_equal(is_idle(*state, waits, 0, is), 1);
	assert_int_equal(is_idle(*state, waits, BOB_STATUS_UNKNOWN, is), 1);
	assert_int_equal(is_idle(*state, waits, BOB_STATUS_ON_CPU, is), 0);
	assert_int_equal(is_idle(*state, waits, BOB_STATUS_HAS_GIL, is), 0);
	assert_int_equal(is_idle(*state, waits, BOB_STATUS_WANTS_GIL, is), 1);
	assert_int_equal(is_idle(*state, waits, BOB_STATUS_ON_CPU, 0), 1);
	/* Off a CPU alone says nothing: it may wait for an answer. */
	assert_int_equal(is_idle(*state, works, 0, is), 0);
}

/* A stack of a million frames, each of them sampled, takes no longer than its
 * frames. */
static void
deep_stacks_are_decided_once(void **state)
{
	struct own_dict *x = *state;
	bob_fid frame = frame_of(x->d, "py|f|/app/w.py", 14);
	struct idle idle;
	bob_stack s = 0;
	size_t i;

	idle_init(&idle, x->ctx, x->d);
	for (i = 0; i < 200000; i++) {
		s = bob_stack_push(x->d, s, frame);
		assert_int_equal(idle_of(&idle, s, 0, 0), 0);
	}
	idle_done(&idle);
	idle_init(&idle, x->ctx, x->d);
	assert_int_equal(idle_of(&idle, s, 0, 0), 0);
	idle_done(&idle);
}

static void
filters_hide_or_keep_idle_samples(void **state)
{
	static const int mode[] = { BOB_IDLE_KEEP, BOB_IDLE_HIDE,
		BOB_IDLE_ONLY };
	static const uint64_t kept[] = { 5, 2, 3 };
	static const uint64_t shown_us[] = { 50000, 20000, 30000 };
	struct own_dict *x = *state;
	size_t i;

	for (i = 0; i < 3; i++) {
		struct bob_filter f = { .size = sizeof(f), .idle = mode[i] };
		struct bob_profile_opts o = { .size = sizeof(o),
			.filter = &f };
		struct bob_times t = { .size = sizeof(t) };
		struct bob_segment segment = { .period_us = 10000 };
		struct bob_run run[2] = { { .count = 3 }, { .count = 2 } };
		struct bob_event ev = { .kind = BOB_EVENT_SEGMENT,
			.segment = &segment };
		struct bob_profile *p;
		struct bob_dict *d;

		assert_status(x->ctx, BOB_OK, bob_profile_new(x->ctx, &o,
		    &p));
		d = bob_profile_dict(p);
		run[0].stack = stack_of(d, THREAD "py|_worker|" LIB
		    "concurrent/futures/thread.py");
		run[1].stack = stack_of(d, THREAD "py|f|/app/w.py");
		assert_status(x->ctx, BOB_OK, bob_profile_feed(p, 0, &ev));
		ev = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = run,
			.n_runs = 2 };
		assert_status(x->ctx, BOB_OK, bob_profile_feed(p, 0, &ev));
		assert_int_equal(bob_profile_info(p, 0).n_samples, kept[i]);
		assert_status(x->ctx, BOB_OK, bob_profile_times(p, 0, NULL,
		    &t));
		assert_int_equal(t.share_us, shown_us[i]);
		if (mode[i] != BOB_IDLE_ONLY) {
			assert_int_equal(t.thread_us, 50000);
			assert_int_equal(t.idle_us, 30000);
			assert_int_equal(t.idle_rule, BOB_IDLE_BY_FUNCTIONS);
		}
		bob_profile_free(p);
	}
}

/* The same figures whether the profile or a view hides idle samples. */
static void
views_hide_as_profiles_do(void **state)
{
	struct own_dict *x = *state;
	struct bob_filter f = { .size = sizeof(f), .idle = BOB_IDLE_HIDE };
	struct bob_view_opts vo = { .size = sizeof(vo), .filter = &f };
	struct bob_times t = { .size = sizeof(t) };
	struct bob_segment segment = { .period_us = 10000 };
	struct bob_run run[2] = { { .count = 3 }, { .count = 2 } };
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT,
		.segment = &segment };
	struct bob_profile *p;
	struct bob_view *v;
	struct bob_dict *d;

	assert_status(x->ctx, BOB_OK, bob_profile_new(x->ctx, NULL, &p));
	d = bob_profile_dict(p);
	run[0].stack = stack_of(d, THREAD "py|_worker|" LIB
	    "concurrent/futures/thread.py");
	run[1].stack = stack_of(d, THREAD "py|f|/app/w.py");
	assert_status(x->ctx, BOB_OK, bob_profile_feed(p, 0, &ev));
	ev = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = run,
		.n_runs = 2 };
	assert_status(x->ctx, BOB_OK, bob_profile_feed(p, 0, &ev));
	assert_status(x->ctx, BOB_OK, bob_view_new(p, &vo, &v));
	assert_int_equal(bob_view_total(v).samples, 2);
	bob_view_free(v);
	assert_status(x->ctx, BOB_OK, bob_profile_times(p, 0, &f, &t));
	assert_int_equal(t.share_us, 20000);
	assert_int_equal(t.idle_us, 30000);
	assert_int_equal(t.is_idle_hidden, 1);
	assert_status(x->ctx, BOB_OK, bob_profile_times(p, 0, NULL, &t));
	assert_int_equal(t.share_us, 50000);
	assert_int_equal(t.is_idle_hidden, 0);
	bob_profile_free(p);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, own_dict_setup, own_dict_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(known_functions_wait_for_work),
		TEST(answers_and_work_are_kept),
		TEST(a_thread_that_runs_is_not_idle),
		TEST(deep_stacks_are_decided_once),
		TEST(filters_hide_or_keep_idle_samples),
		TEST(views_hide_as_profiles_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
