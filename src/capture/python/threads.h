/*
 * The threads of a process that run Python, in all of its interpreters.
 *
 * They are lists in the process. Which threads there are is not asked for
 * each sample: every copy of a thread's state holds the address of the next,
 * and of the interpreter's the first, so that a change is seen for nothing.
 */
#ifndef CAPTURE_PYTHON_THREADS_H
#define CAPTURE_PYTHON_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/oncpu.h"
#include "capture/proc/pause.h"
#include "capture/proc/tids.h"
#include "capture/python/copy.h"
#include "capture/python/find.h"
#include "capture/python/names.h"
#include "capture/python/walk.h"

#define PY_MAX_INTERPRETERS 256

/* States that an interpreter has beyond the threads of the process: of those
 * that have just ended or begun, and that a program has made ahead. */
#define PY_SPARE_THREADS 64

/* States of all interpreters, for each thread of the process: programs with
 * sub-interpreters keep one for each of them. */
#define PY_STATES_PER_THREAD 32

struct py_thread {
	uint64_t at, interp; /* addresses of their states */
	uint64_t thread_id;  /* of pthread */
	uint64_t native_id;  /* as the process calls it; 0: it does not */
	int tid;             /* as we do; 0: not known */
	uint32_t interp_id;
	int is_main;
	int is_listed;       /* while the list is made */
	int stat_fd;         /* of /proc/PID/task/TID/stat; -1: not open */
	bob_tid track;       /* 0: not put yet */
	unsigned n_unnamed;  /* times that Python had no name for it */
	struct py_copy *copy;
	struct py_walk walk;
	struct pause pause;
	struct oncpu oncpu;
};

struct py_threads {
	struct process *p;
	const struct py_site *site;
	struct py_codes *codes;
	struct tids tids;
	struct py_thread **thread; /* as they are listed */
	size_t n_thread, cap_thread;
	int is_cut; /* the list was not followed to its end */
	struct ptrmap by_at;   /* those of before: indices */
	struct ptrmap listed;  /* addresses, while the list is made */
	struct py_copy_room room;
	struct py_names names;
};

void py_threads_init(struct py_threads *t, struct process *p,
    const struct py_site *site, struct py_codes *codes);
void py_threads_done(struct py_threads *t);

/*
 * Lists them anew; those that are known stay. 0; -errno when the list cannot
 * be read, and what could be stays; -ENOMEM is recorded.
 *
 * A list ends where it leads back into itself, and where it has more threads
 * than the process can have: is_cut.
 */
int py_threads_list(struct py_threads *t);

/* What was not there yet when a thread was listed, as of an interpreter that is
 * just beginning: its lock, and which thread is the main one. */
void py_threads_renew(struct py_threads *t);

/* True when the copies of all threads say that the list is as it was. */
int py_threads_are_same(const struct py_threads *t);

#endif
