/*
 * Whether a thread is on a processor.
 *
 * The kernel says R of a thread that runs and of one that waits for a processor
 * only. Where processors are few, the second is most of it. But it counts for
 * how long a thread did each of the two (/proc/PID/task/TID/schedstat), which
 * says how many of a hundred threads that are R do run. So of the samples that
 * find a thread R, that share is taken, by chance: their number is right, and
 * so are their stacks, as a thread goes on where it stood.
 */
#ifndef CAPTURE_PROC_ONCPU_H
#define CAPTURE_PROC_ONCPU_H

#include <stdint.h>

struct oncpu {
	int is_known;
	uint64_t t_us;        /* of the last look */
	uint64_t run, wait;   /* in ns, as the kernel had them then */
	double recent_run, recent_wait;
	uint64_t seed;
};

/* Of a thread that is R at a time in microseconds: 1 when it counts as
 * running. The first time, and where the kernel does not count, it does. */
int oncpu_is_running(struct oncpu *o, int pid, int tid, uint64_t now_us);

#endif
