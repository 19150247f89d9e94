/*
 * Stops a thread for the time of one read.
 *
 * The thread is seized (ptrace) for each stop and released right after it, so
 * that it is traced for some microseconds only. In between signals reach it as
 * always, and if our process dies the kernel releases it. A signal that arrives
 * during a stop is delivered with the release. All calls for a thread must come
 * from the same thread of ours.
 *
 * A stopped thread waits for us. So from the request to the release our thread
 * has real-time priority, if that is allowed, and nobody else gets its
 * processor.
 */
#ifndef CAPTURE_PROC_PAUSE_H
#define CAPTURE_PROC_PAUSE_H

#include <stdint.h>

struct pause {
	int tid;       /* 0: none is stopped */
	int signal;    /* to deliver at the release */
	int is_asked;  /* it was asked to stop, and has not yet */
	int is_raised; /* our priority was raised */
	unsigned n_slept; /* stops in a row for which we had to sleep */
	uint64_t t_since; /* ns of the clock: about when it stopped */
};

/*
 * Stops a thread. Returns 0, and pause_end() must follow; -ETIMEDOUT if it is
 * in the kernel and did not stop in time: then the next pause_begin() goes on
 * waiting; another -errno.
 */
int pause_begin(struct pause *p, int tid);

/* Releases it. Returns for how many nanoseconds it was stopped: since it was
 * asked to, or, if it did not run then, since we know of the stop. */
uint64_t pause_end(struct pause *p);

/* Must be called before *p is freed: waits for a stop that was asked for, and
 * releases the thread. */
void pause_done(struct pause *p);

/* Sets *ret to the thread pointer (fs base, tpidr_el0) of a stopped thread.
 * Returns 0, or -errno. */
int pause_thread_pointer(const struct pause *p, uint64_t *ret);

#endif
