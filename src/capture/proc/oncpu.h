/*
 * Decides whether a thread is on a processor.
 *
 * State R means that a thread runs or waits for a processor. On a busy machine
 * it mostly waits. The kernel counts how long a thread did each of the two
 * (/proc/PID/task/TID/schedstat), which gives the share of R in which it runs.
 * So of the samples that find a thread in state R, that share is taken, at
 * random. Their number is right, and so are their stacks, as a waiting thread
 * goes on with the stack that it has. The share is that of the last 0.2 s or
 * so; at first, that of the thread's whole life.
 */
#ifndef CAPTURE_PROC_ONCPU_H
#define CAPTURE_PROC_ONCPU_H

#include <stdint.h>

struct oncpu {
	int is_known;
	uint64_t t_us;        /* when the counts were read */
	uint64_t run, wait;   /* the kernel's counts then, ns */
	double recent_run, recent_wait; /* ns; older time counts less */
	uint64_t seed;
};

/* For a thread in state R: returns 1 if it counts as running, else 0. It is 1
 * if the kernel does not count, or has counted nothing yet. */
int oncpu_is_running(struct oncpu *o, int pid, int tid, uint64_t now_us);

/* The same for one more moment since then at which it was in state R. */
int oncpu_was_running(struct oncpu *o);

#endif
