/* Work on files in threads: done, given up, refused; and modules by it. */
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/hand.h"
#include "capture/load.h"
#include "capture/native/modules/space.h"
#include "core/clock.h"

/* Work that answers when somebody writes to its descriptor. */
struct slow {
	struct load load;
	int fd;
	atomic_int *n_freed;
	int policy; /* that it ran with */
};

static void
wait_for_answer(struct load *l)
{
	struct slow *s = (struct slow *)l;
	uint64_t n;

	s->policy = sched_getscheduler(0);
	if (read(s->fd, &n, sizeof(n)) == sizeof(n))
		(void)atomic_fetch_add(&l->n_steps, 1);
}

static void
free_slow(struct load *l)
{
	struct slow *s = (struct slow *)l;
	atomic_int *n = s->n_freed;

	(void)close(s->fd);
	free(s);
	(void)atomic_fetch_add(n, 1);
}

static struct slow *
slow_new(atomic_int *n_freed)
{
	struct slow *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->fd = eventfd(0, EFD_CLOEXEC);
	assert_true(s->fd >= 0);
	s->load.run = wait_for_answer;
	s->load.free = free_slow;
	s->n_freed = n_freed;
	return s;
}

static void
answer(int fd)
{
	const uint64_t one = 1;

	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
}

static void
nap(void)
{
	const struct timespec t = { 0, 1000000 };

	(void)nanosleep(&t, NULL);
}

static void
work_that_is_done_is_the_callers(void **state)
{
	atomic_int n = 0;
	struct slow *s = slow_new(&n);

	(void)state;
	assert_int_equal(load_begin(&s->load, 0), 0);
	answer(s->fd);
	assert_true(load_may_wait());
	while (!load_is_done(&s->load))
		assert_true(load_wait(&s->load, 1, UINT64_MAX));
	assert_int_equal(s->policy, SCHED_OTHER);
	assert_int_equal(n, 0);
	load_drop(&s->load);
	assert_int_equal(n, 1);
}

/* It is silent when it has not run and not made a step for long. */
static void
work_that_is_given_up_frees_itself(void **state)
{
	atomic_int n = 0;
	struct slow *s = slow_new(&n);
	int fd = dup(s->fd);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(load_begin(&s->load, LOAD_MAX_SILENT - 1), 0);
	assert_false(load_is_silent(&s->load));
	s->load.t_seen = clock_ns() - LOAD_SILENT_NS;
	while (!load_is_silent(&s->load))
		nap();
	assert_false(load_wait(&s->load, 0, UINT64_MAX));
	load_drop(&s->load);
	assert_int_equal(n, 0);
	answer(fd);
	(void)close(fd);
	while (atomic_load(&n) == 0)
		nap();
}

static void
a_step_is_an_answer(void **state)
{
	atomic_int n = 0;
	struct slow *s = slow_new(&n);

	(void)state;
	assert_int_equal(load_begin(&s->load, 0), 0);
	while (atomic_load(&s->load.tid) == 0)
		nap();
	s->load.t_seen = clock_ns() - LOAD_SILENT_NS;
	(void)atomic_fetch_add(&s->load.n_steps, 1);
	assert_false(load_is_silent(&s->load));
	answer(s->fd);
	while (!load_is_done(&s->load))
		nap();
	load_drop(&s->load);
}

static void
a_process_with_silent_files_gets_no_more_threads(void **state)
{
	atomic_int n = 0;
	struct slow *s = slow_new(&n);

	(void)state;
	assert_int_equal(load_begin(&s->load, LOAD_MAX_SILENT), -EBUSY);
	assert_string_equal(load_why(-EBUSY),
	    "too many files of this process do not answer");
	free_slow(&s->load);
}

static void
all_threads_together_are_limited(void **state)
{
	struct slow *v[LOAD_MAX_THREADS];
	atomic_int n = 0;
	size_t i, k;
	int r = 0;

	(void)state;
	for (i = 0; i < LOAD_MAX_THREADS; i++) {
		v[i] = slow_new(&n);
		r = load_begin(&v[i]->load, 0);
		if (r != 0)
			break;
	}
	assert_int_equal(r, -EAGAIN);
	free_slow(&v[i]->load);
	for (k = 0; k < i; k++) {
		answer(v[k]->fd);
		load_drop(&v[k]->load);
	}
	while (atomic_load(&n) < (int)i + 1)
		nap();
}

/* --- modules ------------------------------------------------------------- */

