/*
 * Explains why a process may not be read, and what to do about it.
 * bob_attach() puts the text into its error, and the doctor's checks show it.
 */
#ifndef CAPTURE_DOCTOR_ADVICE_H
#define CAPTURE_DOCTOR_ADVICE_H

struct advice {
	char text[256];
	char fix[224]; /* "" if there is none */
};

/* Sets *ret after reading process `pid` failed with `sys` (EPERM, EACCES or
 * ENOSYS). */
void advice_refused(int pid, int sys, struct advice *ret);

/* Reads a byte of our own memory as that of processes is read. Returns 0;
 * -errno, and then no process can be read. */
int advice_try_self(void);

/* Sets *ret for a system where no process can be read; `sys` is the errno of
 * advice_try_self(). */
void advice_blocked(int sys, struct advice *ret);

/* Returns kernel.yama.ptrace_scope; -1 if the kernel has no Yama. */
long advice_read_scope(void);

/* Returns the meaning of that number. */
const char *advice_scope(long scope);

#endif
