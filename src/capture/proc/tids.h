/*
 * Numbers of threads in a pid namespace.
 *
 * A process in a container has numbers of its own for its threads, and those
 * are the ones that it keeps in its memory. Here they become ours, which is
 * what files of /proc, ptrace(2) and whoever reads a trace understand. A number
 * from inside must never be used outside: some other process has it there.
 */
#ifndef CAPTURE_PROC_TIDS_H
#define CAPTURE_PROC_TIDS_H

#include <stddef.h>

/* Threads of one process that are told apart. */
#define TIDS_MAX 4096

struct tid_pair {
	int inside, here;
};

struct tids {
	int pid;
	int is_nested; /* in a namespace below ours */
	struct tid_pair *pair;
	size_t n_pair;
	/* TIDS_ONCE: numbers are read once more, and then kept until this is
	 * set again; for lists of threads that a process may make up. */
	enum tids_keep { TIDS_ALWAYS, TIDS_ONCE, TIDS_KEPT } keep;
};

/* The number that a process has in its own namespace; 0 when it is gone. */
int tids_own(int pid);

void tids_init(struct tids *t, int pid);
void tids_done(struct tids *t);

/* Our number of a thread of the process, by its own; 0 when there is none. The
 * threads of a process that is gone are believed to be its own. */
int tids_find(struct tids *t, int inside);

/* Reads the numbers of all threads there are. How many; -errno. */
long tids_read(struct tids *t);

#endif
