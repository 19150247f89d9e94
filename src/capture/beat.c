/*
 * The thread that samples: one wake-up per period for all processes.
 *
 * Moments are counted from the start, never from the last wake-up, so they do
 * not drift. Waking up costs several times what a sample does, hence all
 * processes are read in one go. When reading takes longer than a period, the
 * moments that have passed are skipped and counted as missed, for each process
 * that would have been read.
 */
#include <string.h>
#include <time.h>

#include "capture/handle.h"
#include "capture/runtime.h"
#include "capture/sampler.h"
#include "core/clock.h"
#include "core/mem.h"

/* Moments of a period to choose from, and steps in which all of them move on
 * until each is where the next one was. */
#define MOMENTS 4
#define DRIFT 512

/* A process of ten threads takes some 50. */
#define MIN_US 100

/* Of a batch: some seconds of many processes, which is how long a disk may
 * keep the caller. Above it moments are missed. */
#define MAX_BATCH ((size_t)16 << 20)

/* Names that are remembered; then from the beginning. They take 200 bytes
 * each. */
#define MAX_THINGS 2000000

/* How long the one who samples without a period waits for the caller. */
#define NAP_NS 100000

/* xorshift64*: good enough to be out of step with anything. */
static uint64_t
random_below(struct bob_sampler *s, uint64_t n)
{
	s->seed ^= s->seed >> 12;
	s->seed ^= s->seed << 25;
	s->seed ^= s->seed >> 27;
	return ((s->seed * 0x2545f4914f6cdd1dull) >> 32) * n >> 32;
}

static void
hold_gate(struct bob_sampler *s)
{
	if (s->hand != NULL)
		(void)pthread_mutex_lock(&s->hand->gate);
}

static void
release_gate(struct bob_sampler *s)
{
	if (s->hand != NULL)
		(void)pthread_mutex_unlock(&s->hand->gate);
}

/* --- the batch ------------------------------------------------------------ */

static int
tell(struct bob_sampler *s, const struct message *m, const void *p)
{
	struct batch *b = &s->batch;
	size_t n = sizeof(*m) + m->n_bytes;

	if (MEM_GROW(s->beat_ctx, b, bytes, b->n_bytes + n) < 0)
		return BOB_FATAL;
	memcpy(b->bytes + b->n_bytes, m, sizeof(*m));
	if (p != NULL && m->n_bytes > 0)
		memcpy(b->bytes + b->n_bytes + sizeof(*m), p, m->n_bytes);
	b->n_bytes += n;
	return BOB_OK;
}

int
beat_tell_gone(struct bob_sampler *s, struct member *m)
{
	const struct message msg = { .proc = m->proc, .kind = MESSAGE_GONE };

	return tell(s, &msg, NULL);
}

/* What has changed besides samples and idle calls, which runs tell. */
static int
tell_counts(struct bob_sampler *s, struct member *m)
{
	const struct bob_capture_counts *now = handle_counts(m->proc);
	const struct message msg = { .proc = m->proc, .kind = MESSAGE_COUNTS,
		.n_bytes = sizeof(*now) };

	if (memcmp(now, &m->sent, sizeof(*now)) == 0)
		return BOB_OK;
	m->sent = *now;
	return tell(s, &msg, now);
}

/* By powers of two of microseconds. */
static uint32_t
delay_of(uint64_t ns)
{
	uint64_t us = ns / 1000;
	uint32_t i = 0;

	while (us > 0 && i < BOB_N_DELAYS - 1) {
		us >>= 1;
		i++;
	}
	return i;
}

/*
 * Moments that have passed while one process alone was waited for to stop. It
 * did not run meanwhile: it waited for a processor with the stack that it has
 * now. So they are not missed, and the sample stands for them as well.
 */
static uint64_t
moments_waited(struct bob_sampler *s, const struct member *m, uint64_t t)
{
	uint64_t period = s->period_ns;

	if (period == 0 || s->n_live != 1 || !handle_is_stopped(m->proc))
		return 0;
	return (clock_ns() - t) / period;
}

