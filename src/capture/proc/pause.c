/* Seize, interrupt, wait; release. */
#include "capture/proc/pause.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/hand.h"
#include "core/clock.h"

/*
 * A thread that runs on another processor has stopped after some ten
 * microseconds: sleeping would double that. One that does not run, maybe as we
 * have its processor, stops when it does: then we sleep until the kernel says
 * so. One that waits for a disk may take longer than a sample is worth.
 */
#define SPIN_NS 20000
#define GIVE_UP_NS 100000000
/* Where the kernel may say so to another thread of ours, or to nobody. */
#define POLL_MS 1
/* Where it says so of something else. */
#define NAP_NS 50000

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

static int
forget(struct pause *p, int r)
{
	memset(p, 0, sizeof(*p));
	return r;
}

/* 1: it is stopped; 0: not yet; -errno. */
static int
look(struct pause *p)
{
	int status;
	pid_t r = waitpid(p->tid, &status, __WALL | WNOHANG);

	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	if (r == 0)
		return 0;
	if (!WIFSTOPPED(status))
		return -ESRCH;
	/* Stopped by a signal on its way: it is handed on. */
	if (status >> 16 != PTRACE_EVENT_STOP)
		p->signal = WSTOPSIG(status);
	return 1;
}

/* What somebody has chosen for us is left alone. */
static void
raise_priority(struct pause *p)
{
	const struct sched_param param = { .sched_priority = 1 };

	p->is_raised = sched_getscheduler(0) == SCHED_OTHER &&
	    sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

static void
lower_priority(struct pause *p)
{
	const struct sched_param param = { .sched_priority = 0 };

	if (p->is_raised)
		(void)sched_setscheduler(0, SCHED_OTHER, &param);
	p->is_raised = 0;
}

static int
look_until(struct pause *p, uint64_t t)
{
	int r;

	do
		r = look(p);
	while (r == 0 && clock_ns() < t);
	return r;
}

/*
 * waitpid has no timeout. A thread that stops sends us SIGCHLD, though, which
 * stays pending while it is blocked, and a signalfd tells that it is without
 * taking it away: whoever else waits for it gets it.
 */
static int
sleep_until(struct pause *p, uint64_t t)
{
	const struct timespec nap = { 0, NAP_NS };
	struct pollfd fd = { .events = POLLIN };
	sigset_t child, before;
	int r, is_told = 0;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	if (pthread_sigmask(SIG_BLOCK, &child, &before) != 0)
		return look_until(p, t);
	fd.fd = signalfd(-1, &child, SFD_CLOEXEC);
	for (;;) {
		p->t_since = clock_ns();
		r = look(p);
		if (r != 0 || p->t_since >= t)
			break;
		if (is_told)
			(void)nanosleep(&nap, NULL);
		is_told = fd.fd < 0 || poll(&fd, 1, POLL_MS) > 0;
	}
	if (fd.fd >= 0)
		(void)close(fd.fd);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* 0, or -errno. */
static int
ask(struct pause *p, int tid)
{
	int r;

	p->tid = tid;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0)
		return -errno;
	p->t_since = clock_ns();
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0)
		return 0;
	r = -errno;
	(void)ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return r;
}

int
pause_begin(struct pause *p, int tid)
{
	int is_asked = p->is_asked && p->tid == tid;
	int r = 0;

	if (!is_asked)
		pause_done(p);
	raise_priority(p);
	if (!is_asked)
		r = ask(p, tid);
	else
		p->t_since = clock_ns();
	p->is_asked = 0;
	if (r == 0)
		r = look_until(p, p->t_since + SPIN_NS);
	if (r == 0)
		r = sleep_until(p, p->t_since + GIVE_UP_NS);
	if (r > 0)
		return 0;
	lower_priority(p);
	if (r < 0)
		return forget(p, r);
	p->is_asked = 1;
	return -ETIMEDOUT;
}

uint64_t
pause_end(struct pause *p)
{
	uint64_t t_since = p->t_since, t = clock_ns();

	(void)ptrace(PTRACE_DETACH, p->tid, NULL,
	    (void *)(intptr_t)p->signal);
	/* Waking it up is part of it, unless it has our processor now. */
	if (p->is_raised)
		t = clock_ns();
	lower_priority(p);
	(void)forget(p, 0);
	return t - t_since;
}

/* 0, or -errno. A thread that another one takes the place of lets go of what
 * it has asked for when it ends. */
static int
wait_for(int tid, int *status)
{
	int r;

	hand_away();
	do
		r = waitpid(tid, status, __WALL) < 0 ? -errno : 0;
	while (r == -EINTR);
	hand_back();
	return r;
}

void
pause_done(struct pause *p)
{
	int status;

	if (!p->is_asked)
		return;
	/* It stops when the kernel is done with it, and must not stay so. */
	if (wait_for(p->tid, &status) < 0) {
		(void)forget(p, 0);
		return;
	}
	if (WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_STOP)
		p->signal = WSTOPSIG(status);
	(void)pause_end(p);
}

int
pause_thread_pointer(const struct pause *p, uint64_t *ret)
{
#if defined(__x86_64__)
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, p->tid, NULL, &regs) < 0)
		return -errno;
	*ret = regs.fs_base;
	return 0;
#elif defined(__aarch64__)
	uint64_t tls = 0;
	struct iovec v = { &tls, sizeof(tls) };

	if (ptrace(PTRACE_GETREGSET, p->tid, NT_ARM_TLS, &v) < 0)
		return -errno;
	*ret = tls;
	return 0;
#else
	(void)p;
	(void)ret;
	return -ENOSYS;
#endif
}
