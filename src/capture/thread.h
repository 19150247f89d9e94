/*
 * Threads for work on a process that is sampled. A read of its memory or of its
 * files may block for ever, so nobody joins such a thread: it has memory of its
 * own, and frees it when it returns.
 */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include <stdatomic.h>
#include <stdint.h>

enum thread_flags {
	THREAD_NICE = 1 << 0 /* lower priority than the sampling thread */
};

/* Runs fn(user) in a thread of its own, which is detached, has all signals
 * blocked and no real-time priority. Returns 0; -errno, and then fn is not
 * called. */
int thread_start(void (*fn)(void *user), void *user, int flags);

/* True if a thread of ours runs or waits for a processor: on a busy machine it
 * makes no progress, but is not blocked. Never blocks itself, and may be called
 * between hand_away() and hand_back(). */
int thread_is_runnable(int tid);

/*
 * Work of a thread for an asker who may give it up. The thread calls job_end()
 * with JOB_DONE, the asker with JOB_DROPPED; the later of the two frees it.
 */
struct job {
	atomic_int state; /* 0, JOB_DONE, JOB_DROPPED */
};

#define JOB_DONE 1
#define JOB_DROPPED 2

/* Returns 1 if the other side has called it before: the caller frees the
 * job. */
static inline int
job_end(struct job *j, int state)
{
	return atomic_exchange(&j->state, state) != 0;
}

static inline int
job_is_done(struct job *j)
{
	return atomic_load(&j->state) == JOB_DONE;
}

static inline int
job_is_dropped(struct job *j)
{
	return atomic_load(&j->state) == JOB_DROPPED;
}

/* Waits at most `us` microseconds until it is done. Returns 1 if it is. */
int job_wait(struct job *j, uint64_t us);

#endif
