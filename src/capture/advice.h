/*
 * Why a process may not be read, and what to do about it: the one place for
 * these words. bob_attach puts them into its error, the checks show them.
 */
#ifndef CAPTURE_ADVICE_H
#define CAPTURE_ADVICE_H

struct advice {
	char text[256];
	char fix[224]; /* "" when there is none */
};

/* After reading process `pid` failed with `sys` (EPERM, EACCES, ENOSYS). */
void advice_refused(int pid, int sys, struct advice *ret);

/* Reads a byte of ourselves in the way that processes are read: 0, or
 * -errno, and then no process can be. */
int advice_try_self(void);

/* What to do where processes cannot be read at all: `sys` is what
 * advice_try_self gave. */
void advice_blocked(int sys, struct advice *ret);

/* The meaning of kernel.yama.ptrace_scope; -1: there is none. */
const char *advice_scope(long scope);

#endif
