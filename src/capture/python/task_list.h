/* The tasks of a thread, or of an interpreter: those that run, and all. */
#ifndef CAPTURE_PYTHON_TASK_LIST_H
#define CAPTURE_PYTHON_TASK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/task.h"

/* Tasks that are listed. */
#define TASKS_MAX 4096u

/* Loops that run a task at the same time. */
#define TASKS_MAX_LOOPS 32u

/* Addresses. */
struct py_loop_task {
	uint64_t loop, task;
};

struct py_task_list {
	struct py_task *v;
	size_t n, cap_v;
};

/* Which task each loop runs; up to 3.13. How many, or -errno. */
int py_task_list_current(struct py_task_reader *t,
    struct py_loop_task ret[TASKS_MAX_LOOPS]);

/*
 * All tasks that are not done: of a thread whose state is at this address, or
 * of the interpreter up to 3.13. What cannot be read is left out. 0 or
 * -ENOMEM, recorded.
 */
int py_task_list_read(struct py_task_list *l, struct py_task_reader *t,
    uint64_t thread);

#endif
