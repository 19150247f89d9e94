/*
 * Reads files of a sampled process in a thread of its own. A large file takes
 * long, and a file on a file system that somebody else serves may never answer.
 * So the sampling thread starts the work and takes the result later. It never
 * opens or reads such a file itself.
 *
 * The data of the work begins with a struct load, is on the heap, and refers to
 * nothing of the process's handle. Work that is given up goes on alone, and
 * frees its data when it returns.
 *
 * Threads that never return are limited: LOAD_MAX_SILENT for one process, and
 * LOAD_MAX_THREADS threads of this program in all. Beyond that no work is
 * started.
 */
#ifndef CAPTURE_LOAD_H
#define CAPTURE_LOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "capture/thread.h"

/* Limit of work that was given up, of one process. */
#define LOAD_MAX_SILENT 4

/* Limit of threads of this program; each may take 8 MiB of address space. A
 * daemon has three, and one for each process that it is attaching to. */
#define LOAD_MAX_THREADS 512

/* Work that makes no step for so long, and is not runnable, is taken for one
 * that never answers. A slow disk takes some tenths of a second for a step. */
#define LOAD_SILENT_NS ((uint64_t)5 * 1000 * 1000 * 1000)

struct load {
	struct job job;
	_Atomic uint64_t n_steps; /* that are done; the thread counts */
	atomic_int tid;           /* of the thread; 0: it has not begun */
	uint64_t n_seen, t_seen;  /* the asker's: the last n_steps, and when */
	void (*run)(struct load *l);  /* called in the thread */
	void (*free)(struct load *l); /* called by the last side, see job_end */
};

/* Starts the work; `n_silent` is how many of this process were given up.
 * Returns 0; -EBUSY if these are too many; -EAGAIN if there are too many
 * threads for now. On failure it still belongs to the caller. */
int load_begin(struct load *l, unsigned n_silent);

/* Returns the text of such an error. */
const char *load_why(int r);

/* True if the work is done: it belongs to the caller, who frees it. */
static inline int
load_is_done(struct load *l)
{
	return job_is_done(&l->job);
}

/* For the thread: true if the work was given up. */
static inline int
load_is_dropped(struct load *l)
{
	return job_is_dropped(&l->job);
}

/* True if the work does not answer (LOAD_SILENT_NS). */
int load_is_silent(struct load *l);

/* True if the calling thread may wait for such work: it does not sample, or
 * samples only one process. */
int load_may_wait(void);

/* Waits until it is done or has made more than `n` steps, at most until a time
 * of the clock. Returns 1; 0 if it does not answer or the time has come. Only
 * if load_may_wait(). */
int load_wait(struct load *l, uint64_t n, uint64_t until);

/* Gives it up, or frees it if it is done. Never waits. NULL is allowed. */
void load_drop(struct load *l);

#endif
