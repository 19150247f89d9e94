/* Seize, interrupt, wait; release. */
#include "capture/proc/pause.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

/* A thread that runs stops within some microseconds, so we first look often;
 * one that waits for a processor takes some milliseconds; one that waits for
 * a disk may take longer than a sample is worth. */
#define N_LOOKS 100
#define NAP_NS 100000
#define N_NAPS 1000

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

int
pause_begin(struct pause *p, int tid)
{
	const struct timespec nap = { 0, NAP_NS };
	int i, r;

	if (!p->is_asked || p->tid != tid) {
		pause_done(p);
		p->tid = tid;
		if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0)
			return forget(p, -errno);
		if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0) {
			r = -errno;
			(void)ptrace(PTRACE_DETACH, tid, NULL, NULL);
			return forget(p, r);
		}
	}
	p->is_asked = 0;
	for (i = 0; i < N_LOOKS + N_NAPS; i++) {
		r = look(p);
		if (r != 0)
			return r > 0 ? 0 : forget(p, r);
		if (i < N_LOOKS)
			(void)sched_yield();
		else
			(void)nanosleep(&nap, NULL);
	}
	p->is_asked = 1;
	return -ETIMEDOUT;
}

void
pause_end(struct pause *p)
{
	(void)ptrace(PTRACE_DETACH, p->tid, NULL,
	    (void *)(intptr_t)p->signal);
	(void)forget(p, 0);
}

void
pause_done(struct pause *p)
{
	int status;

	if (!p->is_asked)
		return;
	/* It stops when the kernel is done with it, and must not stay so. */
	while (waitpid(p->tid, &status, __WALL) < 0)
		if (errno != EINTR) {
			(void)forget(p, 0);
			return;
		}
	if (WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_STOP)
		p->signal = WSTOPSIG(status);
	pause_end(p);
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
