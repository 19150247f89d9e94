/*
 * The steady rate: one wake-up per period for all processes.
 *
 * Moments are counted from the start, never from the last wake-up, so they do
 * not drift. Waking up costs several times what a sample does, hence all
 * processes are read in one go. When reading takes longer than a period, the
 * moments that have passed are skipped and counted as missed, for each process
 * that would have been read.
 *
 * A thread of its own does all that (hand.h). The one that has called watches
 * it: when it stays away with one process, that process is given up and another
 * thread goes on.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/capture.h>

#include "capture/hand.h"
#include "capture/handle.h"
#include "capture/proc/proc.h"
#include "capture/runtime.h"
#include "capture/thread.h"
#include "core/clock.h"
#include "core/mem.h"

#define TICK_NS ((uint64_t)100 * 1000 * 1000)
#define SECOND_NS ((uint64_t)1000 * 1000 * 1000)

/* Moments of a period to choose from, and steps in which all of them move on
 * until each is where the next one was. */
#define MOMENTS 4
#define DRIFT 512

/* A process of ten threads takes some 50. */
#define MIN_US 100

/* How often the thread that samples is looked at, and after how many looks at
 * one and the same call it is left behind: the others wait for 80 ms at most. A
 * page that comes from a disk takes some milliseconds. A machine that swaps may
 * take seconds, which matters only where others wait. */
#define WATCH_MS 20
#define WATCH_LOOKS 3
#define ALONE_LOOKS 500

struct bob_sampler {
	struct bob_ctx *ctx;
	struct bob_sampler_opts o;
	struct bob_sampler_events ev;
	struct bob_proc **proc;
	size_t n_proc, cap_proc;
	struct bob_capture_counts past; /* of processes that have ended */
	uint64_t missed;
	uint64_t n_samples;
	uint64_t t_start, t_period; /* of the clock, in ns */
	uint64_t drift;
	uint64_t t_tick;
	uint64_t seed;
	double share; /* of the time, that all of it may take */
	struct hand *hand;     /* that samples now */
	pthread_mutex_t lock;
	pthread_cond_t bell;   /* ends its sleep */
	int is_rung;
	atomic_int is_stopped;
	int done_fd;           /* tells that it has ended; -1: there is none */
	int result;
};

/* xorshift64*: good enough to be out of step with anything. */
static uint64_t
random_below(struct bob_sampler *s, uint64_t n)
{
	s->seed ^= s->seed >> 12;
	s->seed ^= s->seed << 25;
	s->seed ^= s->seed >> 27;
	return ((s->seed * 0x2545f4914f6cdd1dull) >> 32) * n >> 32;
}

static int
init_bell(struct bob_sampler *s)
{
	pthread_condattr_t attr;
	int r;

	if (pthread_condattr_init(&attr) != 0)
		return -1;
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	r = pthread_cond_init(&s->bell, &attr);
	(void)pthread_condattr_destroy(&attr);
	if (r != 0)
		return -1;
	if (pthread_mutex_init(&s->lock, NULL) == 0)
		return 0;
	(void)pthread_cond_destroy(&s->bell);
	return -1;
}

int
bob_sampler_new(struct bob_ctx *ctx, const struct bob_sampler_opts *opts,
    struct bob_sampler **ret)
{
	struct bob_sampler *s;

	if (opts == NULL || opts->size != sizeof(*opts) ||
	    opts->events == NULL || opts->events->runs == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_sampler_new: options are missing or of another "
		    "version");
	if (opts->period_ns > 3600 * SECOND_NS)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "a period of more than an hour");
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	s->ctx = ctx;
	s->o = *opts;
	s->ev = *opts->events;
	s->seed = clock_ns() | 1;
	s->share = 1;
	s->done_fd = -1;
	if (init_bell(s) < 0) {
		free(s);
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	*ret = s;
	return BOB_OK;
}

int
bob_sampler_add(struct bob_sampler *s, struct bob_proc *p)
{
	int r = MEM_GROW(s->ctx, s, proc, s->n_proc + 1);

	if (r == BOB_OK)
		s->proc[s->n_proc++] = p;
	return r;
}

void
bob_sampler_set_period(struct bob_sampler *s, uint64_t period_ns)
{
	s->o.period_ns = period_ns;
}

void
bob_sampler_set_share(struct bob_sampler *s, double share)
{
	s->share = share > 0 && share < 1 ? share : 1;
}

