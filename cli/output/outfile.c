/*
 * Output files, and what signals do to them. The handler only calls what is
 * safe in a handler: unlinkat, signal, raise.
 */
#include "outfile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The unfinished file and its directory, for the handler. There is at most one:
 * the file of a segment gets its final name before the next one begins. */
static const char *volatile unfinished;
static volatile int unfinished_dir;

static void
on_signal(int sig)
{
	if (unfinished != NULL)
		(void)unlinkat(unfinished_dir, unfinished, 0);
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

void
outfile_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	(void)sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup and background jobs ignore signals on purpose. */
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
	}
}

/* Sets the directory first: the handler may run in between. */
static void
on_unfinished(void *user, int dir_fd, const char *name)
{
	(void)user;
	if (name != NULL)
		unfinished_dir = dir_fd;
	unfinished = name;
}

struct bob_target
outfile_target(const char *path)
{
	return (struct bob_target){ .path = path != NULL ? path : "-",
		.fd = -1, .flags = BOB_TARGET_LAZY,
		.unfinished = on_unfinished };
}

void
outfile_end_if_unread(const struct bob_error *e)
{
	if (e->side != BOB_SIDE_OUTPUT || e->sys != EPIPE)
		return;
	/* Also if SIGPIPE was ignored. */
	(void)signal(SIGPIPE, SIG_DFL);
	(void)raise(SIGPIPE);
}
