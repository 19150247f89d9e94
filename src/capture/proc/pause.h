/*
 * Stopping a thread for the moment of one read.
 *
 * A thread is seized anew for each stop and let go right after it, so that it
 * is traced for some microseconds only: signals reach it as always in between,
 * and it runs on whatever happens to us (the kernel lets go of what a tracer
 * leaves behind). A signal that arrives during a stop is handed on with the
 * release. All calls for a thread must come from one thread of ours.
 *
 * While it stands it waits for us, so we must not wait for anybody: from the
 * request to the release our thread has real-time priority, if it may, and
 * nobody else gets its processor.
 */
#ifndef CAPTURE_PROC_PAUSE_H
#define CAPTURE_PROC_PAUSE_H

#include <stdint.h>

struct pause {
	int tid;       /* 0: none is held */
	int signal;    /* to hand on at the release */
	int is_asked;  /* told to stop, and has not yet */
	int is_raised; /* our priority */
	uint64_t t_since; /* ns of the clock: about when it has stopped */
};

/*
 * Stops a thread. 0 and it is stopped: pause_end must follow. -errno when it
 * could not be; -ETIMEDOUT when it sits in the kernel and did not stop in time:
 * then the next pause_begin for it waits on.
 */
int pause_begin(struct pause *p, int tid);

/* Lets it go. For how many nanoseconds it was stopped: since it was asked to,
 * or, when it did not run then, since we know of it. */
uint64_t pause_end(struct pause *p);

/* Before p goes: waits for a stop that was asked for, and lets go. */
void pause_done(struct pause *p);

/* The thread pointer (fs base, tpidr_el0) of a thread that is stopped. 0, or
 * -errno. */
int pause_thread_pointer(const struct pause *p, uint64_t *ret);

#endif
