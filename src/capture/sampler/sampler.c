/*
 * The caller's side of a sampler: making it, its processes, its events, and the
 * supervision of the sampling thread.
 *
 * That thread (beat.c) may block in a process that does not answer (hand.h).
 * Then the process is given up, and a new thread goes on with the others.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/attach/handle.h"
#include "capture/proc/proc.h"
#include "capture/sampler/counts.h"
#include "capture/sampler/sampler.h"
#include "capture/thread.h"
#include "capture/watch/watch.h"
#include "core/clock.h"
#include "core/mem.h"

#define TICK_NS ((uint64_t)100 * 1000 * 1000)

/* Every WATCH_MS the batch is taken and the sampling thread is checked. If it
 * is in the same call for more than WATCH_LOOKS checks it is left behind, so
 * that other processes wait for 80 ms at most. A page from a disk takes some
 * milliseconds. On a machine that swaps it may take seconds: if no other
 * process waits, ALONE_LOOKS applies. */
#define WATCH_MS 20
#define WATCH_LOOKS 3
#define ALONE_LOOKS 500

/* --- making one ----------------------------------------------------------- */

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

/* Makes what the sampling thread uses. Returns 0, or -1 without memory. */
static int
init_beat(struct bob_sampler *s)
{
	s->beat_ctx = ctx_new_worker(s->ctx);
	s->dict = s->beat_ctx != NULL ? bob_dict_new(s->beat_ctx) : NULL;
	s->from = s->dict;
	s->seed = clock_ns() | 1;
	s->period_ns = s->o.period_ns;
	s->share = 1;
	return s->dict != NULL && init_bell(s) == 0 ? 0 : -1;
}

