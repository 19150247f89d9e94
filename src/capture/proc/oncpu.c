/* Estimates by the kernel's schedstat; see oncpu.h. */
#include "capture/proc/oncpu.h"

#include <stdio.h>
#include <string.h>

#include "capture/proc/proc.h"
#include "core/clock.h"

/* How often counts are read. That takes some microseconds, and a thread keeps a
 * processor for some milliseconds. */
#define LOOK_US 20000

/* Factor for older time, with each read: half after some 0.2 s. */
#define DECAY 0.93

/* How much the time before the first read counts, in ns: as much as that of one
 * read later. */
#define BEFORE_NS ((double)LOOK_US * 1000)

static int
read_counts(int pid, int tid, uint64_t *run, uint64_t *wait)
{
	char path[64], buf[96], *second;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid,
	    tid);
	if (proc_read_small(path, buf, sizeof(buf)) <= 0)
		return 0;
	second = strchr(buf, ' ');
	if (second == NULL)
		return 0;
	*run = proc_number(buf);
	*wait = proc_number(second + 1);
	return 1;
}

/* The first read: the share is that of the thread's whole life. The kernel
 * counts the time that a thread has waited when it gets a processor, so for a
 * thread that waits there is nothing newer. */
static void
begin_counts(struct oncpu *o, uint64_t run, uint64_t wait)
{
	double all = (double)run + (double)wait;
	double part = all > BEFORE_NS ? BEFORE_NS / all : 1;

	o->recent_run = part * (double)run;
	o->recent_wait = part * (double)wait;
}

static void
update_counts(struct oncpu *o, int pid, int tid, uint64_t now_us)
{
	uint64_t run, wait;

	o->t_us = now_us;
	if (!read_counts(pid, tid, &run, &wait))
		return;
	/* Counts that went down are those of another thread with this tid. */
	if (!o->is_known || run < o->run || wait < o->wait) {
		begin_counts(o, run, wait);
	} else {
		o->recent_run = DECAY * o->recent_run + (double)(run - o->run);
		o->recent_wait = DECAY * o->recent_wait +
		    (double)(wait - o->wait);
	}
	o->run = run;
	o->wait = wait;
	o->is_known = 1;
}

/* Returns a random number from 0 to 1, by xorshift64. */
static double
random_share(struct oncpu *o)
{
	if (o->seed == 0)
		o->seed = clock_ns() | 1;
	o->seed ^= o->seed << 13;
	o->seed ^= o->seed >> 7;
	o->seed ^= o->seed << 17;
	return (double)(o->seed >> 11) / (double)((uint64_t)1 << 53);
}

int
oncpu_was_running(struct oncpu *o)
{
	double all = o->recent_run + o->recent_wait;

	return all <= 0 || random_share(o) * all < o->recent_run;
}

int
oncpu_is_running(struct oncpu *o, int pid, int tid, uint64_t now_us)
{
	if (!o->is_known || now_us - o->t_us >= LOOK_US)
		update_counts(o, pid, tid, now_us);
	return oncpu_was_running(o);
}
