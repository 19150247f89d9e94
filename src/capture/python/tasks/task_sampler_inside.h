/*
 * What the files of the task sampler share: task_sampler.c (finding asyncio),
 * task_names.c, task_stacks.c, task_running.c, task_waiting.c and
 * task_requests.c. Nobody else includes it.
 */
#ifndef CAPTURE_PYTHON_TASKS_TASK_SAMPLER_INSIDE_H
#define CAPTURE_PYTHON_TASKS_TASK_SAMPLER_INSIDE_H

#include "capture/python/tasks/task_sampler.h"

/* The index of a task that cannot be read. */
#define PY_TASK_NOWHERE SIZE_MAX

/* From 3.14 on the module _asyncio describes its tasks in a table, and each
 * thread has a list of its own tasks. */
static inline int
py_tasks_has_table(const struct py_tasks *t)
{
	return t->site->o.minor >= PY_FIRST_TASK_TABLE;
}

/* The index in t->interp of the interpreter whose state is at an address. It
 * is added if it is new; if there is no room, it replaces the first one. */
unsigned py_tasks_interp_index(struct py_tasks *t, uint64_t interp);

/* --- task_names.c -------------------------------------------------------- */

/* The name of a task, or "<unnamed>" if it cannot be read. In 3.7 a task has no
 * name: then it is that of its coroutine. BOB_NO_ID when memory is out. */
bob_str py_tasks_name(struct py_tasks *t, const struct py_task *task);

/* The annotation "task.name". BOB_NO_ID when memory is out. */
bob_annot py_tasks_name_annot(struct py_tasks *t, bob_str name);

/* A hash of the name of a task. 0 if it has no name. */
uint64_t py_tasks_name_hash(struct py_tasks *t, const struct py_task *task);

/* --- task_stacks.c ------------------------------------------------------- */

/* Forgets the tasks of the thread that was sampled before. */
void py_tasks_forget(struct py_tasks *t);

/* Adds a task to t->task. BOB_OK or FATAL. */
int py_tasks_add(struct py_tasks *t, const struct py_task *task);

/*
 * Finds the task at an address in t->task, and reads and adds it if it is not
 * there. BOB_OK and *ret, which is PY_TASK_NOWHERE if the task cannot be read;
 * or FATAL.
 */
int py_tasks_find(struct py_tasks *t, uint64_t at, size_t *ret);

/* Finds out who awaits task i: t->task[i].by. BOB_OK or FATAL. */
int py_tasks_find_awaiter(struct py_tasks *t, size_t i);

/* Makes the stack of task i, and those of all tasks below it. BOB_OK or
 * FATAL. */
int py_tasks_make_stack(struct py_tasks *t, size_t i);

/* Pushes the frame "<task>" that stands for a task; n_by tasks await it.
 * BOB_NO_ID when memory is out. */
bob_stack py_tasks_push_mark(struct py_tasks *t, bob_stack stack,
    bob_str name, uint32_t n_by);

/* --- task_running.c ------------------------------------------------------ */

/*
 * Looks for the task that a thread runs: the one whose coroutine has a frame on
 * the stack that was proven. Returns the index of that frame in the memo, from
 * the outermost on, and sets *ret; -1 if there is none. *has_any: a loop of
 * this thread ran a task right before or after the stack was copied.
 */
long py_tasks_find_running(struct py_tasks *t, const struct py_thread *h,
    struct py_task *ret, int *has_any);

/* Returns 1 if a loop ran this task right before or after the copy. */
int py_tasks_is_current(const struct py_tasks *t, uint64_t task);

/* Sets t->running. BOB_OK or FATAL. */
int py_tasks_take_running(struct py_tasks *t, const struct py_thread *h);

/* --- task_waiting.c ------------------------------------------------------ */

/* Adds a run for each task that waits. BOB_OK or FATAL. */
int py_tasks_take_waiting(struct py_tasks *t, const struct py_thread *h);

/* --- task_requests.c ----------------------------------------------------- */

/* Returns 1 if code (an index) is that of uvicorn which serves a request, and
 * requests are wanted. */
int py_tasks_is_server(const struct py_tasks *t, uint32_t code);

/* Finds the request that a task serves; `frame` is the first of its coroutine.
 * *ret is 0 if there is none, or if the task changed while it was read. BOB_OK
 * or FATAL. */
int py_tasks_find_request(struct py_tasks *t, const struct py_task *task,
    uint64_t frame, uint32_t *ret);

#endif
