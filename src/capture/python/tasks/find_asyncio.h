/*
 * Finds the tasks of asyncio, and the layout of a task.
 *
 * From 3.14 on the module _asyncio has a table of its offsets in a section of
 * its own, and the state of a thread leads to its tasks. Up to 3.13 the module,
 * found in sys.modules, has two variables: a dictionary of the tasks that run,
 * and a set of weak references to all tasks. The offsets are then ours. They
 * are used only if the types Future and Task have the sizes that belong to
 * them.
 *
 * Programs without _asyncio have tasks that are written in Python. Those are
 * not found.
 */
#ifndef CAPTURE_PYTHON_TASKS_FIND_ASYNCIO_H
#define CAPTURE_PYTHON_TASKS_FIND_ASYNCIO_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/layout/find_python.h"

/* The first version whose _asyncio describes itself. */
#define PY_FIRST_TASK_TABLE 14

/* Bytes that are read of a task, at most. Known versions have 208. */
#define TASKS_MAX_SIZE 512u

/* Offsets in TaskObj, which begins with the fields of FutureObj. */
struct py_task_offsets {
	uint32_t size, name, coro; /* name: PY_NONE in 3.7 */
	/* From 3.14 on: Py_AsyncioModuleDebugOffsets */
	uint32_t awaited_by, is_task, is_set, node;
	uint32_t ts_task, ts_head; /* in PyThreadState */
	/* Up to 3.13 */
	uint32_t future_size, callback0, callbacks, state, waiter;
};

/* Bytes of the table: 13 words. */
#define PY_TASK_TABLE (13 * 8)

/* Reads the offsets from the table. 0; -EINVAL if one cannot be used, and *why
 * says which. */
int py_task_table_read(const uint8_t *table, unsigned minor,
    struct py_task_offsets *ret, struct py_fault *why);

/* A search for the table in the files of a process, by another thread
 * (load.h). */
struct py_table_look;

/*
 * Finds the address of the table in a process. Returns 1 and sets *ret, to 0 if
 * there is no table (yet). Returns 0 while the files are still being read; if
 * the caller may wait, this waits instead. *look is NULL at first; the caller
 * owns it and drops it with py_table_look_drop().
 */
int py_task_table_find(struct process *p, struct py_table_look **look,
    uint64_t *ret);
void py_table_look_drop(struct py_table_look *look);

/* Addresses in an interpreter up to 3.13. These objects and types live as long
 * as the interpreter. */
struct py_asyncio {
	uint64_t interp;
	uint64_t current; /* dictionary: running tasks by their loops */
	uint64_t all;     /* set of weak references to tasks */
	uint64_t future_type, task_type;
};

/*
 * Finds the module in an interpreter, and the layout of its tasks. 0; -ENOENT
 * if the module is not there (yet); -ENOTSUP if the layout is not known, and
 * *why says so; or another -errno.
 */
int py_asyncio_find(struct mem *m, const struct py_offsets *o,
    uint64_t interp, struct py_asyncio *ret, struct py_task_offsets *to,
    struct py_fault *why);

#endif
