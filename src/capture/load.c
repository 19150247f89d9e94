/* Starts and watches the threads that read files; see load.h. */
#include "capture/load.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/hand.h"
#include "capture/proc/proc.h"
#include "core/clock.h"

#define NAP_NS (100 * 1000)

static void
load_main(void *user)
{
	struct load *l = user;

	atomic_store(&l->tid, (int)syscall(SYS_gettid));
	l->run(l);
	if (job_end(&l->job, JOB_DONE))
		l->free(l);
}

int
load_begin(struct load *l, unsigned n_silent)
{
	if (n_silent >= LOAD_MAX_SILENT)
		return -EBUSY;
	if (proc_thread_count((int)getpid()) >= LOAD_MAX_THREADS)
		return -EAGAIN;
	l->t_seen = clock_ns();
	/* Not THREAD_NICE: samples are lost until it is done. */
	return thread_start(load_main, l, 0) < 0 ? -EAGAIN : 0;
}

const char *
load_why(int r)
{
	return r == -EBUSY ? "too many files of this process do not answer"
	                   : "there are too many threads to begin one more";
}

int
load_is_silent(struct load *l)
{
	uint64_t n = atomic_load(&l->n_steps), t = clock_ns();
	int tid = atomic_load(&l->tid);

	if (n != l->n_seen) {
		l->n_seen = n;
		l->t_seen = t;
	}
	return t - l->t_seen >= LOAD_SILENT_NS && !load_is_done(l) &&
	    tid != 0 && !thread_is_runnable(tid);
}

int
load_may_wait(void)
{
	struct hand *h = hand_current;

	return h == NULL || h->proc == NULL ||
	    atomic_load_explicit(&h->is_alone, memory_order_relaxed);
}

int
load_wait(struct load *l, uint64_t n, uint64_t until)
{
	const struct timespec nap = { 0, NAP_NS };

	hand_away();
	while (!load_is_done(l) && atomic_load(&l->n_steps) <= n &&
	    clock_ns() < until && !load_is_silent(l))
		(void)nanosleep(&nap, NULL);
	hand_back();
	return load_is_done(l) || atomic_load(&l->n_steps) > n;
}

void
load_drop(struct load *l)
{
	if (l != NULL && job_end(&l->job, JOB_DROPPED))
		l->free(l);
}