static void
free_memory(struct bob_sampler *s)
{
	bob_dict_free(s->dict);
	bob_ctx_free(s->beat_ctx);
	free(s->batch.bytes);
	free(s->given.bytes);
	free(s->member);
	free(s->sampled);
	free(s);
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
	s->done_fd = -1;
	if (init_beat(s) < 0) {
		free_memory(s);
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	*ret = s;
	return BOB_OK;
}

/* --- the gate ------------------------------------------------------------- */

static int
is_asked_to_stop(struct bob_sampler *s)
{
	if (s->o.stop != NULL && *s->o.stop)
		atomic_store(&s->is_stopped, 1);
	return atomic_load(&s->is_stopped);
}

/* o.stop is written by a signal handler in the caller's thread, so only that
 * thread reads it. */
int
sampler_is_stopped(struct bob_sampler *s)
{
	return s->hand == NULL ? is_asked_to_stop(s)
	                       : atomic_load(&s->is_stopped);
}

/* True if the sampling thread was in one call for too long, and is left behind
 * now. */
static int
is_stuck(struct bob_sampler *s)
{
	struct hand *h = s->hand;
	uint64_t n = atomic_load(&h->n_away);
	int away = HAND_AWAY, most;

	if (atomic_load(&h->state) != HAND_AWAY || n != s->watch.n_away) {
		s->watch.n_away = n;
		s->watch.n_looks = 0;
		return 0;
	}
	most = atomic_load(&h->is_alone) && !is_asked_to_stop(s)
	    ? ALONE_LOOKS : WATCH_LOOKS;
	return ++s->watch.n_looks > most && !thread_is_runnable(h->tid) &&
	    atomic_compare_exchange_strong(&h->state, &away, HAND_LEFT);
}

static int start_hand(struct bob_sampler *s);

/* Gives up the sampling thread and its process, and starts a new thread. All
 * other data is as between two samples. */
static void
leave_behind(struct bob_sampler *s)
{
	struct hand *h = s->hand;
	size_t i;

	s->hand = NULL;
	handle_set_silent(h->proc);
	for (i = 0; i < s->n_sampled; i++)
		if (s->sampled[i]->proc == h->proc) {
			/* If memory is out, the caller is not told, and the
			 * process stays a member. */
			s->sampled[i]->left = h;
			(void)beat_tell_gone(s, s->sampled[i]);
			beat_drop(s, i);
			break;
		}
	(void)start_hand(s);
}

void
gate_enter(struct bob_sampler *s)
{
	struct timespec t;

	while (s->hand != NULL) {
		(void)clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += WATCH_MS * 1000000;
		if (t.tv_nsec >= (long)SECOND_NS) {
			t.tv_nsec -= (long)SECOND_NS;
			t.tv_sec++;
		}
		if (pthread_mutex_timedlock(&s->hand->gate, &t) == 0)
			return;
		if (is_stuck(s))
			leave_behind(s);
	}
}

void
gate_leave(struct bob_sampler *s)
{
	if (s->hand != NULL)
		(void)pthread_mutex_unlock(&s->hand->gate);
}

/* --- processes ------------------------------------------------------------ */

static struct relay *
use_relay(struct bob_sampler *s, struct bob_dict *dict)
{
	struct relay *r;

	for (r = s->relays; r != NULL; r = r->next)
		if (r->to == dict)
			break;
	if (r == NULL) {
		r = calloc(1, sizeof(*r));
		if (r == NULL)
			return NULL;
		r->ctx = s->ctx;
		r->to = dict;
		r->next = s->relays;
		s->relays = r;
	}
	r->n_users++;
	return r;
}

static void
leave_relay(struct bob_sampler *s, struct relay *r)
{
	struct relay **at = &s->relays;

	assert(r == NULL || r->n_users > 0);
	if (r == NULL || --r->n_users > 0)
		return;
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	relay_free(r);
}

void
member_set_dict(struct member *m, struct bob_dict *dict)
{
	struct relay *old = m->to;

	if (old != NULL && old->to == dict)
		return;
	m->to = use_relay(m->sampler, dict);
	leave_relay(m->sampler, old);
}

static struct member *
new_member(struct bob_sampler *s, struct bob_proc *p)
{
	struct member *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->sampler = s;
	m->proc = p;
	m->seen = m->sent = *handle_counts(p);
	seat_init(&m->seat);
	m->to = use_relay(s, handle_dict(p));
	if (m->to == NULL) {
		free(m);
		return NULL;
	}
	return m;
}

static void
free_member(struct member *m)
{
	leave_relay(m->sampler, m->to);
	handle_set_member(m->proc, NULL);
	seat_done(&m->seat);
	free(m);
}

/* Frees a member and its process. A process that does not answer is freed by
 * the thread that was left behind in it. */
static void
end_member(struct member *m)
{
	struct bob_proc *p = m->proc;
	struct hand *left = m->left;

	free_member(m);
	if (left != NULL)
		atomic_store(&left->may_free, 1);
	else
		bob_detach(p);
}

int
bob_sampler_add(struct bob_sampler *s, struct bob_proc *p)
{
	struct member *m;
	int r = BOB_OK;

	if (MEM_GROW(s->ctx, s, member, s->n_member + 1) < 0)
		return BOB_FATAL;
	m = new_member(s, p);
	if (m == NULL)
		return err_nomem(s->ctx);
	gate_enter(s);
	if (MEM_GROW(s->ctx, s, sampled, s->n_sampled + 1) == BOB_OK) {
		handle_set_dict(p, s->dict);
		s->sampled[s->n_sampled++] = m;
	} else {
		r = BOB_FATAL;
	}
	gate_leave(s);
	if (r < 0) {
		free_member(m);
		return r;
	}
	handle_set_member(p, m);
	s->member[s->n_member++] = m;
	return BOB_OK;
}

void
bob_sampler_set_period(struct bob_sampler *s, uint64_t period_ns)
{
	s->period_ns = period_ns;
}

void
bob_sampler_set_share(struct bob_sampler *s, double share)
{
	s->share = share > 0 && share < 1 ? share : 1;
}

struct bob_proc *
bob_sampler_get(const struct bob_sampler *s, size_t i)
{
	return i < s->n_member ? s->member[i]->proc : NULL;
}

int
bob_sampler_realtime(const struct bob_sampler *s)
{
	return atomic_load(&s->is_realtime);
}

void
bob_sampler_counts(const struct bob_sampler *s, struct bob_capture_counts *ret)
{
	size_t i;

	*ret = s->past;
	for (i = 0; i < s->n_member; i++)
		counts_add(ret, &s->member[i]->seen);
	ret->missed = s->given.missed;
	ret->demoted = s->given.demoted;
}

/* --- giving what was sampled ---------------------------------------------- */

static int
give_runs(struct bob_sampler *s, struct member *m, const struct message *msg,
    struct bob_run *runs)
{
	size_t i;
	int r = m->to != NULL ? BOB_OK : err_nomem(s->ctx);

	for (i = 0; r == BOB_OK && i < msg->n; i++) {
		if (relay_run(m->to, &runs[i]))
			continue;
		gate_enter(s);
		r = relay_new_run(m->to, s->from, &runs[i]);
		gate_leave(s);
	}
	if (r < 0)
		return r;
	m->seen.taken += msg->n;
	m->seen.idle += msg->n == 0;
	m->seen.delay[msg->delay]++;
	return msg->n > 0 ? s->ev.runs(s->ev.user, m->proc, runs, msg->n)
	                  : BOB_OK;
}

static void
take_counts(struct member *m, const struct bob_capture_counts *now)
{
	struct bob_capture_counts was = m->seen;

	m->seen = *now;
	memcpy(m->seen.delay, was.delay, sizeof(was.delay));
}

static void
give_end(struct bob_sampler *s, struct member *m)
{
	size_t i = 0;

	while (s->member[i] != m)
		i++;
	s->member[i] = s->member[--s->n_member];
	counts_add(&s->past, &m->seen);
	if (s->ev.gone != NULL)
		s->ev.gone(s->ev.user, m->proc);
	if (handle_watch(m->proc) != NULL)
		watch_gone(handle_watch(m->proc), m->proc);
	end_member(m);
}

static void
take_dict(struct bob_sampler *s, struct bob_dict *const *new)
{
	struct relay *r;

	for (r = s->relays; r != NULL; r = r->next)
		relay_clear(r);
	bob_dict_free((struct bob_dict *)(uintptr_t)s->from);
	s->from = *new;
}

/* Handles one message; p is what follows it. `is_told`: events are called. */
static int
give_message(struct bob_sampler *s, const struct message *msg, void *p,
    int is_told)
{
	struct member *m;

	if (msg->kind == MESSAGE_DICT) {
		take_dict(s, p);
		return BOB_OK;
	}
	if (!is_told)
		return BOB_OK;
	/* All other messages are about a process. */
	m = handle_member(msg->proc);
	if (msg->kind == MESSAGE_RUNS)
		return give_runs(s, m, msg, p);
	if (msg->kind == MESSAGE_COUNTS)
		take_counts(m, p);
	else
		give_end(s, m);
	return BOB_OK;
}

/* Takes the batch, and gives it to the caller. Returns BOB_OK, or what an event
 * returned. */
static int
give_batch(struct bob_sampler *s)
{
	struct batch b;
	struct message *msg;
	size_t at;
	int r = BOB_OK;

	gate_enter(s);
	b = s->batch;
	s->batch = (struct batch){ .bytes = s->given.bytes,
		.cap_bytes = s->given.cap_bytes, .missed = b.missed,
		.demoted = b.demoted };
	s->given = b;
	s->t_given = clock_ns();
	gate_leave(s);
	for (at = 0; at < b.n_bytes; at += sizeof(*msg) + msg->n_bytes) {
		int was = r;

		msg = (struct message *)(void *)(b.bytes + at);
		r = give_message(s, msg, msg + 1, r == BOB_OK);
		if (was != BOB_OK)
			r = was;
	}
	return r;
}

static int
call_tick(struct bob_sampler *s)
{
	s->t_tick = s->t_given + TICK_NS;
	s->t_told = s->t_given;
	if (s->ev.tick == NULL)
		return BOB_OK;
	return s->ev.tick(s->ev.user, (s->t_given - s->t_start) / 1000);
}

int
sampler_give(struct bob_sampler *s)
{
	int r = give_batch(s);

	return r == BOB_OK && s->t_given >= s->t_tick ? call_tick(s) : r;
}

/* --- the thread that samples ---------------------------------------------- */

/* For a thread that was left behind and has returned: it must not touch the
 * sampler, which may be freed. It frees its process and itself. */
static void
end_alone(struct hand *h)
{
	const struct timespec nap = { 0, 1000 * 1000 };

	while (!atomic_load(&h->may_free))
		(void)nanosleep(&nap, NULL);
	hand_current = NULL;
	bob_detach(h->proc);
	hand_free(h);
}

/* Samples with a timer slack of 1 ns. By default the kernel may wake a thread
 * 50 us late. */
static int
beat_precisely(struct bob_sampler *s)
{
	int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), r;

	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	r = beat_run(s);
	if (slack > 0)
		(void)prctl(PR_SET_TIMERSLACK, (unsigned long)slack, 0, 0, 0);
	return r;
}

