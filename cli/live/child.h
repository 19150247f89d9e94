/* A command that is started to be looked at. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stddef.h>

#include <bobbin/capture.h>

enum child_output {
	CHILD_AS_IS,     /* where ours goes; it lives on when we die */
	CHILD_ON_STDERR, /* on standard error; it ends when we do */
	CHILD_SILENT     /* nowhere, and its input is empty; the same */
};

/* Starts a command. Its pid and *ret_sys 0; or 0 and the errno. */
int child_start(const char *const *argv, size_t n, enum child_output where,
    int *ret_sys);

int child_has_ended(int pid);

/* One that was started. */
struct child {
	int pid;
	const char *name;
	int is_parent;  /* of what is to be read, too: it may be anything */
	const volatile int *signal; /* that was sent to us, if not 0; or NULL */
};

/*
 * Attaches to it as soon as it is something that can be read: a script may
 * start the interpreter first. EXIT_OK and *ret, or EXIT_FAILED after saying
 * what it did instead. For one that is a parent *ret is NULL after a tenth of
 * a second.
 */
int child_attach(struct bob_ctx *ctx, const struct child *child,
    const struct bob_attach_opts *opts, struct bob_proc **ret);

/*
 * Waits until it has ended: its status, as of waitpid(2), or -1. Each value
 * other than 0 that *signal takes, by a handler, is sent to it.
 */
int child_wait(int pid, const volatile int *signal);

/* Ends it, if it has not ended, and waits for it; one that does not listen is
 * killed after two seconds. */
void child_end(int pid);

#endif
