/*
 * Moves the sampling thread to the processor that the process runs on.
 *
 * There our timer interrupts the process at the very moment, and it waits with
 * the stack that it has while it is read. From another processor the stack
 * changes while it is read. And if the process is to be stopped from there, it
 * runs on for some microseconds (some ten in a virtual machine) until it is
 * interrupted, but stops at once in a system call: functions that make system
 * calls get too many samples. The same happens if we move to its processor only
 * at the moment, so we have to be there before.
 *
 * The process loses the time of a sample, some microseconds.
 */
#ifndef CAPTURE_SAMPLER_NEAR_H
#define CAPTURE_SAMPLER_NEAR_H

#include <stdint.h>

#define NEAR_MAX_CPUS 4096

/* The affinity of the sampling thread. */
struct near {
	int is_near;     /* bound to `cpu` */
	int is_refused;  /* the kernel does not let us */
	int cpu;
	uint64_t allowed[NEAR_MAX_CPUS / 64]; /* the original mask */
	long n_allowed;  /* bytes of it; 0: not read yet */
};

/* The processor of a thread of a process. */
struct seat {
	int tid;
	int fd;          /* /proc/PID/task/TID/stat; -1: not held */
	int cpu;         /* that it ran on last; -1: unknown */
	int is_running;  /* it runs, or waits for a processor */
};

void seat_init(struct seat *seat);
void seat_done(struct seat *seat);

/* Reads which processor a thread is on. */
void seat_look(struct seat *seat, int pid, int tid);

/* Binds the calling thread to a processor. -1, or one that is not allowed: to
 * any. */
void near_go(struct near *n, int cpu);

/* Restores the original mask. */
void near_leave(struct near *n);

#endif
