/*
 * Where asyncio keeps its tasks, and how they are laid out.
 *
 * From 3.14 on the module _asyncio has a table of that, in a section of its
 * own, and the state of a thread leads to its tasks. Before, an interpreter has
 * one dictionary of the tasks that run and one set of weak references to all:
 * variables of the module, which lies in sys.modules. Offsets are then ours,
 * and believed when the types Future and Task have the sizes that belong to
 * them.
 *
 * Tasks that are written in Python, which programs have without _asyncio, are
 * not looked for.
 */
#ifndef CAPTURE_PYTHON_ASYNCIO_H
#define CAPTURE_PYTHON_ASYNCIO_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/find.h"

/* The first version whose _asyncio describes itself. */
#define PY_FIRST_TASK_TABLE 14

/* What is read of a task. Known versions have 208. */
#define TASKS_MAX_SIZE 512u

/* Of FutureObj, whose fields come first in TaskObj, and of TaskObj. */
struct py_task_offsets {
	uint32_t size, name, coro; /* name: PY_NONE in 3.7 */
	/* From 3.14 on: Py_AsyncioModuleDebugOffsets */
	uint32_t awaited_by, is_task, is_set, node;
	uint32_t ts_task, ts_head; /* of a thread's state */
	/* Up to 3.13 */
	uint32_t future_size, callback0, callbacks, state, waiter;
};

/* The table is 13 words. 0; -EINVAL and *why. */
#define PY_TASK_TABLE (13 * 8)
int py_task_table_read(const uint8_t *table, unsigned minor,
    struct py_task_offsets *ret, struct py_fault *why);

/* A look for the table in the files of a process (load.h). */
struct py_table_look;

/*
 * Where a process has the table: 1 and *ret; 0 in *ret: nowhere (yet). 0 while
 * its files are read, unless the caller may wait. *look, NULL at first, is the
 * caller's, who drops it by py_table_look_drop.
 */
int py_task_table_find(struct process *p, struct py_table_look **look,
    uint64_t *ret);
void py_table_look_drop(struct py_table_look *look);

/* What an interpreter up to 3.13 has. Neither the objects nor the types go
 * before it ends. */
struct py_asyncio {
	uint64_t interp;
	uint64_t current; /* a dictionary: tasks that run, by their loops */
	uint64_t all;     /* a set of weak references */
	uint64_t future_type, task_type;
};

/*
 * Looks for the module in an interpreter, and for the layout of its tasks. 0;
 * -ENOENT when it is not there (yet); -ENOTSUP when the layout is not one that
 * is known, and *why; or -errno.
 */
int py_asyncio_find(struct mem *m, const struct py_offsets *o,
    uint64_t interp, struct py_asyncio *ret, struct py_task_offsets *to,
    struct py_fault *why);

#endif
