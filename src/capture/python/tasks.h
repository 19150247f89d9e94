/*
 * Tasks of asyncio: which one a thread runs, who awaits it, and what those
 * that wait are waiting in.
 *
 * From 3.14 on the module _asyncio has a table of where things are, in a
 * section of its own, and the state of a thread tells the task that it runs.
 * The module is loaded when a program imports it, which may be long after it
 * was attached; so it is looked for now and then until it is there.
 *
 * A task is believed to run when the frame of its coroutine is on the stack.
 * Its stack is then
 *
 *     <task> of those that await it and their coroutines, the outermost first
 *     <task>, and the coroutine with what it calls
 *
 * without what is below it, which is the loop. A task that waits has the chain
 * of its coroutines; those of tasks that others are awaited by are part of
 * theirs. Coroutines that wait do not move while another task of their loop
 * runs; what has moved nevertheless while it was read is left out.
 */
#ifndef CAPTURE_PYTHON_TASKS_H
#define CAPTURE_PYTHON_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/coro.h"
#include "capture/python/threads.h"

/* The first version whose _asyncio describes itself. */
#define PY_FIRST_TASKS PY_FIRST_CHAINS

/* Tasks of one thread, of one chain, and what may await one task. */
#define TASKS_MAX 4096u
#define TASKS_MAX_CHAIN 64u
#define TASKS_MAX_AWAITERS 1024u

/* Objects that are read for one sample of a thread: a process can make up
 * tasks that await each other as it likes. */
#define TASKS_MAX_STEPS 65536u

/* What is read of a task. Known versions have 200. */
#define TASKS_MAX_SIZE 512u

/* Py_AsyncioModuleDebugOffsets */
struct py_task_offsets {
	uint32_t size, name, awaited_by, is_task, is_set, coro, node;
	uint32_t ts_task, ts_head; /* of a thread's state */
};

/* The table is 13 words. NULL, or what is wrong with it. */
#define PY_TASK_TABLE (13 * 8)
const char *py_task_table_read(const uint8_t *table,
    struct py_task_offsets *ret);

struct py_task {
	uint64_t at, coro, name, awaited_by, next;
	int is_task, is_set;
	uint64_t parent;    /* one that awaits it; 0: none */
	uint32_t n_parents;
};

struct py_tasks {
	struct process *p;
	const struct py_site *site;
	struct py_codes *codes;
	int is_found, is_refused;
	uint64_t t_look;   /* when to look next */
	struct py_task_offsets o;
	struct py_coros coros;
	uint32_t n_steps;  /* objects that were read for this sample */
	bob_fid *fid;      /* frames of a part of a stack, innermost first */
	size_t n_fid, cap_fid;
	struct py_task *task; /* of one thread, while all are read */
	size_t n_task, cap_task;
	struct ptrmap parents; /* those that await others */
};

void py_tasks_init(struct py_tasks *t, struct process *p,
    const struct py_site *site, struct py_codes *codes);
void py_tasks_done(struct py_tasks *t);

/* Where a process has the table, by its files; 0: nowhere (yet). */
uint64_t py_tasks_find(struct process *p);

/* Looks for the table where it is not known yet, some times a second. True
 * when there is one. */
int py_tasks_are_known(struct py_tasks *t);

/* What is read of a thread's state for its task. */
void py_tasks_prepare(const struct py_tasks *t, struct py_thread *h);

/* False when a thread runs a task and its stack, which was just proven, is not
 * that of it. */
int py_tasks_is_true(struct py_tasks *t, const struct py_thread *h);

/*
 * The stack of a thread as that of its task, and the name of the task as an
 * annotation; as they were when it runs none. BOB_OK or FATAL.
 */
int py_tasks_put_running(struct py_tasks *t, const struct py_thread *h,
    bob_stack *stack, bob_annot *annot);

/* Adds a run for each task of a thread that waits. BOB_OK or FATAL. */
int py_tasks_put_waiting(struct py_tasks *t, const struct py_thread *h);

#endif