static int
tell_runs(struct bob_sampler *s, struct member *m, uint64_t t,
    const struct bob_run *runs, size_t n)
{
	const struct message msg = { .proc = m->proc, .kind = MESSAGE_RUNS,
		.delay = delay_of(t > s->t_due ? t - s->t_due : 0),
		.n = n, .n_bytes = n * sizeof(*runs) };

	m->sent.taken += n;
	m->sent.idle += n == 0;
	return tell(s, &msg, runs);
}

/* The same for the moments that one sample stands for besides its own. */
static int
tell_again(struct bob_sampler *s, struct member *m, uint64_t t,
    const struct bob_run *first)
{
	uint64_t n = moments_waited(s, m, t), us = s->period_ns / 1000, i;
	struct bob_run run = *first;
	int r = BOB_OK;

	if (n == 0)
		return BOB_OK;
	s->n_waited += n;
	if (!handle_stands_for(m->proc, n))
		return BOB_OK;
	for (i = 0; r == BOB_OK && i < n; i++) {
		run.t_first = run.t_last = first->t_first + (i + 1) * us;
		r = tell_runs(s, m, s->t_due, &run, 1);
	}
	return r;
}

/* --- one moment ----------------------------------------------------------- */

void
beat_drop(struct bob_sampler *s, size_t i)
{
	s->live[i] = s->live[--s->n_live];
}

/* Never what is told of a sample. */
#define DROPPED 1

static int
read_one(struct bob_sampler *s, struct member *m, uint64_t t, size_t i)
{
	uint64_t idle = m->sent.idle;
	const struct bob_run *runs;
	size_t n;
	int r;

	if (s->hand != NULL) {
		s->hand->proc = m->proc;
		atomic_store_explicit(&s->hand->is_alone, s->n_live < 2 &&
		    (s->o.flags & BOB_SAMPLER_PATIENT) != 0,
		    memory_order_relaxed);
	}
	r = bob_sample(m->proc, (t - s->t_start) / 1000, &runs, &n);
	if (s->hand != NULL)
		s->hand->proc = NULL;
	if (r == BOB_EOF) {
		beat_drop(s, i);
		return beat_tell_gone(s, m) < 0 ? BOB_FATAL : DROPPED;
	}
	if (r < 0) {
		err_copy(s->beat_ctx, handle_ctx(m->proc));
		return r;
	}
	s->n_samples = count_add(s->n_samples, n);
	if (n > 0 || handle_counts(m->proc)->idle > idle)
		r = tell_runs(s, m, t, runs, n);
	if (r >= 0 && n == 1)
		r = tell_again(s, m, t, &runs[0]);
	if (r >= 0)
		r = tell_counts(s, m);
	return r < 0 ? r : BOB_OK;
}

/* One sample of one process. BOB_OK; DROPPED when it has ended; FATAL. */
static int
sample_one(struct bob_sampler *s, size_t i, uint64_t us)
{
	struct member *m = s->live[i];
	uint64_t t = clock_ns();
	int r;

	if (proc_must_wait(m->proc, us))
		return tell_counts(s, m);
	r = read_one(s, m, t, i);
	if (r == BOB_OK)
		s->t_due += proc_took(m->proc, t);
	return r;
}

/* What one sample of a process may take, in microseconds: all the time there is
 * in a period. One that takes more, as one that makes up threads without an
 * end, is read less often, and the others are not. Never fewer than a small
 * process takes. */
static uint64_t
time_of_each(const struct bob_sampler *s)
{
	double us = (double)s->period_ns / 1000 * s->share;

	if (s->n_live < 2 || s->period_ns == 0)
		return UINT64_MAX;
	return us > MIN_US ? (uint64_t)us : MIN_US;
}

