/* The track of a thread (process, thread, name), and its status: on CPU, has
 * the GIL, waits for it, has an exception. */
#ifndef CAPTURE_PYTHON_THREADS_THREAD_STATUS_H
#define CAPTURE_PYTHON_THREADS_THREAD_STATUS_H

#include "capture/python/threads/threads.h"

/*
 * The track of a thread: process, thread, interpreter and name. The name is
 * that of Python, else that of the kernel. It is read once; if Python has none,
 * it is read again in some more samples, because a new thread gets its name a
 * moment later. BOB_NO_ID when memory is out.
 */
bob_tid py_status_track(struct py_threads *t, struct py_thread *h);

/* Returns BOB_STATUS_ON_CPU; 0 if the thread is not on a CPU; or
 * BOB_STATUS_UNKNOWN. */
uint8_t py_status_cpu(struct process *p, struct py_thread *h);

/* Bits of enum bob_run_status: `cpu`, and those by the copy that was taken
 * last. */
uint8_t py_status_of(struct process *p, const struct py_site *site,
    const struct py_thread *h, uint8_t cpu);

#endif
