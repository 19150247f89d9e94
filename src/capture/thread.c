/* By pthreads; see the header. */
#include "capture/thread.h"

#include <errno.h>
#include <pthread.h>
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

static void *
begin(void *user)
{
	struct start s = *(struct start *)user;

	free(user);
	/* On Linux the priority is one of the thread. */
	if ((s.flags & THREAD_NICE) != 0)
		(void)setpriority(PRIO_PROCESS,
		    (id_t)syscall(SYS_gettid), NICE);
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
