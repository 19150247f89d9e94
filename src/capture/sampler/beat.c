/*
 * The sampling thread. It wakes up once in each period for all processes, or
 * once for each processor that they are read from (a turn).
 *
 * Moments are computed from the start, never from the last wake-up, so they do
 * not drift. A wake-up costs several times what a sample does, so all processes
 * of a turn are read at once. If reading takes longer than a period, the
 * moments that have passed are skipped, and counted as missed for each process
 * that would have been read.
 */
#include <assert.h>
#include <string.h>
#include <time.h>

#include "capture/attach/handle.h"
#include "capture/runtime.h"
#include "capture/sampler/sampler.h"
#include "core/clock.h"
#include "core/mem.h"

/* A period has MOMENTS moments to choose from. In DRIFT steps each moves to
 * where the next one was. */
#define MOMENTS 4
#define DRIFT 512

/* The least time for one sample of a process; one of ten threads takes some
 * 50 us. */
#define MIN_US 100

/* Limit of a batch: some seconds of many processes, for which a disk may block
 * the caller. Above it moments are missed. */
#define MAX_BATCH ((size_t)16 << 20)

/* Limit of things in the thread's dictionary, 200 bytes each; then a new one
 * begins. */
#define MAX_THINGS 2000000

/* The shortest period at which a process is sampled from its own processor: by
 * default, and if the user asks for it. The process loses the time of a sample,
 * five to twenty microseconds: up to 0.4 % at 200 Hz, which nobody notices, and
 * 2 % at 1,000 Hz. To be stopped costs more. */
#define NEAR_PERIOD_NS ((uint64_t)5 * 1000 * 1000)
#define NEAR_LEAST_NS ((uint64_t)1000 * 1000)

/* The least time of a turn. To move to its processor, to wake up and to stop a
 * thread takes a tenth of a millisecond, and the next moment may follow after a
 * quarter of this. */
#define TURN_NS ((uint64_t)500 * 1000)

/* How long the thread waits for the caller if the batch is full and there is no
 * period. */
#define NAP_NS 100000

/* xorshift64*: random enough not to keep step with a program. */
static uint64_t
random_below(struct bob_sampler *s, uint64_t n)
{
	s->seed ^= s->seed >> 12;
	s->seed ^= s->seed << 25;
	s->seed ^= s->seed >> 27;
	return ((s->seed * 0x2545f4914f6cdd1dull) >> 32) * n >> 32;
}

/*
 * Returns the moment within a period: one of MOMENTS, at random, which move on
 * slowly. Any moment would do as well, but then all times between samples would
 * differ, and these are most of what is stored of an idle process.
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
add_message(struct bob_sampler *s, const struct message *m, const void *p)
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

	return add_message(s, &msg, NULL);
}

/* Sends all counts, if others than those of MESSAGE_RUNS have changed. */
static int
add_counts(struct bob_sampler *s, struct member *m)
{
	const struct bob_capture_counts *now = handle_counts(m->proc);
	const struct message msg = { .proc = m->proc, .kind = MESSAGE_COUNTS,
		.n_bytes = sizeof(*now) };

	if (memcmp(now, &m->sent, sizeof(*now)) == 0)
		return BOB_OK;
	m->sent = *now;
	return add_message(s, &msg, now);
}

/* Returns the index of a delay: the number of bits of its microseconds. */
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

static int
add_runs(struct bob_sampler *s, struct member *m, uint64_t t,
    const struct bob_run *runs, size_t n)
{
	const struct message msg = { .proc = m->proc, .kind = MESSAGE_RUNS,
		.delay = delay_of(t > s->t_due ? t - s->t_due : 0),
		.n = n, .n_bytes = n * sizeof(*runs) };

	m->sent.taken += n;
	m->sent.idle += n == 0;
	return add_message(s, &msg, runs);
}

/* Returns the moment of this turn. The first turn begins the next period. */
static uint64_t
draw_moment(struct bob_sampler *s)
{
	uint64_t each = s->period_ns / s->n_turns;

	if (s->turn == 0)
		s->t_period += s->period_ns;
	return s->t_period + s->turn * each + moment_of(s, each);
}

/* True if a process with one thread took longer than a period to stop. It did
 * not run meanwhile: it waited for a processor with the stack that it has
 * now. */
