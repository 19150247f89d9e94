/*
 * Reads one task of asyncio, or one future, in the layout of any version.
 *
 * The reader also remembers what awaiters.h found out, until the next sample
 * begins, and counts the objects that were read: a process can have as many
 * tasks as it likes.
 */
#ifndef CAPTURE_PYTHON_TASKS_TASK_READER_H
#define CAPTURE_PYTHON_TASKS_TASK_READER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/ptrmap.h"
#include "capture/python/tasks/find_asyncio.h"

/* Tasks that are counted as awaiting one task, at most. */
#define TASKS_MAX_AWAITERS 1024u

/* Objects that are read for one sample of a thread, at most. */
#define TASKS_MAX_STEPS 65536u

/* Types that are remembered. */
#define TASK_MAX_TYPES 32u

/* Addresses and flags of a task. A future has only the second and third
 * line. */
struct py_task {
	uint64_t coro, name, next;
	uint64_t at, awaited_by;
	uint64_t callback0, callbacks, waiter;
	int is_task, is_set, is_pending; /* is_set: awaited_by is a set */
};

/* The tasks that await one: which has the lowest address, and how many. */
struct py_awaiter {
	uint64_t task; /* an address; 0: none */
	uint32_t n;
};

struct py_task_reader {
	struct bob_ctx *ctx;
	struct mem *mem;
	const struct py_offsets *o;
	struct py_task_offsets to;
	struct py_asyncio asyncio; /* of the interpreter, up to 3.13 */
	uint32_t n_steps;          /* objects that were read */
	int is_out_of_memory;
	struct {
		uint64_t at;
		int kind;
	} type[TASK_MAX_TYPES];
	unsigned n_type;
	struct ptrmap functions;   /* kinds of callbacks, by address */
	struct ptrmap known;       /* indices in `awaiter`, by address */
	struct py_awaiter *awaiter;
	size_t n_awaiter, cap_awaiter;
};

void py_task_reader_init(struct py_task_reader *t, struct bob_ctx *ctx,
    struct mem *mem, const struct py_offsets *o);
void py_task_reader_done(struct py_task_reader *t);

/* A sample begins: forgets what was found, and counts from 0. */
void py_task_reader_begin(struct py_task_reader *t);

/* Counts n objects that are about to be read. 0; -EAGAIN if that is more than
 * TASKS_MAX_STEPS in this sample. */
int py_task_steps(struct py_task_reader *t, uint32_t n);

/* A task from t->to.size bytes of it. 0; -EINVAL if it is not a task. */
int py_task_parse(struct py_task_reader *t, uint64_t at, const uint8_t *b,
    struct py_task *ret);

/* Reads the task at an address. 0, or -errno. */
int py_task_read(struct py_task_reader *t, uint64_t at, struct py_task *ret);

/* Reads the future or task at an address. 0, or -errno. */
int py_future_read(struct py_task_reader *t, uint64_t at,
    struct py_task *ret);

/* From 3.14 on the module _asyncio has a table of its offsets. */
static inline int
py_task_has_table(const struct py_task_reader *t)
{
	return t->o->minor >= PY_FIRST_TASK_TABLE;
}

/* Types of futures and of their callbacks, up to 3.13. */
enum py_task_type {
	PY_TASK_OTHER, PY_TASK_FUTURE, PY_TASK_TASK, PY_TASK_WAKEUP,
	PY_TASK_BUILTIN, PY_TASK_FUNCTION, PY_TASK_METHOD, PY_TASK_PARTIAL
};

/* Which of them the type at an address is. */
enum py_task_type py_task_type(struct py_task_reader *t, uint64_t type);

#endif
