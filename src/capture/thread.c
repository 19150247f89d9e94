/* Starts and watches threads; see thread.h. */
#include "capture/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "core/clock.h"

#define NICE 10

/* Between two checks of job_wait(). */
#define NAP_NS 100000

struct start {
	void (*fn)(void *user);
	void *user;
	int flags;
};

/* A new thread inherits policy and nice value of the thread that starts it,
 * maybe the sampling thread. Here it gets those of the program, or NICE. */
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
thread_main(void *user)
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
	r = pthread_create(&thread, NULL, thread_main, s);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r != 0) {
		free(s);
		return -r;
	}
	(void)pthread_detach(thread);
	return 0;
}

int
thread_is_runnable(int tid)
{
	int fd = proc_stat_open((int)getpid(), tid);
	struct proc_stat st = { .state = '?' };

	if (fd < 0)
		return 0;
	(void)proc_stat_read(fd, &st);
	(void)close(fd);
	return st.state == 'R';
}

int
job_wait(struct job *j, uint64_t us)
{
	const struct timespec nap = { 0, NAP_NS };
	uint64_t end = clock_ns() + us * 1000;

	while (!job_is_done(j) && clock_ns() < end)
		(void)nanosleep(&nap, NULL);
	return job_is_done(j);
}