static int
has_waited(const struct bob_sampler *s, const struct member *m, uint64_t t,
    uint64_t now)
{
	return s->period_ns != 0 && handle_is_stopped(m->proc) &&
	    now - t >= s->period_ns && handle_is_one_thread(m->proc);
}

/* Repeats a sample for a moment that it stands for. */
static int
repeat_run(struct bob_sampler *s, struct member *m, uint64_t t,
    const struct bob_run *first)
{
	struct bob_run run = *first;

	if (!handle_stands_for(m->proc))
		return BOB_OK;
	run.t_first = run.t_last = (t - s->t_start) / 1000;
	return add_runs(s, m, s->t_due, &run, 1);
}

/* The moments that have passed are not missed by the only process. The first
 * one that has not passed is the next one. */
static int
repeat_alone(struct bob_sampler *s, struct member *m, uint64_t now,
    const struct bob_run *first)
{
	int r = BOB_OK;

	while (r == BOB_OK && (s->t_drawn = draw_moment(s)) <= now &&
	    s->batch.n_bytes < MAX_BATCH)
		r = repeat_run(s, m, s->t_drawn, first);
	return r;
}

/* Returns how many periods are skipped at a time, as they have passed. */
static uint64_t
count_skipped(const struct bob_sampler *s, uint64_t now)
{
	uint64_t past = now > s->t_period ? now - s->t_period : 0;

	return past < 2 * s->period_ns ? 0 : past / s->period_ns - 1;
}

/* The same with other processes: next_moment() skips these periods for all, but
 * this one does not miss those in which it waited. Its moment in each is as far
 * from the beginning as in this one. */
static int
repeat_beside(struct bob_sampler *s, struct member *m, uint64_t t, uint64_t now,
    const struct bob_run *first)
{
	uint64_t n = count_skipped(s, now), at = s->t_moment;
	int r = BOB_OK;

	for (; r == BOB_OK && n > 0 && s->batch.n_bytes < MAX_BATCH; n--) {
		at += s->period_ns;
		if (at < t || at > now)
			continue;
		s->n_stood++;
		r = repeat_run(s, m, at, first);
	}
	return r;
}

/* Repeats the sample of a process that has waited for each moment that it
 * stands for. */
static int
repeat_runs(struct bob_sampler *s, struct member *m, uint64_t t,
    const struct bob_run *first)
{
	uint64_t now = clock_ns();

	if (!has_waited(s, m, t, now))
		return BOB_OK;
	return s->n_sampled == 1 && s->n_turns == 1
	    ? repeat_alone(s, m, now, first)
	    : repeat_beside(s, m, t, now, first);
}

/* --- one moment ----------------------------------------------------------- */

void
beat_drop(struct bob_sampler *s, size_t i)
{
	assert(i < s->n_sampled);
	s->sampled[i] = s->sampled[--s->n_sampled];
}

/* Beside BOB_OK and FATAL: the process has ended and was removed. */
#define DROPPED 1

