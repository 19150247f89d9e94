/*
 * A signal that ends the process restores the terminal and then has its usual
 * effect. Handlers that were installed before, such as those of a sanitizer,
 * are put back first, so that they run.
 */
#include "tty_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Mouse reports: presses, drags, and coordinates as decimal numbers. */
#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV,
	SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGWINCH, SIGTSTP, SIGCONT };

#define N_CAUGHT (sizeof(caught) / sizeof(caught[0]))

static struct {
	int fd;
	struct termios before;
	char restore[256]; /* what makes the screen plain again */
	struct sigaction old[N_CAUGHT];
	int is_set;
	int pipe[2];
	int has_atexit;
} state = { .fd = -1, .pipe = { -1, -1 } };

static atomic_int is_taken, is_resized, is_stopping, is_continued;

static void
tty_write(const char *s)
{
	size_t n = strlen(s);
	ssize_t r;

	while (n > 0 && (r = write(state.fd, s, n)) > 0) {
		s += r;
		n -= (size_t)r;
	}
}

static int
ends_process(int sig)
{
	return sig != SIGWINCH && sig != SIGTSTP && sig != SIGCONT;
}

static void on_end(int sig, siginfo_t *info, void *context);
static void on_news(int sig);

/* Leaves signals alone that our parent ignored, as nohup does. */
static void
catch_all(void)
{
	struct sigaction sa;
	size_t i;

	for (i = 0; i < N_CAUGHT; i++) {
		if (state.old[i].sa_handler == SIG_IGN &&
		    ends_process(caught[i]))
			continue;
		memset(&sa, 0, sizeof(sa));
		(void)sigemptyset(&sa.sa_mask);
		if (ends_process(caught[i])) {
			sa.sa_sigaction = on_end;
			sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
		} else {
			sa.sa_handler = on_news;
		}
		(void)sigaction(caught[i], &sa, NULL);
	}
}

void
tty_signal_take(const char *restore)
{
	(void)snprintf(state.restore, sizeof(state.restore), "%s", restore);
	catch_all(); /* ncurses has taken some for itself */
	is_taken = 1;
	tty_write(MOUSE_ON);
}

void
tty_signal_release(void)
{
	int e = errno;

	if (!is_taken)
		return;
	is_taken = 0;
	tty_write(MOUSE_OFF);
	tty_write(state.restore);
	(void)tcsetattr(state.fd, TCSANOW, &state.before);
	errno = e;
}

static const struct sigaction *
old_action(int sig)
{
	size_t i;

	for (i = 0; i < N_CAUGHT - 1 && caught[i] != sig; i++)
		;
	return &state.old[i];
}

/* A fault happens again as soon as the handler returns. A signal that somebody
 * sent must be raised again. */
static void
on_end(int sig, siginfo_t *info, void *context)
{
	(void)context;
	tty_signal_release();
	(void)sigaction(sig, old_action(sig), NULL);
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		(void)raise(sig);
}

static void
on_news(int sig)
{
	int e = errno;
	ssize_t r;

	if (sig == SIGWINCH)
		is_resized = 1;
	else if (sig == SIGTSTP)
		is_stopping = 1;
	else
		is_continued = 1;
	r = write(state.pipe[1], "", 1); /* full is fine: it is readable */
	(void)r;
	errno = e;
}

static int
make_pipe(void)
{
	int i;

	if (pipe(state.pipe) < 0)
		return -1;
	for (i = 0; i < 2; i++) {
		(void)fcntl(state.pipe[i], F_SETFL, O_NONBLOCK);
		(void)fcntl(state.pipe[i], F_SETFD, FD_CLOEXEC);
	}
	return 0;
}

int
tty_signal_init(int fd, const struct termios *before)
{
	size_t i;

	if (make_pipe() < 0)
		return -1;
	state.fd = fd;
	state.before = *before;
	state.is_set = 1;
	if (!state.has_atexit && atexit(tty_signal_release) == 0)
		state.has_atexit = 1;
	for (i = 0; i < N_CAUGHT; i++)
		(void)sigaction(caught[i], NULL, &state.old[i]);
	catch_all();
	return 0;
}

void
tty_signal_done(void)
{
	size_t i;

	if (!state.is_set)
		return;
	for (i = 0; i < N_CAUGHT; i++)
		(void)sigaction(caught[i], &state.old[i], NULL);
	(void)close(state.pipe[0]);
	(void)close(state.pipe[1]);
	state.is_set = 0;
}

int
tty_signal_fd(void)
{
	return state.pipe[0];
}

int
tty_signal_news(void)
{
	char drop[64];

	while (read(state.pipe[0], drop, sizeof(drop)) > 0)
		;
	if (is_stopping) {
		is_stopping = 0;
		return SIGNAL_STOP;
	}
	if (is_continued) {
		is_continued = 0;
		is_resized = 0;
		return SIGNAL_CONTINUE;
	}
	if (is_resized) {
		is_resized = 0;
		return SIGNAL_RESIZE;
	}
	return SIGNAL_NOTHING;
}

void
tty_signal_stop(void)
{
	struct sigaction ours, plain;

	memset(&plain, 0, sizeof(plain));
	plain.sa_handler = SIG_DFL;
	(void)sigaction(SIGTSTP, &plain, &ours);
	(void)raise(SIGTSTP); /* we stop here */
	(void)sigaction(SIGTSTP, &ours, NULL);
	is_continued = 0; /* the caller knows already */
}