struct rig {
	struct bob_ctx *ctx;
	struct elfutils eu;
	struct quota quota;
	struct space space;
	unsigned n_silent;
};

static void
rig_init(struct rig *g)
{
	g->ctx = bob_ctx_new();
	assert_non_null(g->ctx);
	assert_int_equal(elfutils_open(g->ctx, &g->eu), BOB_OK);
	quota_process(&g->quota);
	g->n_silent = 0;
	space_init(&g->space, g->ctx, &g->eu, NULL, (int)getpid());
	g->space.quota = &g->quota;
	g->space.n_silent = &g->n_silent;
	assert_int_equal(space_look(&g->space, 1, 0), 0);
}

static void
rig_done(struct rig *g)
{
	space_done(&g->space);
	elfutils_close(&g->eu);
	bob_ctx_free(g->ctx);
}

static struct module *
ask(struct rig *g, uint64_t *at)
{
	uint64_t here = (uint64_t)(uintptr_t)ask;
	struct space_area *a = space_find(&g->space, here);
	int failed = 0;
	struct module *m;

	assert_non_null(a);
	g->space.is_loading = 0;
	m = space_module(&g->space, a, here, at, &failed);
	assert_int_equal(failed, 0);
	return m;
}

static void
modules_are_asked_for_and_come_later(void **state)
{
	const struct symbol *s;
	struct module *m;
	struct rig g;
	uint64_t at;

	(void)state;
	rig_init(&g);
	assert_null(ask(&g, &at));
	assert_true(g.space.is_loading);
	/* Asked twice, read once; also over a new list of mappings. */
	assert_null(ask(&g, &at));
	assert_int_equal(g.space.n_asked, 1);
	space_poll(&g.space);
	assert_non_null(g.space.loading);
	assert_int_equal(space_look(&g.space, 1, 0), 0);
	while ((m = ask(&g, &at)) == NULL) {
		assert_true(g.space.is_loading);
		assert_true(space_wait(&g.space, UINT64_MAX));
		assert_int_equal(space_look(&g.space, UINT64_MAX / 2, 1), 0);
	}
	assert_int_equal(g.space.n_asked, 0);
	s = symbols_find(&m->symbols, at);
	assert_non_null(s);
	assert_string_equal(s->name, "ask");
	assert_true(g.quota.bytes < QUOTA_PROCESS_BYTES);
	assert_true(g.quota.kept < QUOTA_PROCESS_KEPT);
	rig_done(&g);
}

static void
modules_are_dropped_while_they_are_read(void **state)
{
	struct rig g;
	uint64_t at;
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		rig_init(&g);
		assert_null(ask(&g, &at));
		space_poll(&g.space);
		rig_done(&g);
	}
}

static void
a_module_that_gets_no_thread_says_why(void **state)
{
	struct module *m;
	struct rig g;
	uint64_t at;

	(void)state;
	rig_init(&g);
	g.n_silent = LOAD_MAX_SILENT;
	assert_null(ask(&g, &at));
	space_poll(&g.space);
	m = ask(&g, &at);
	assert_non_null(m);
	assert_string_equal(m->why, load_why(-EBUSY));
	assert_int_equal(g.space.n_asked, 0);
	rig_done(&g);
}

/* load_wait() asks so between hand_away() and hand_back(). */
static void
asking_for_a_thread_of_ours_is_no_call_that_may_block(void **state)
{
	struct hand h = { .proc = (struct bob_proc *)&h };

	(void)state;
	hand_current = &h;
	hand_away();
	assert_true(thread_is_runnable((int)syscall(SYS_gettid)));
	assert_false(thread_is_runnable(-1));
	assert_int_equal(atomic_load(&h.state), HAND_AWAY);
	assert_false(hand_is_left());
	hand_current = NULL;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_that_is_done_is_the_callers),
		cmocka_unit_test(work_that_is_given_up_frees_itself),
		cmocka_unit_test(a_step_is_an_answer),
		cmocka_unit_test(
		    a_process_with_silent_files_gets_no_more_threads),
		cmocka_unit_test(all_threads_together_are_limited),
		cmocka_unit_test(
		    asking_for_a_thread_of_ours_is_no_call_that_may_block),
		cmocka_unit_test(modules_are_asked_for_and_come_later),
		cmocka_unit_test(modules_are_dropped_while_they_are_read),
		cmocka_unit_test(a_module_that_gets_no_thread_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