struct bob_proc *
bob_sampler_get(const struct bob_sampler *s, size_t i)
{
	return i < s->n_proc ? s->proc[i] : NULL;
}

static void
add_counts(struct bob_capture_counts *sum, const struct bob_proc *p)
{
	struct bob_capture_counts c;
	size_t i;

	bob_proc_counts(p, &c);
	sum->taken = count_add(sum->taken, c.taken);
	sum->idle = count_add(sum->idle, c.idle);
	sum->lost = count_add(sum->lost, c.lost);
	for (i = 0; i < BOB_N_LOST; i++)
		sum->lost_by[i] = count_add(sum->lost_by[i], c.lost_by[i]);
	sum->retried = count_add(sum->retried, c.retried);
	sum->repaired = count_add(sum->repaired, c.repaired);
	sum->cut = count_add(sum->cut, c.cut);
	sum->stops = count_add(sum->stops, c.stops);
	sum->stopped_ns = count_add(sum->stopped_ns, c.stopped_ns);
	sum->broken = count_add(sum->broken, c.broken);
	sum->unmerged = count_add(sum->unmerged, c.unmerged);
	sum->unread = count_add(sum->unread, c.unread);
}

void
bob_sampler_counts(const struct bob_sampler *s, struct bob_capture_counts *ret)
{
	size_t i;

	*ret = s->past;
	for (i = 0; i < s->n_proc; i++)
		add_counts(ret, s->proc[i]);
	ret->missed = s->missed;
}

static void
drop(struct bob_sampler *s, size_t i)
{
	struct bob_proc *p = s->proc[i];

	add_counts(&s->past, p);
	s->proc[i] = s->proc[--s->n_proc];
	if (s->ev.gone != NULL)
		s->ev.gone(s->ev.user, p);
	if (!bob_proc_is_silent(p))
		bob_detach(p);
}

/* Never what an event returns: those values are the caller's. */
#define DROPPED (-1000000)

/* One sample of one process. BOB_OK, DROPPED when it has ended, or what ends
 * the run. */
static int
sample_one(struct bob_sampler *s, size_t i)
{
	const struct bob_run *runs;
	uint64_t t = clock_ns();
	size_t n;
	int r;

	if (s->hand != NULL) {
		s->hand->proc = s->proc[i];
		atomic_store_explicit(&s->hand->is_alone, s->n_proc < 2 &&
		    (s->o.flags & BOB_SAMPLER_PATIENT) != 0,
		    memory_order_relaxed);
	}
	r = bob_sample(s->proc[i], (t - s->t_start) / 1000, &runs, &n);
	if (s->hand != NULL)
		s->hand->proc = NULL;
	if (r == BOB_EOF) {
		drop(s, i);
		return DROPPED;
	}
	if (r < 0 && handle_ctx(s->proc[i]) != s->ctx)
		err_copy(s->ctx, handle_ctx(s->proc[i]));
	if (r != BOB_AGAIN && n > 0) {
		s->n_samples = count_add(s->n_samples, n);
		r = s->ev.runs(s->ev.user, s->proc[i], runs, n);
	} else if (r > 0) {
		r = BOB_OK;
	}
	proc_took(s->proc[i], t);
	return r;
}

/* What one sample of a process may take, in microseconds: all the time there is
 * in a period. One that takes more, as one that makes up threads
 * without an end, is read less often, and the others are not. Never fewer than
 * a small process takes. */
static uint64_t
time_of_each(const struct bob_sampler *s)
{
	double us = (double)s->o.period_ns / 1000 * s->share;

	if (s->n_proc < 2 || s->o.period_ns == 0)
		return UINT64_MAX;
	return us > MIN_US ? (uint64_t)us : MIN_US;
}

static int
sample_all(struct bob_sampler *s)
{
	uint64_t us = time_of_each(s);
	size_t i = 0;
	int r;

	while (i < s->n_proc) {
		r = proc_must_wait(s->proc[i], us) ? BOB_OK
		                                   : sample_one(s, i);
		if (r == BOB_OK)
			i++;
		else if (r != DROPPED)
			return r;
	}
	return BOB_OK;
}

/*
 * When to read within a period: at one of few moments, by chance, which move
 * on slowly. Any moment would do as well against keeping step, but times
 * between samples would have nothing in common then, and most of what is
 * stored of a process that rests is such times.
 */
