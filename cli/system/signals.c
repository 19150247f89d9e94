/* The handlers and the flags that they set; see the header. */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static volatile int is_stopped;
static volatile int for_child;
static atomic_int wants_rotation; /* taken by the thread that samples */
static atomic_int is_resized;

static void
on_stop(int sig, siginfo_t *info, void *context)
{
	(void)context;
	is_stopped = 1;
	if (sig != SIGINT || info->si_code != SI_KERNEL)
		for_child = sig;
}

static void
on_rotation(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	wants_rotation = 1;
}

static void
on_resize(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	is_resized = 1;
}

static void
catch(int sig, unsigned flags, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction sa, old;

	memset(&sa, 0, sizeof(sa));
	(void)sigemptyset(&sa.sa_mask);
	sa.sa_sigaction = handler;
	sa.sa_flags = SA_SIGINFO |
	    ((flags & SIGNALS_ONCE) != 0 ? SA_RESETHAND : 0);
	if ((flags & SIGNALS_ALWAYS) != 0 ||
	    (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN))
		(void)sigaction(sig, &sa, NULL);
}

void
signals_catch_stop(int sig, unsigned flags)
{
	catch(sig, flags, on_stop);
}

void
signals_catch_rotation(int sig, unsigned flags)
{
	catch(sig, flags, on_rotation);
}

void
signals_catch_resize(void)
{
	catch(SIGWINCH, SIGNALS_ALWAYS, on_resize);
}

const volatile int *
signals_stopped(void)
{
	return &is_stopped;
}

const volatile int *
signals_for_child(void)
{
	return &for_child;
}

int
signals_take_rotation(void)
{
	return atomic_exchange(&wants_rotation, 0);
}

int
signals_take_resize(void)
{
	return atomic_exchange(&is_resized, 0);
}

int
signals_is_resized(void)
{
	return is_resized;
}