/* Ids from the beginning: what is remembered of each process goes, too. */
static int
renew_dict(struct bob_sampler *s)
{
	struct message msg = { .kind = MESSAGE_DICT,
		.n_bytes = sizeof(struct bob_dict *) };
	struct bob_counts c = bob_dict_counts(s->dict);
	struct bob_dict *new;
	size_t i;

	if ((uint64_t)c.n_str + c.n_frame + c.n_stack + c.n_annot < MAX_THINGS)
		return BOB_OK;
	new = bob_dict_new(s->beat_ctx);
	if (new == NULL || tell(s, &msg, &new) < 0) {
		bob_dict_free(new);
		return BOB_FATAL;
	}
	s->dict = new;
	for (i = 0; i < s->n_live; i++)
		handle_set_dict(s->live[i]->proc, new);
	return BOB_OK;
}

/* The caller does not come for his samples: they are missed. */
static int
is_full(struct bob_sampler *s)
{
	if (s->batch.n_bytes < MAX_BATCH)
		return 0;
	if (s->period_ns != 0)
		s->missed = count_add(s->missed, s->n_live);
	return 1;
}

static int
sample_all(struct bob_sampler *s)
{
	const struct timespec nap = { 0, NAP_NS };
	uint64_t us;
	size_t i = 0;
	int r, full;

	hold_gate(s);
	us = time_of_each(s);
	full = is_full(s);
	s->t_due = s->t_moment;
	r = full ? BOB_OK : renew_dict(s);
	while (r == BOB_OK && !full && i < s->n_live) {
		r = sample_one(s, i, us);
		i += r == BOB_OK;
		r = r == DROPPED ? BOB_OK : r;
		/* Others may want it. */
		release_gate(s);
		hold_gate(s);
	}
	s->batch.missed = s->missed;
	s->batch.demoted = s->realtime.n_demoted;
	release_gate(s);
	if (full && s->period_ns == 0)
		(void)nanosleep(&nap, NULL);
	return r;
}

/* --- all of them ---------------------------------------------------------- */

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

static size_t
count_live(struct bob_sampler *s)
{
	size_t n;

	hold_gate(s);
	n = s->n_live;
	release_gate(s);
	return n;
}

/* The next moment, in ns of the clock. */
static uint64_t
next_moment(struct bob_sampler *s)
{
	uint64_t period = s->period_ns, t = clock_ns(), late;

	if (period == 0)
		return t;
	s->t_period += period;
	if (s->t_period + period <= t) {
		late = (t - s->t_period) / period;
		s->t_period += late * period;
		late -= s->n_waited < late ? s->n_waited : late;
		s->missed = count_add(s->missed,
		    count_mul(late, count_live(s)));
	}
	s->n_waited = 0;
	return s->t_period + moment_of(s, period);
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

static int
is_over(struct bob_sampler *s)
{
	if (sampler_is_stopped(s))
		return 1;
	if ((s->o.flags & BOB_SAMPLER_STAY) == 0 && count_live(s) == 0)
		return 1;
	if (s->o.max_samples != 0 && s->n_samples >= s->o.max_samples)
		return 1;
	return s->o.duration_us != 0 &&
	    clock_ns() - s->t_start >= s->o.duration_us * 1000;
}

/* Waits for the moment `t`. Without a thread of our own the caller's events
 * have their time here. */
static int
wait_for(struct bob_sampler *s, uint64_t t)
{
	int r = BOB_OK;

	while (r == BOB_OK && !sampler_is_stopped(s) && clock_ns() < t) {
		wait_until(s, s->hand == NULL && s->t_tick < t ? s->t_tick
		                                               : t);
		if (s->hand == NULL)
			r = sampler_give(s);
	}
	return r;
}

int
beat_run(struct bob_sampler *s)
{
	uint64_t t_end = UINT64_MAX;
	int r = BOB_OK;

	if (s->o.duration_us != 0)
		t_end = s->t_start + s->o.duration_us * 1000;
	while (r == BOB_OK && !is_over(s)) {
		s->t_moment = next_moment(s);
		r = wait_for(s, s->t_moment < t_end ? s->t_moment : t_end);
		if (r == BOB_OK && !is_over(s))
			r = sample_all(s);
		if (r == BOB_OK && s->hand == NULL)
			r = sampler_give(s);
		realtime_look(&s->realtime, clock_ns());
	}
	s->t_ended = clock_ns();
	return r;
}
