/* Stops threads with PTRACE_SEIZE and PTRACE_INTERRUPT; see pause.h. */
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
 * A thread that runs on another processor stops within some ten microseconds;
 * sleeping would double that, so we spin. One that does not run, perhaps
 * because we have its processor, stops when it runs: then we sleep until the
 * kernel wakes us. One that waits for a disk may take too long; then we give
 * up.
 */
#define SPIN_NS 20000
/* If the last stop needed a sleep, the thread is probably on our processor and
 * cannot stop before we sleep. So we only spin for every 16th stop. */
#define SPIN_EVERY 16
#define GIVE_UP_NS 100000000
/* Limit of one wait, as SIGCHLD may go to another thread of ours, or be
 * lost. */
#define POLL_MS 1
/* Sleep after a SIGCHLD that was for something else. */
#define NAP_NS 50000

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

static int
pause_forget(struct pause *p, int r)
{
	unsigned n_slept = p->n_slept;

	memset(p, 0, sizeof(*p));
	p->n_slept = n_slept;
	return r;
}

/* Returns 1 if the thread has stopped; 0 if not yet; -errno. */
static int
poll_stop(struct pause *p)
{
	int status;
	pid_t r = waitpid(p->tid, &status, __WALL | WNOHANG);

	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	if (r == 0)
		return 0;
	if (!WIFSTOPPED(status))
		return -ESRCH;
	/* It was stopped by a signal, which is delivered later. */
	if (status >> 16 != PTRACE_EVENT_STOP)
		p->signal = WSTOPSIG(status);
	return 1;
}

/* Leaves a scheduling policy alone that somebody has chosen for us. */
static void
raise_priority(struct pause *p)
{
	const struct sched_param param = { .sched_priority = 1 };

	p->is_raised = !hand_is_urgent() &&
	    sched_getscheduler(0) == SCHED_OTHER &&
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
spin_until(struct pause *p, uint64_t t)
{
	int r;

	do
		r = poll_stop(p);
	while (r == 0 && clock_ns() < t);
	return r;
}

/* Returns a signalfd for a set. The thread that samples keeps its own. */
static int
open_sigchld(const sigset_t *set)
{
	struct hand *h = hand_current;

	if (h == NULL)
		return signalfd(-1, set, SFD_CLOEXEC);
	if (h->told_fd < 0)
		h->told_fd = signalfd(-1, set, SFD_CLOEXEC);
	return h->told_fd;
}

static void
close_sigchld(int fd)
{
	if (hand_current == NULL && fd >= 0)
		(void)close(fd);
}

/*
 * waitpid has no timeout. But a thread that stops sends us SIGCHLD. While that
 * is blocked it stays pending, and polling a signalfd shows it without
 * consuming it: others who wait for it still get it.
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
		return spin_until(p, t);
	fd.fd = open_sigchld(&child);
	for (;;) {
		p->t_since = clock_ns();
		r = poll_stop(p);
		if (r != 0 || p->t_since >= t)
			break;
		if (is_told)
			(void)nanosleep(&nap, NULL);
		is_told = fd.fd < 0 || poll(&fd, 1, POLL_MS) > 0;
	}
	close_sigchld(fd.fd);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* Asks a thread to stop. Returns 0, or -errno. */
static int
ask_to_stop(struct pause *p, int tid)
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

/* Waits until it has stopped. Returns 1; 0 if not in time; -errno. */
static int
await_stop(struct pause *p)
{
	int r = 0;

	if (p->n_slept % SPIN_EVERY == 0)
		r = spin_until(p, p->t_since + SPIN_NS);
	if (r != 0) {
		p->n_slept = 0;
		return r;
	}
	p->n_slept++;
	return sleep_until(p, p->t_since + GIVE_UP_NS);
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
		r = ask_to_stop(p, tid);
	else
		p->t_since = clock_ns();
	p->is_asked = 0;
	if (r == 0)
		r = await_stop(p);
	if (r > 0)
		return 0;
	lower_priority(p);
	if (r < 0)
		return pause_forget(p, r);
	p->is_asked = 1;
	return -ETIMEDOUT;
}

uint64_t
pause_end(struct pause *p)
{
	uint64_t t_since = p->t_since, t = clock_ns();

	(void)ptrace(PTRACE_DETACH, p->tid, NULL,
	    (void *)(intptr_t)p->signal);
	/* The release itself counts, unless the thread may have taken our
	 * processor meanwhile. */
	if (p->is_raised)
		t = clock_ns();
	lower_priority(p);
	(void)pause_forget(p, 0);
	return t - t_since;
}

/* Waits without limit. Returns 0, or -errno. If our thread is left behind here
 * (hand.h), the kernel releases the thread when ours ends. */
static int
wait_for_stop(int tid, int *status)
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
	/* It will stop some time, and must not stay stopped. */
	if (wait_for_stop(p->tid, &status) < 0) {
		(void)pause_forget(p, 0);
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