static int
sample_process(struct bob_sampler *s, struct member *m, uint64_t t, size_t i)
{
	uint64_t idle = m->sent.idle;
	const struct bob_run *runs;
	size_t n;
	int r;

	if (s->hand != NULL) {
		s->hand->proc = m->proc;
		atomic_store_explicit(&s->hand->is_alone, s->n_sampled < 2 &&
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
		r = add_runs(s, m, t, runs, n);
	if (r >= 0 && n == 1)
		r = repeat_runs(s, m, t, &runs[0]);
	if (r >= 0)
		r = add_counts(s, m);
	return r < 0 ? r : BOB_OK;
}

/* Takes one sample of one process. Returns BOB_OK, DROPPED or FATAL. */
static int
sample_one(struct bob_sampler *s, size_t i, uint64_t us)
{
	struct member *m = s->sampled[i];
	uint64_t t = clock_ns();
	int r;

	if (proc_must_wait(m->proc, us))
		return add_counts(s, m);
	r = sample_process(s, m, t, i);
	if (r == BOB_OK)
		s->t_due += proc_took(m->proc, t);
	return r;
}

/* --- from which processor ------------------------------------------------- */

/* True if a process should be sampled from its own processor. To move between
 * processors interrupts programs more often than the clock does, and on a busy
 * machine they then wait. So for several processes that are not stopped the
 * user has to ask for it. */
static int
is_near_worth(const struct bob_sampler *s, int is_stopped)
{
	int is_asked = is_stopped || (s->o.flags & BOB_SAMPLER_NEAR) != 0;

	return is_asked ? s->period_ns >= NEAR_LEAST_NS
	                : s->n_sampled == 1 && s->period_ns >= NEAR_PERIOD_NS;
}

/* True if we may move to processors of processes. Without real-time priority we
 * might not get a processor in time. */
static int
may_be_near(struct bob_sampler *s)
{
	return (s->o.flags & BOB_SAMPLER_APART) == 0 && s->period_ns != 0 &&
	    atomic_load(&s->is_realtime) == BOB_REALTIME_ON;
}

/* Reads which processor a process is on. It may change with each sample: an
 * idle processor may take over the process while we have its own, and a stopped
 * thread may go on elsewhere. */
static void
update_seat(struct bob_sampler *s, struct member *m)
{
	int pid, is_stopped;
	int tid = handle_busy_thread(m->proc, &pid, &is_stopped);

	if (is_near_worth(s, is_stopped))
		seat_look(&m->seat, pid, tid);
	else
		m->seat.cpu = -1;
}

/* Returns the turn of a processor; n_turns if it has none. */
static size_t
turn_of(const struct bob_sampler *s, int cpu)
{
	size_t i = 0;

	while (i < s->n_turns && s->turn_cpu[i] != cpu)
		i++;
	return i;
}

/* True if a process needs a turn of its own processor. A sleeping process keeps
 * its stack and can be read from anywhere. */
static int
is_turn_worth(const struct bob_sampler *s, const struct member *m)
{
	return m->seat.cpu >= 0 && (m->seat.is_running || s->n_sampled == 1) &&
	    s->n_turns < MAX_TURNS &&
	    (s->n_turns + 1) * TURN_NS <= s->period_ns;
}

/*
 * Chooses the turns of the next period, and the processes of each. That is done
 * before the period, so that what a process does at its moment does not decide
 * when it is sampled.
 */
static void
choose_turns(struct bob_sampler *s)
{
	int may = may_be_near(s);
	struct member *m;
	size_t i;

	s->turn = s->n_turns = 0;
	for (i = 0; may && i < s->n_sampled; i++) {
		m = s->sampled[i];
		update_seat(s, m);
		if (is_turn_worth(s, m) &&
		    turn_of(s, m->seat.cpu) == s->n_turns)
			s->turn_cpu[s->n_turns++] = m->seat.cpu;
	}
	for (i = 0; i < s->n_sampled; i++) {
		m = s->sampled[i];
		m->turn = turn_of(s, m->seat.cpu);
		if (m->turn == s->n_turns)
			m->turn = 0;
	}
	if (s->n_turns == 0)
		s->turn_cpu[s->n_turns++] = -1;
}

/* After each turn: moves to the processor of the next one. We have to be there
 * before its moment: if we came at the moment, the process would run on until
 * it is interrupted, and system calls would get too many samples. */
static void
move_to_turn(struct bob_sampler *s)
{
	int cpu;

	hold_gate(s);
	if (++s->turn >= s->n_turns)
		choose_turns(s);
	cpu = s->turn_cpu[s->turn];
	release_gate(s);
	near_go(&s->near, cpu);
}

/* --- all of a turn -------------------------------------------------------- */

/* Returns how many microseconds one sample of a process may take: the share of
 * a period, but at least MIN_US. A process that takes more, for example one
 * with very many threads, is read less often; the others are not. */
static uint64_t
time_of_each(const struct bob_sampler *s)
{
	double us = (double)s->period_ns / 1000 * s->share;

	if (s->n_sampled < 2 || s->period_ns == 0)
		return UINT64_MAX;
	return us > MIN_US ? (uint64_t)us : MIN_US;
}

/* Begins a new dictionary if the old one is too large. All that processes
 * remember of ids is dropped. Returns BOB_OK or FATAL. */
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
	if (new == NULL || add_message(s, &msg, &new) < 0) {
		bob_dict_free(new);
		return BOB_FATAL;
	}
	s->dict = new;
	for (i = 0; i < s->n_sampled; i++)
		handle_set_dict(s->sampled[i]->proc, new);
	return BOB_OK;
}

static uint64_t
count_turn(const struct bob_sampler *s)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < s->n_sampled; i++)
		n += s->sampled[i]->turn == s->turn;
	return n;
}

