/* By pthreads; see the header. */
#include "capture/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICE 10

struct start {
	void (*fn)(void *user);
	void *user;
	int flags;
};

/* A thread begins as urgent as who starts it. It shall be as the program is, or
 * less; on Linux both are a thread's own. */
static void
set_priority(int flags)
{
	const struct sched_param plain = { .sched_priority = 0 };
	id_t tid = (id_t)syscall(SYS_gettid);
	int nice = (flags & THREAD_NICE) != 0 ? NICE
	    : getpriority(PRIO_PROCESS, (id_t)getpid());

	if (sched_getscheduler(0) != SCHED_OTHER)
		(void)sched_setscheduler(0, SCHED_OTHER, &plain);
	if (getpriority(PRIO_PROCESS, tid) != nice)
		(void)setpriority(PRIO_PROCESS, tid, nice);
}

static void *
begin(void *user)
{
	struct start s = *(struct start *)user;

	free(user);
	set_priority(s.flags);
	s.fn(s.user);
	return NULL;
}

int
thread_start(void (*fn)(void *user), void *user, int flags)
{
	struct start *s = malloc(sizeof(*s));
	sigset_t all, before;
	pthread_t thread;
	int r;

	if (s == NULL)
		return -ENOMEM;
	*s = (struct start){ fn, user, flags };
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, NULL, begin, s);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r != 0) {
		free(s);
		return -r;
	}
	(void)pthread_detach(thread);
	return 0;
}
