/*
 * Who awaits a task.
 *
 * From 3.14 on a future has links to the tasks and futures that await it. Up to
 * 3.13 only the callbacks of a future tell (awaiters_callbacks.c):
 *
 *  - a task that waits for the future has a callback that wakes it;
 *  - a callback of gather, shield, wait or wait_for has the future that its
 *    caller waits for;
 *  - a callback of a TaskGroup has the task that opened the group.
 *
 * Other callbacks tell nothing: then nobody awaits the task. A task that a
 * future wakes must also be waiting for that future.
 *
 * Results are remembered until the next sample begins (struct py_task_reader),
 * because one task may await a thousand others.
 */
#ifndef CAPTURE_PYTHON_TASKS_AWAITERS_H
#define CAPTURE_PYTHON_TASKS_AWAITERS_H

#include "capture/python/tasks/task_reader.h"

/* Futures between a task and those that await it. gather has one. */
#define TASKS_MAX_FUTURES 16u

/* Finds out who awaits a task. 0; -ENOMEM, recorded. */
int py_task_awaiter(struct py_task_reader *t, const struct py_task *task,
    struct py_awaiter *ret);

/* --- shared by awaiters.c and awaiters_callbacks.c ----------------------- */

/* Adds the tasks of `more` to *to. */
void py_awaiter_add(struct py_awaiter *to, struct py_awaiter more);

/* The result that was remembered for the object at an address. Returns 1 and
 * sets *ret; 0 if there is none. */
int py_awaiter_known(const struct py_task_reader *t, uint64_t at,
    struct py_awaiter *ret);

/* Remembers a result. Sets t->is_out_of_memory if that fails. */
void py_awaiter_keep(struct py_task_reader *t, uint64_t at,
    struct py_awaiter found);

/* By the callbacks of a future. `depth`: how many futures were followed
 * before. */
struct py_awaiter py_awaiter_by_callbacks(struct py_task_reader *t,
    const struct py_task *future, unsigned depth);

#endif
