/* SCHED_FIFO with a budget; see realtime.h. */
#include "capture/sampler/realtime.h"

#include <sched.h>
#include <time.h>

#define SECOND_NS ((uint64_t)1000 * 1000 * 1000)

/* The budget of a second. A process at 1,000 Hz takes 3 %, one with a hundred
 * threads a quarter. */
#define BUDGET_NS (SECOND_NS / 2)

/* How often the used time is read, which takes a system call. By so much the
 * budget may be exceeded. */
#define LOOK_NS ((uint64_t)10 * 1000 * 1000)

/* Needs _GNU_SOURCE in <sched.h>. With it, processes and threads that we start
 * get ordinary priority. */
#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000
#endif

static uint64_t
cpu_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* The lowest real-time priority is above everything else. */
static int
promote(void)
{
	const struct sched_param p = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO) };

	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
	    &p) == 0;
}

static void
demote(struct realtime *rt)
{
	const struct sched_param p = { .sched_priority = 0 };

	if (rt->is_on)
		(void)sched_setscheduler(0, SCHED_OTHER, &p);
	rt->is_on = 0;
}

int
realtime_begin(struct realtime *rt, uint64_t t)
{
	/* A policy that somebody has chosen for us is left alone. */
	if (sched_getscheduler(0) != SCHED_OTHER) {
		rt->is_wanted = 0;
		return 1;
	}
	rt->is_on = rt->is_wanted = promote();
	rt->t_second = rt->t_look = t;
	rt->used = cpu_ns();
	return rt->is_on;
}

void
realtime_look(struct realtime *rt, uint64_t t)
{
	if (!rt->is_wanted || t < rt->t_look)
		return;
	rt->t_look = t + LOOK_NS;
	if (t >= rt->t_second + SECOND_NS) {
		rt->t_second = t;
		rt->used = cpu_ns();
		if (!rt->is_on)
			rt->is_on = promote();
	} else if (rt->is_on && cpu_ns() > rt->used + BUDGET_NS) {
		demote(rt);
		rt->n_demoted++;
	}
}

void
realtime_end(struct realtime *rt)
{
	demote(rt);
}
