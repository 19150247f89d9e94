/*
 * Calls that fail on demand. The test program is linked so that allocations
 * and system calls of the library come through here (--wrap).
 */
#ifndef FAULT_INJECT_H
#define FAULT_INJECT_H

enum inject {
	INJECT_MEMORY,
	INJECT_SYSTEM,
	INJECT_SHORT, /* reads give half of what there is */
	N_INJECT
};

/* The n-th call of this kind from now (1: the next) fails; `lasting`: and all
 * after it. */
void inject_arm(enum inject kind, unsigned long n, int lasting);

/* The n-th system call from now kills this process with SIGKILL, before it does
 * anything. */
void inject_kill(unsigned long n);

/* No more failures. True when there was one. */
int inject_disarm(void);

/* The name of the function that failed first, for messages. */
const char *inject_where(void);

/* For wrappers: counts a call, sets errno and is true when it is to fail. */
int inject_fails(enum inject kind, const char *name, int sys);

#endif
