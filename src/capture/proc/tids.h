/*
 * Translates thread ids of another pid namespace.
 *
 * A process in a container knows its threads by the ids of its own namespace,
 * and these are in its memory. Files of /proc, ptrace(2) and readers of a trace
 * need the ids of ours. An inner id must never be used as one of ours: some
 * other process may have it.
 */
#ifndef CAPTURE_PROC_TIDS_H
#define CAPTURE_PROC_TIDS_H

#include <stddef.h>

/* Limit of threads of one process. */
#define TIDS_MAX 4096

struct tid_pair {
	int inside, here;
};

struct tids {
	int pid;
	int is_nested; /* in a namespace below ours */
	struct tid_pair *pair;
	size_t n_pair;
	/* TIDS_ONCE: ids are read once more, and then kept (TIDS_KEPT) until
	 * this is set again. For lists of threads in foreign memory, which may
	 * have any number of wrong ids. */
	enum tids_keep { TIDS_ALWAYS, TIDS_ONCE, TIDS_KEPT } keep;
};

/* Returns the id that a process has in its own namespace; 0 if it has ended. */
int tids_own(int pid);

void tids_init(struct tids *t, int pid);
void tids_done(struct tids *t);

/* Returns our id of a thread by its inner id; 0 if there is none. If the
 * process has ended and is in our namespace, returns the id as it is. */
int tids_find(struct tids *t, int inside);

/* Reads the ids of all threads. Returns how many, or -errno. */
long tids_read(struct tids *t);

#endif
