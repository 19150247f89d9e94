/*
 * The thread that samples, and what becomes of it when a process never answers.
 *
 * Reading memory of another process may block for as long as that process
 * likes: a page of it can be a file of its own file system, or one that it
 * promises to fill in (userfaultfd). No signal but SIGKILL ends that. So every
 * such call stands between hand_away() and hand_back(): meanwhile the thread
 * uses nothing that others use too. When it stays away for too long another
 * thread goes on with the other processes, and this one, whenever it comes
 * back, finds that it was left behind: it leaves everything as it is, frees its
 * process, and ends.
 *
 * In other threads, and between samples, the marks do nothing.
 *
 * While it is at a process it holds its gate, so that whoever has the gate
 * finds everything as it is between two samples. A gate goes with its hand.
 */
#ifndef CAPTURE_HAND_H
#define CAPTURE_HAND_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct bob_proc;
struct bob_sampler;

enum hand_state {
	HAND_HOME = 0,
	HAND_AWAY,
	HAND_LEFT /* behind: another thread has its place */
};

struct hand {
	atomic_int state;
	_Atomic uint64_t n_away; /* how often it went */
	atomic_int may_free;     /* once it is left behind: its process */
	atomic_int is_alone;     /* nobody else waits while it is away */
	pthread_mutex_t gate;
	int tid;                 /* of the kernel */
	struct bob_proc *proc;   /* that it is at; NULL: none */
	struct bob_sampler *sampler;
	jmp_buf out;
};

extern _Thread_local struct hand *hand_current;

static inline void
hand_away(void)
{
	struct hand *h = hand_current;

	if (h == NULL || h->proc == NULL)
		return;
	atomic_store_explicit(&h->n_away, h->n_away + 1, memory_order_relaxed);
	atomic_store_explicit(&h->state, HAND_AWAY, memory_order_release);
}

/* True when it was left behind: what only the caller knows of is to be freed,
 * and hand_leave() called. */
static inline int
hand_is_left(void)
{
	struct hand *h = hand_current;
	int away = HAND_AWAY;

	return h != NULL && h->proc != NULL &&
	    !atomic_compare_exchange_strong(&h->state, &away, HAND_HOME);
}

_Noreturn void hand_leave(void);

static inline void
hand_back(void)
{
	if (hand_is_left())
		hand_leave();
}

#endif