static uint64_t
moment_of(struct bob_sampler *s, uint64_t period)
{
	uint64_t step = period / MOMENTS;

	if (step == 0)
		return 0;
	s->drift = (s->drift + step / DRIFT + 1) % step;
	return random_below(s, MOMENTS) * step + s->drift;
}

/* The next moment, in ns of the clock. */
static uint64_t
next_moment(struct bob_sampler *s)
{
	uint64_t period = s->o.period_ns, t = clock_ns(), late;

	if (period == 0)
		return t;
	s->t_period += period;
	if (s->t_period + period <= t) {
		late = (t - s->t_period) / period;
		s->missed = count_add(s->missed,
		    count_mul(late, s->n_proc));
		s->t_period += late * period;
	}
	return s->t_period + moment_of(s, period);
}

/* The caller's word is his: a handler of a signal writes it in his thread, so
 * only that thread reads it. */
static int
look_at_stop(struct bob_sampler *s)
{
	if (s->o.stop != NULL && *s->o.stop)
		atomic_store(&s->is_stopped, 1);
	return atomic_load(&s->is_stopped);
}

static int
is_stopped(struct bob_sampler *s)
{
	return s->hand == NULL ? look_at_stop(s)
	                       : atomic_load(&s->is_stopped);
}

/* Until then, or until somebody rings. */
static void
wait_until(struct bob_sampler *s, uint64_t t)
{
	struct timespec at = { (time_t)(t / SECOND_NS),
		(long)(t % SECOND_NS) };

	(void)pthread_mutex_lock(&s->lock);
	while (!s->is_rung && pthread_cond_timedwait(&s->bell, &s->lock,
	        &at) == 0)
		;
	s->is_rung = 0;
	(void)pthread_mutex_unlock(&s->lock);
}

static void
ring(struct bob_sampler *s)
{
	(void)pthread_mutex_lock(&s->lock);
	s->is_rung = 1;
	(void)pthread_cond_signal(&s->bell);
	(void)pthread_mutex_unlock(&s->lock);
}

static int
tick(struct bob_sampler *s, uint64_t t)
{
	s->t_tick = t + TICK_NS;
	if (s->ev.tick == NULL)
		return BOB_OK;
	return s->ev.tick(s->ev.user, (t - s->t_start) / 1000);
}

/* Waits for the moment `t`, with ticks on the way. */
static int
wait_with_ticks(struct bob_sampler *s, uint64_t t)
{
	int r = BOB_OK;

	while (r == BOB_OK && !is_stopped(s)) {
		uint64_t now = clock_ns();

		if (now >= s->t_tick)
			r = tick(s, now);
		if (now >= t)
			break;
		wait_until(s, t < s->t_tick ? t : s->t_tick);
	}
	return r;
}

static int
is_over(struct bob_sampler *s)
{
	if (is_stopped(s))
		return 1;
	if (s->n_proc == 0 && (s->o.flags & BOB_SAMPLER_STAY) == 0)
		return 1;
	if (s->o.max_samples != 0 && s->n_samples >= s->o.max_samples)
		return 1;
	return s->o.duration_us != 0 &&
	    clock_ns() - s->t_start >= s->o.duration_us * 1000;
}

static int
run(struct bob_sampler *s)
{
	uint64_t t, t_end = UINT64_MAX;
	int r = BOB_OK;

	if (s->o.duration_us != 0)
		t_end = s->t_start + s->o.duration_us * 1000;
	while (r == BOB_OK && !is_over(s)) {
		t = next_moment(s);
		r = wait_with_ticks(s, t < t_end ? t : t_end);
		if (r == BOB_OK && !is_over(s))
			r = sample_all(s);
	}
	return r;
}

/* By default the kernel may wake us 50 us late; a thread's own setting. */
static int
run_precisely(struct bob_sampler *s)
{
	int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), r;

	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	r = run(s);
	if (slack > 0)
		(void)prctl(PR_SET_TIMERSLACK, (unsigned long)slack, 0, 0, 0);
	return r;
}

/* --- the thread that samples ---------------------------------------------- */

/* It was left behind, and has come back: the sampler is not its own any more,
 * and may not even be there. */
static void
end_alone(struct hand *h)
{
	const struct timespec nap = { 0, 1000 * 1000 };

	while (!atomic_load(&h->may_free))
		(void)nanosleep(&nap, NULL);
	hand_current = NULL;
	bob_detach(h->proc);
	free(h);
}

