/*
 * The threads of a process that run Python, in all of its interpreters.
 *
 * An interpreter has a linked list of its threads. The lists are not walked in
 * each sample: the copy of a thread's state has the address of the next thread,
 * and that of its interpreter the first one. So a change is seen without
 * another read.
 */
#ifndef CAPTURE_PYTHON_THREADS_THREADS_H
#define CAPTURE_PYTHON_THREADS_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/oncpu.h"
#include "capture/proc/pause.h"
#include "capture/proc/tids.h"
#include "capture/python/frames/copy.h"
#include "capture/python/frames/walk.h"
#include "capture/python/layout/find_python.h"
#include "capture/python/servers/server.h"
#include "capture/python/threads/thread_names.h"

#define PY_MAX_INTERPRETERS 256

/* PyThreadStates that an interpreter may have beyond the threads of the
 * process: of threads that just ended or began, and those that a program made
 * in advance. */
#define PY_SPARE_THREADS 64

/* PyThreadStates of all interpreters for each thread of the process: programs
 * with sub-interpreters keep one for each of them. */
#define PY_STATES_PER_THREAD 32

struct py_thread {
	uint64_t at, interp; /* addresses of thread's and interpreter's state */
	uint64_t thread_id;  /* of pthread */
	uint64_t native_id;  /* the tid in the process's namespace; 0: none */
	int tid;             /* in our namespace; 0: not known */
	uint32_t interp_id;
	int is_main;
	int is_listed;       /* it is in the list that is being made */
	int is_again;        /* its stack was read more than once */
	int stat_fd;         /* of /proc/PID/task/TID/stat; -1: not open */
	bob_tid track;       /* 0: not made yet */
	unsigned n_unnamed;  /* how often Python had no name for it */
	struct py_copy *copy;
	struct py_walk walk;
	struct py_request request;
	struct pause pause;
	struct oncpu oncpu;
};

struct py_thread_list {
	struct py_thread **thread;
	size_t n_thread, cap_thread;
	size_t max;     /* threads of one interpreter */
	size_t max_all; /* and of all of them */
};

struct py_threads {
	struct process *p;
	const struct py_site *site;
	struct py_codes *codes;
	struct tids tids;
	struct py_thread **thread; /* in the order of the lists */
	size_t n_thread, cap_thread;
	/* The list that is being made. It is here so that new threads are
	 * freed if a read never returns (hand.h). */
	struct py_thread_list next;
	int is_cut; /* the lists were not followed to their ends */
	struct ptrmap by_at;   /* threads of before: indices, by address */
	struct ptrmap listed;  /* addresses that were met in this list */
	struct py_copy_room room;
	struct py_names names;
};

void py_threads_init(struct py_threads *t, struct process *p,
    const struct py_site *site, struct py_codes *codes);
void py_threads_done(struct py_threads *t);

/*
 * Lists the threads again; those that are known stay. 0; -ENOMEM, recorded;
 * another -errno if a list cannot be read: then the threads that were read, and
 * those of before, stay.
 *
 * A list is cut where it leads back into itself, and where it has more threads
 * than the process can have: t->is_cut.
 */
int py_threads_list(struct py_threads *t);

/* Reads again what may not have been there when a thread was listed, because
 * its interpreter was just starting: the GIL, and which thread is the main
 * one. */
void py_threads_renew(struct py_threads *t);

/* Returns 1 if the lists are as they were, by the copies of all threads. */
int py_threads_are_same(const struct py_threads *t);

#endif