static void
raise_priority(struct bob_sampler *s)
{
	int how = BOB_REALTIME_OFF;

	/* Without a period it would always exceed the budget. */
	if ((s->o.flags & BOB_SAMPLER_NO_REALTIME) == 0 && s->period_ns != 0)
		how = realtime_begin(&s->realtime, clock_ns())
		    ? BOB_REALTIME_ON : BOB_REALTIME_REFUSED;
	atomic_store(&s->is_realtime, how);
}

static void
hand_main(void *user)
{
	struct hand *h = user;
	struct bob_sampler *s = h->sampler;
	const uint64_t one = 1;
	sigset_t child;

	/* pause.c waits for this signal. */
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)pthread_sigmask(SIG_UNBLOCK, &child, NULL);
	h->tid = (int)syscall(SYS_gettid);
	hand_current = h;
	if (setjmp(h->out) != 0) {
		end_alone(h);
		return;
	}
	raise_priority(s);
	s->result = beat_precisely(s);
	hand_current = NULL;
	while (write(s->done_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static int
init_gate(struct hand *h)
{
	pthread_mutexattr_t attr;
	int r;

	if (pthread_mutexattr_init(&attr) != 0)
		return -1;
	(void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	r = pthread_mutex_init(&h->gate, &attr);
	(void)pthread_mutexattr_destroy(&attr);
	return r == 0 ? 0 : -1;
}

static int
start_hand(struct bob_sampler *s)
{
	struct hand *h = calloc(1, sizeof(*h));

	if (h == NULL || init_gate(h) < 0) {
		free(h);
		return -ENOMEM;
	}
	h->told_fd = -1;
	h->sampler = s;
	s->hand = h;
	memset(&s->watch, 0, sizeof(s->watch));
	if (thread_start(hand_main, h, 0) == 0)
		return 0;
	s->hand = NULL;
	free(h);
	return -EAGAIN;
}

static void
stop_hand(struct bob_sampler *s)
{
	atomic_store(&s->is_stopped, 1);
	(void)pthread_mutex_lock(&s->lock);
	s->is_rung = 1;
	(void)pthread_cond_signal(&s->bell);
	(void)pthread_mutex_unlock(&s->lock);
}

/* Gives samples to the caller until the sampling thread has ended; replaces it
 * as often as needed. Returns BOB_OK, or what an event returned. *ret_ended is
 * 0 if no new thread could be started. */
static int
watch_hand(struct bob_sampler *s, int *ret_ended)
{
	struct pollfd fd = { .fd = s->done_fd, .events = POLLIN };
	int r = BOB_OK;

	/* poll() also ends with a signal. */
	while (s->hand != NULL && poll(&fd, 1, WATCH_MS) <= 0) {
		if (r == BOB_OK)
			r = sampler_give(s);
		if (r != BOB_OK || is_asked_to_stop(s))
			stop_hand(s);
		if (s->hand != NULL && is_stuck(s))
			leave_behind(s);
	}
	*ret_ended = s->hand != NULL;
	return r;
}

/* Gives the last samples, and returns the result of the thread. */
static int
end_hand(struct bob_sampler *s, int r)
{
	uint64_t n;

	/* This read also makes the thread's writes visible. */
	while (read(s->done_fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	(void)pthread_mutex_destroy(&s->hand->gate);
	hand_free(s->hand);
	s->hand = NULL;
	if (r == BOB_OK)
		r = give_batch(s);
	if (r == BOB_OK && s->result < 0) {
		err_copy(s->ctx, s->beat_ctx);
		r = s->result;
	}
	return r;
}

/* Samples in the caller's thread, if no other can be started. */
static int
run_alone(struct bob_sampler *s)
{
	int r = beat_precisely(s);

	if (r < 0 && s->beat_ctx->error.code != 0)
		err_copy(s->ctx, s->beat_ctx);
	return r == BOB_OK ? give_batch(s) : r;
}

static int
run_thread(struct bob_sampler *s)
{
	int r, ended = 0;

	if (s->done_fd < 0 || start_hand(s) < 0)
		return run_alone(s);
	r = watch_hand(s, &ended);
	if (ended)
		return end_hand(s, r);
	return r == BOB_OK ? run_alone(s) : r;
}

int
bob_sampler_run(struct bob_sampler *s)
{
	sigset_t child, before;
	uint64_t period = s->period_ns;
	int r, r2;

	atomic_store(&s->is_stopped, 0);
	s->t_start = s->t_period = s->t_given = s->t_told = clock_ns();
	if (s->t_period >= period)
		s->t_period -= period;
	s->t_drawn = s->n_stood = 0;
	s->turn = s->n_turns = 0;
	s->t_tick = s->t_start + TICK_NS;
	s->done_fd = eventfd(0, EFD_CLOEXEC);
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)pthread_sigmask(SIG_BLOCK, &child, &before);
	r = run_thread(s);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (s->done_fd >= 0)
		(void)close(s->done_fd);
	s->done_fd = -1;
	/* The last tick has the time when sampling ended, but never one before
	 * the last tick. */
	s->t_given = s->t_ended > s->t_told ? s->t_ended : s->t_told;
	r2 = call_tick(s);
	return r != BOB_OK ? r : r2;
}

void
bob_sampler_free(struct bob_sampler *s)
{
	if (s == NULL)
		return;
	while (s->n_member > 0) {
		struct member *m = s->member[--s->n_member];

		if (handle_watch(m->proc) != NULL)
			watch_forget(handle_watch(m->proc), m->proc);
		end_member(m);
	}
	(void)pthread_cond_destroy(&s->bell);
	(void)pthread_mutex_destroy(&s->lock);
	if (s->from != s->dict)
		bob_dict_free((struct bob_dict *)(uintptr_t)s->from);
	free_memory(s);
}
