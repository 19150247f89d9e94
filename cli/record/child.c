/*
 * A command that is started to be recorded. It runs as it would without us: in
 * the same terminal, with its own signals.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"

/* How long a command may be something else, as a script that starts PHP with
 * exec, and how often to look. */
#define WAIT_MS 3000
#define LOOK_US 500

/* In the child: never returns. A failure goes through the pipe. */
static void
become(const char *const *operands, size_t n, int fd)
{
	char **argv = calloc(n + 1, sizeof(*argv));
	int sys;
	size_t i;

	for (i = 0; argv != NULL && i < n; i++)
		argv[i] = strdup(operands[i]);
	if (argv != NULL)
		(void)execvp(argv[0], argv);
	sys = errno;
	(void)!write(fd, &sys, sizeof(sys));
	_exit(127);
}

static int
start(struct record *r)
{
	const struct args *a = r->args;
	int fd[2], sys = 0;
	pid_t pid;
	ssize_t k;

	if (pipe(fd) < 0 || fcntl(fd[1], F_SETFD, FD_CLOEXEC) < 0)
		return errno;
	pid = fork();
	if (pid == 0) {
		(void)close(fd[0]);
		become(a->operands, a->n_operands, fd[1]);
	}
	(void)close(fd[1]);
	if (pid < 0)
		sys = errno;
	do
		k = pid > 0 ? read(fd[0], &sys, sizeof(sys)) : 0;
	while (k < 0 && errno == EINTR);
	(void)close(fd[0]);
	r->child = sys == 0 ? (int)pid : 0;
	return sys;
}

static int
has_ended(const struct record *r)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	return waitid(P_PID, (id_t)r->child, &info,
	    WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

int
record_launch(struct record *r)
{
	const struct timespec nap = { 0, LOOK_US * 1000 };
	struct bob_proc *p;
	int sys = start(r), i;

	if (sys != 0) {
		msg_error("%s: %s", r->args->operands[0], strerror(sys));
		return EXIT_FAILED;
	}
	for (i = 0; i < WAIT_MS * 1000 / LOOK_US; i++) {
		if (bob_attach(r->ctx, (uint64_t)r->child, &r->attach, &p) ==
		    BOB_OK)
			return record_add(r, p);
		if (bob_ctx_error(r->ctx)->code != BOB_E_FORMAT ||
		    has_ended(r))
			break;
		(void)nanosleep(&nap, NULL);
	}
	if (has_ended(r))
		msg_error("%s ended before anything could be read",
		    r->args->operands[0]);
	else
		msg_error("%s", bob_ctx_error(r->ctx)->text);
	return EXIT_FAILED;
}

void
record_wait(struct record *r)
{
	int status;

	if (r->child == 0)
		return;
	while (waitpid(r->child, &status, 0) < 0)
		if (errno != EINTR)
			return;
	if (WIFSIGNALED(status))
		msg_note("%s ended by signal %d", r->args->operands[0],
		    WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		msg_note("%s ended with status %d", r->args->operands[0],
		    WEXITSTATUS(status));
}
