/* Lists the tasks that run, and all tasks, of a thread or an interpreter. */
#ifndef CAPTURE_PYTHON_TASKS_TASK_LIST_H
#define CAPTURE_PYTHON_TASKS_TASK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/tasks/task_reader.h"

/* Tasks that are listed, at most. */
#define TASKS_MAX 4096u

/* Loops that run a task at the same time, at most. */
#define TASKS_MAX_LOOPS 32u

/* A loop and the task that it runs: addresses. */
struct py_loop_task {
	uint64_t loop, task;
};

struct py_task_list {
	struct py_task *v;
	size_t n, cap_v;
};

/* Up to 3.13: reads which task each loop runs. Returns how many, or -errno. */
int py_task_list_current(struct py_task_reader *t,
    struct py_loop_task ret[TASKS_MAX_LOOPS]);

/*
 * Reads all tasks that are not done: of the thread whose state is at `thread`;
 * up to 3.13 of the interpreter. Tasks that cannot be read are left out. 0;
 * -ENOMEM, recorded.
 */
int py_task_list_read(struct py_task_list *l, struct py_task_reader *t,
    uint64_t thread);

#endif
