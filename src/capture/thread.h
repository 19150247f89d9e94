/*
 * Threads for what belongs to a target. A file, a page or an answer of it may
 * never come, so nobody waits for such a thread: it has its own memory, and
 * frees it when it comes back.
 */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include <stdatomic.h>

enum thread_flags {
	THREAD_NICE = 1 << 0 /* samples come first where processors are few */
};

/* Runs fn(user) in a thread of its own, which gets no signals, and no real-time
 * priority. 0, or -errno: fn is not called then. */
int thread_start(void (*fn)(void *user), void *user, int flags);

/*
 * Work that somebody asks for and may lose interest in. Both sides call when
 * they are done with it, the later one frees it: 1 for that one.
 */
struct job {
	atomic_int state; /* 0, JOB_DONE, JOB_DROPPED */
};

#define JOB_DONE 1
#define JOB_DROPPED 2

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

#endif
