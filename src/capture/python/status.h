/* Who a thread is, and what it is doing beside its stack. */
#ifndef CAPTURE_PYTHON_STATUS_H
#define CAPTURE_PYTHON_STATUS_H

#include "capture/python/threads.h"

/*
 * The track of a thread: process, thread, interpreter and name. The name is
 * Python's, else the kernel's; it is read once, and again for some samples
 * when Python has none, as a thread that begins gets its name a moment later.
 * BOB_NO_ID when memory is out.
 */
bob_tid py_status_track(struct py_threads *t, struct py_thread *h);

/* BOB_STATUS_ON_CPU, 0 when it is not, or BOB_STATUS_UNKNOWN. */
uint8_t py_status_cpu(const struct process *p, struct py_thread *h);

/* Bits of enum bob_run_status: `cpu`, and what the copy that was taken last
 * says. */
uint8_t py_status_of(struct process *p, const struct py_site *site,
    const struct py_thread *h, uint8_t cpu);

#endif