/* True if the batch is full, as the caller does not take it. The moments of
 * this turn are counted as missed. */
static int
is_full(struct bob_sampler *s)
{
	if (s->batch.n_bytes < MAX_BATCH)
		return 0;
	if (s->period_ns != 0)
		s->missed = count_add(s->missed, count_turn(s));
	return 1;
}

static int
sample_turn(struct bob_sampler *s)
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
	while (r == BOB_OK && !full && i < s->n_sampled) {
		if (s->sampled[i]->turn != s->turn) {
			i++;
			continue;
		}
		r = sample_one(s, i, us);
		i += r == BOB_OK;
		r = r == DROPPED ? BOB_OK : r;
		/* The caller's thread may wait for it. */
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

static size_t
count_sampled(struct bob_sampler *s)
{
	size_t n;

	hold_gate(s);
	n = s->n_sampled;
	release_gate(s);
	return n;
}

/* They are missed by each process that has no sample that stands for them. */
static void
skip_periods(struct bob_sampler *s, uint64_t n)
{
	uint64_t missed = count_mul(n, count_sampled(s));

	s->t_period += n * s->period_ns;
	s->missed = count_add(s->missed, missed > s->n_stood ? missed -
	    s->n_stood : 0);
	s->n_stood = 0;
}

/* Returns the next moment, in ns of the clock. */
static uint64_t
next_moment(struct bob_sampler *s)
{
	uint64_t t = clock_ns();

	if (s->period_ns == 0)
		return t;
	if (s->t_drawn != 0) {
		t = s->t_drawn;
		s->t_drawn = 0;
		return t;
	}
	if (s->turn == 0)
		skip_periods(s, count_skipped(s, t));
	return draw_moment(s);
}

/* Sleeps until a time of the clock, or until the bell is rung. */
static void
sleep_until(struct bob_sampler *s, uint64_t t)
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
	if ((s->o.flags & BOB_SAMPLER_STAY) == 0 && count_sampled(s) == 0)
		return 1;
	if (s->o.max_samples != 0 && s->n_samples >= s->o.max_samples)
		return 1;
	return s->o.duration_us != 0 &&
	    clock_ns() - s->t_start >= s->o.duration_us * 1000;
}

/* Waits for the moment `t`. If this is the caller's thread, also calls the
 * caller's events. Returns BOB_OK, or what an event returned. */
static int
wait_for(struct bob_sampler *s, uint64_t t)
{
	int r = BOB_OK;

	while (r == BOB_OK && !sampler_is_stopped(s) && clock_ns() < t) {
		sleep_until(s, s->hand == NULL && s->t_tick < t ? s->t_tick
		                                               : t);
		if (s->hand == NULL)
			r = sampler_give(s);
	}
	return r;
}

/* The last turn may have waited for longer than a period. */
static void
end_periods(struct bob_sampler *s)
{
	if (s->period_ns == 0 || s->t_drawn != 0)
		return;
	skip_periods(s, count_skipped(s, clock_ns()));
	hold_gate(s);
	s->batch.missed = s->missed;
	release_gate(s);
}

static void
update_priority(struct bob_sampler *s)
{
	realtime_look(&s->realtime, clock_ns());
	if (s->hand != NULL)
		s->hand->is_urgent = s->realtime.is_on;
}

int
beat_run(struct bob_sampler *s)
{
	uint64_t t_end = UINT64_MAX;
	int r = BOB_OK;

	if (s->o.duration_us != 0)
		t_end = s->t_start + s->o.duration_us * 1000;
	/* It may be left over from a thread that was left behind. */
	s->near.is_near = 0;
	update_priority(s);
	move_to_turn(s);
	while (r == BOB_OK && !is_over(s)) {
		s->t_moment = next_moment(s);
		r = wait_for(s, s->t_moment < t_end ? s->t_moment : t_end);
		if (r == BOB_OK && !is_over(s))
			r = sample_turn(s);
		if (r == BOB_OK && s->hand == NULL)
			r = sampler_give(s);
		update_priority(s);
		move_to_turn(s);
	}
	near_leave(&s->near);
	end_periods(s);
	s->t_ended = clock_ns();
	return r;
}
