/* A command that is started to be looked at. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stddef.h>

/*
 * Starts a command. What it prints goes to standard error, or with `silent`
 * nowhere. It ends when we do. Its pid and *ret_sys 0; or 0 and the errno.
 */
int child_start(const char *const *argv, size_t n, int silent, int *ret_sys);

int child_has_ended(int pid);

/* Ends it, if it has not ended, and waits for it. */
void child_end(int pid);

#endif
