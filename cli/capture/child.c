/* Starting, waiting for and ending a command; see the header. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "print/msg.h"

/* See child_patience_us. */
#define WAIT_US 3000000
#define PARENT_US 100000
/* How long to wait for its end after SIGTERM, and how often to look. */
#define END_MS 2000
#define END_LOOK_MS 10

static void
redirect(enum child_output where)
{
	int silent = where == CHILD_SILENT;
	int fd = silent ? open("/dev/null", O_WRONLY) : STDERR_FILENO;

	if (fd < 0)
		return;
	(void)dup2(fd, STDOUT_FILENO);
	if (silent)
		(void)dup2(fd, STDERR_FILENO);
	fd = silent ? open("/dev/null", O_RDONLY) : -1;
	if (fd >= 0)
		(void)dup2(fd, STDIN_FILENO);
}

/* The command gets default handlers, and the signals that came meanwhile. */
static void
release_signals(const sigset_t *mask)
{
	struct sigaction sa;
	int sig;

	for (sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &sa) < 0 || sa.sa_handler == SIG_IGN)
			continue;
		memset(&sa, 0, sizeof(sa));
		sa.sa_handler = SIG_DFL;
		(void)sigaction(sig, &sa, NULL);
	}
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
}

/* In the child: becomes the command, or writes the errno to fd. Never
 * returns. */
static void
become(const char *const *words, size_t n, enum child_output where, int fd)
{
	char **argv = calloc(n + 1, sizeof(*argv));
	size_t i;
	int sys;

	if (where != CHILD_AS_IS) {
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
		redirect(where);
	}
	for (i = 0; argv != NULL && i < n; i++) {
		argv[i] = strdup(words[i]);
		if (argv[i] == NULL)
			break;
	}
	if (argv != NULL && n > 0 && i == n)
		(void)execvp(argv[0], argv);
	sys = errno;
	(void)!write(fd, &sys, sizeof(sys));
	_exit(127);
}

int
child_start(const char *const *argv, size_t n, enum child_output where,
    const struct descriptors *d, int *ret_sys)
{
	int fd[2], sys = 0;
	sigset_t all, old;
	ssize_t k = 0;
	pid_t pid;

	if (pipe(fd) < 0 || fcntl(fd[1], F_SETFD, FD_CLOEXEC) < 0) {
		*ret_sys = errno;
		return 0;
	}
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid == 0) {
		release_signals(&old);
		descriptors_restore(d);
		(void)close(fd[0]);
		become(argv, n, where, fd[1]);
	}
	if (pid < 0)
		sys = errno;
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)close(fd[1]);
	do
		k = pid > 0 ? read(fd[0], &sys, sizeof(sys)) : 0;
	while (k < 0 && errno == EINTR);
	(void)close(fd[0]);
	if (sys != 0 && pid > 0)
		(void)waitpid(pid, NULL, 0);
	*ret_sys = sys;
	return sys == 0 ? (int)pid : 0;
}

int
child_has_ended(int pid)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	return waitid(P_PID, (id_t)pid, &info,
	    WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

uint64_t
child_patience_us(int is_parent)
{
	return is_parent ? PARENT_US : WAIT_US;
}

void
child_tell_refused(const char *name, const struct bob_ctx *ctx,
    const struct bob_watched *p)
{
	if (p->cause == BOB_REFUSED_ENDED)
		msg_error("%s ended before anything could be read", name);
	else
		msg_error("%s", bob_ctx_error(ctx)->text);
}

/* SIGCHLD needs a handler to wake sigsuspend(2). */
static void
on_child(int sig)
{
	(void)sig;
}

/* Signals are blocked except while sigsuspend(2) sleeps, so none can come
 * between waitpid(2) and the sleep. */
int
child_wait(int pid, const volatile int *signal)
{
	struct sigaction sa;
	sigset_t all, old;
	int status, told = 0;
	pid_t r;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_child;
	(void)sigaction(SIGCHLD, &sa, NULL);
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &old);
	while ((r = waitpid(pid, &status, WNOHANG)) == 0) {
		if (*signal != told) {
			told = *signal;
			(void)kill(pid, told);
		}
		(void)sigsuspend(&old);
	}
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	return r < 0 ? -1 : status;
}

void
child_end(int pid)
{
	const struct timespec nap = { 0, END_LOOK_MS * 1000000 };
	int i;

	if (!child_has_ended(pid))
		(void)kill(pid, SIGTERM);
	for (i = 0; i < END_MS / END_LOOK_MS && !child_has_ended(pid); i++)
		(void)nanosleep(&nap, NULL);
	if (!child_has_ended(pid))
		(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}
