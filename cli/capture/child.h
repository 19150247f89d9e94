/* A command that is started to be sampled. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/watch.h>

#include "system/descriptors.h"

enum child_output {
	CHILD_AS_IS,     /* where ours goes; it lives on when we die */
	CHILD_ON_STDERR, /* on standard error; it ends when we do */
	CHILD_SILENT     /* nowhere, and its input is empty; the same */
};

/* Starts a command of n words, with the limit of open files that `d` has kept.
 * Returns its pid; 0 if it failed, and sets *ret_sys to the errno. */
int child_start(const char *const *argv, size_t n, enum child_output where,
    const struct descriptors *d, int *ret_sys);

int child_has_ended(int pid);

/* How long a command may take to become an interpreter, for bob_watch_add: a
 * shell script may start it first. With is_parent its children are sampled, so
 * it may stay anything else. */
uint64_t child_patience_us(int is_parent);

/* Says why a command cannot be read. */
void child_tell_refused(const char *name, const struct bob_ctx *ctx,
    const struct bob_watched *p);

/*
 * Waits until it has ended. Returns its status, as waitpid(2) gives it, or -1.
 * Each signal that a handler stores in *signal meanwhile is sent to it.
 */
int child_wait(int pid, const volatile int *signal);

/* Ends it with SIGTERM, after two seconds with SIGKILL, and waits for it. */
void child_end(int pid);

#endif
