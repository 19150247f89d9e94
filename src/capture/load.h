/*
 * Work on the files of a target, in a thread of its own. A large file takes
 * long to read, and one of a file system that somebody else serves may never
 * answer: the thread that samples asks for the work and looks for the result
 * later. It never opens or reads such a file itself.
 *
 * What the work needs begins with a struct load, is on the heap, and refers to
 * nothing of the target's handle: work that is given up goes on alone, and
 * frees what it has when it comes back.
 *
 * Threads that never come back are few: LOAD_MAX_SILENT of one process, and
 * LOAD_MAX_THREADS of all kinds in all. Beyond that no work is begun.
 */
#ifndef CAPTURE_LOAD_H
#define CAPTURE_LOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "capture/thread.h"

/* Work that was given up, of one process. */
#define LOAD_MAX_SILENT 4

/* Threads of this program, each of which may have a stack of 8 MiB of address
 * space. A daemon has three, and one for each process that is attached. */
#define LOAD_MAX_THREADS 512

/* Work that makes no step for so long, and does not run, never answers: slow
 * disks take some tenths of a second for a step. */
#define LOAD_SILENT_NS ((uint64_t)5 * 1000 * 1000 * 1000)

struct load {
	struct job job;
	_Atomic uint64_t n_steps; /* that are done; the thread counts */
	atomic_int tid;           /* of the thread; 0: it has not begun */
	uint64_t n_seen, t_seen;  /* the asker's: when n_steps has changed */
	void (*run)(struct load *l);  /* in the thread */
	void (*free)(struct load *l); /* by who is the last to be done */
};

/* Begins; `n_silent`: how many of this process were given up. 0; or -EBUSY: too
 * many of this process; -EAGAIN: too many threads, for now. Then it is still
 * the caller's. */
int load_begin(struct load *l, unsigned n_silent);

/* Such an error, for people: "too many files of this process do not answer". */
const char *load_why(int r);

/* True when it is the caller's again, who frees it. */
static inline int
load_is_done(struct load *l)
{
	return job_is_done(&l->job);
}

/* For the work itself: nobody wants it any more. */
static inline int
load_is_dropped(struct load *l)
{
	return job_is_dropped(&l->job);
}

/* True when it does not answer. */
int load_is_silent(struct load *l);

/* Whether the calling thread may wait for such work: it takes no samples, or
 * nobody else's. */
int load_may_wait(void);

/* Waits until it is done or has made more than `n` steps: 1; 0 when it does not
 * answer, or at a time of the clock. Only if load_may_wait(). */
int load_wait(struct load *l, uint64_t n, uint64_t until);

/* Gives it up, or frees it when it is done. Never waits. NULL is allowed. */
void load_drop(struct load *l);

#endif
