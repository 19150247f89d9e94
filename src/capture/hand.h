/*
 * The sampling thread (a "hand"), and what happens if a process never answers.
 *
 * A read of another process's memory may block for as long as that process
 * likes: a page may belong to a file system that the process serves, or to
 * userfaultfd. No signal but SIGKILL ends such a read. So:
 *
 *  1. Every such call stands between hand_away() and hand_back(). Between them
 *     the thread uses no data that other threads use.
 *  2. If a thread is away for too long, another thread goes on with the other
 *     processes: the first is left behind. When it returns, hand_back() jumps
 *     out (longjmp): the thread frees its process and ends.
 *  3. So memory has to belong to the process before a call that may block.
 *     Memory that only a local variable points to would leak.
 *
 * In other threads, and between samples, hand_away() and hand_back() do
 * nothing.
 *
 * While it reads a process the thread holds its gate. Who has the gate finds
 * all data as between two samples. Each hand has a gate of its own.
 */
#ifndef CAPTURE_HAND_H
#define CAPTURE_HAND_H

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct bob_proc;
struct bob_sampler;

enum hand_state {
	HAND_HOME = 0,
	HAND_AWAY, /* in a call that may block */
	HAND_LEFT  /* left behind: another thread has taken its place */
};

struct hand {
	atomic_int state;        /* enum hand_state */
	_Atomic uint64_t n_away; /* how often it was away */
	atomic_int may_free;     /* after it is left behind: the caller does
	                          * not use the process any more */
	atomic_int is_alone;     /* no other process waits while it is away */
	pthread_mutex_t gate;
	int tid;
	int is_urgent;           /* it has real-time priority now */
	int told_fd;             /* signalfd of pause.c; -1: none */
	struct bob_proc *proc;   /* that it reads; NULL: none */
	struct bob_sampler *sampler;
	jmp_buf out;
};

/* Of this thread, if it is a sampling thread; else NULL. */
extern _Thread_local struct hand *hand_current;

/* Before a call that may block. Such calls must not be nested. */

static inline void
hand_away(void)
{
	struct hand *h = hand_current;

	if (h == NULL || h->proc == NULL)
		return;
	assert(atomic_load(&h->state) == HAND_HOME);
	atomic_store_explicit(&h->n_away, h->n_away + 1, memory_order_relaxed);
	atomic_store_explicit(&h->state, HAND_AWAY, memory_order_release);
}

/* Ends the call, for callers that have something to free. Returns 1 if the
 * thread was left behind: then the caller frees it and calls hand_leave(). */
static inline int
hand_is_left(void)
{
	struct hand *h = hand_current;
	int away = HAND_AWAY;

	return h != NULL && h->proc != NULL &&
	    !atomic_compare_exchange_strong(&h->state, &away, HAND_HOME);
}

/* True for a sampling thread with real-time priority. */
static inline int
hand_is_urgent(void)
{
	return hand_current != NULL && hand_current->is_urgent;
}

void hand_free(struct hand *h);

/* Jumps out of the sample; only for a thread that was left behind. */
_Noreturn void hand_leave(void);

/* After the call. Does not return if the thread was left behind. */
static inline void
hand_back(void)
{
	if (hand_is_left())
		hand_leave();
}

#endif