static void
work(void *user)
{
	struct hand *h = user;
	struct bob_sampler *s = h->sampler;
	const uint64_t one = 1;
	sigset_t child;

	/* A stop that is waited for is told by this signal, see pause.c. */
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)pthread_sigmask(SIG_UNBLOCK, &child, NULL);
	h->tid = (int)syscall(SYS_gettid);
	hand_current = h;
	if (setjmp(h->out) != 0) {
		end_alone(h);
		return;
	}
	s->result = run_precisely(s);
	hand_current = NULL;
	while (write(s->done_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static int
start_hand(struct bob_sampler *s)
{
	s->hand = calloc(1, sizeof(*s->hand));
	if (s->hand == NULL)
		return -ENOMEM;
	s->hand->sampler = s;
	if (thread_start(work, s->hand, 0) == 0)
		return 0;
	free(s->hand);
	s->hand = NULL;
	return -EAGAIN;
}

/* The process that it is at goes with it. Who comes next finds everything as it
 * was between two samples. */
static void
leave_behind(struct bob_sampler *s)
{
	struct hand *h = s->hand;
	size_t i;

	s->hand = NULL;
	handle_set_silent(h->proc);
	for (i = 0; i < s->n_proc; i++)
		if (s->proc[i] == h->proc) {
			drop(s, i);
			break;
		}
	atomic_store(&h->may_free, 1);
}

struct watch {
	uint64_t n_away;
	int n_looks;
};

/* On a busy machine a thread may only wait for a processor. */
static int
is_runnable(const struct hand *h)
{
	struct proc_stat st;

	return proc_stat((int)getpid(), h->tid, &st) == 0 && st.state == 'R';
}

/* True when it was away with one call for too long, and is left behind. */
static int
is_stuck(struct bob_sampler *s, struct watch *w)
{
	struct hand *h = s->hand;
	uint64_t n = atomic_load(&h->n_away);
	int away = HAND_AWAY, most;

	if (atomic_load(&h->state) != HAND_AWAY || n != w->n_away) {
		w->n_away = n;
		w->n_looks = 0;
		return 0;
	}
	most = atomic_load(&h->is_alone) && !is_stopped(s) ? ALONE_LOOKS
	                                                   : WATCH_LOOKS;
	return ++w->n_looks > most && !is_runnable(h) &&
	    atomic_compare_exchange_strong(&h->state, &away, HAND_LEFT);
}

/* Until the thread has ended, with as many threads as it takes. */
static int
watch(struct bob_sampler *s)
{
	struct pollfd fd = { .fd = s->done_fd, .events = POLLIN };
	struct watch w = { 0, 0 };
	uint64_t n;

	/* A signal for us ends the waiting. */
	while (poll(&fd, 1, WATCH_MS) <= 0) {
		if (look_at_stop(s))
			ring(s);
		if (!is_stuck(s, &w))
			continue;
		leave_behind(s);
		if (start_hand(s) < 0)
			return run_precisely(s);
	}
	/* From here on all that it did is seen. */
	while (read(s->done_fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	free(s->hand);
	s->hand = NULL;
	return s->result;
}

int
bob_sampler_run(struct bob_sampler *s)
{
	sigset_t child, before;
	int r, r2;

	atomic_store(&s->is_stopped, 0);
	s->t_start = s->t_period = clock_ns();
	if (s->t_period >= s->o.period_ns)
		s->t_period -= s->o.period_ns;
	s->t_tick = s->t_start + TICK_NS;
	s->done_fd = eventfd(0, EFD_CLOEXEC);
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)pthread_sigmask(SIG_BLOCK, &child, &before);
	r = s->done_fd >= 0 && start_hand(s) == 0 ? watch(s)
	                                          : run_precisely(s);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (s->done_fd >= 0)
		(void)close(s->done_fd);
	s->done_fd = -1;
	r2 = tick(s, clock_ns());
	return r != BOB_OK ? r : r2;
}

void
bob_sampler_free(struct bob_sampler *s)
{
	if (s == NULL)
		return;
	while (s->n_proc > 0)
		bob_detach(s->proc[--s->n_proc]);
	(void)pthread_cond_destroy(&s->bell);
	(void)pthread_mutex_destroy(&s->lock);
	free(s->proc);
	free(s);
}
