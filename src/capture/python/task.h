/*
 * One task of asyncio: what it has, and who awaits it.
 *
 * From 3.14 on a future knows the tasks and futures that await it. Before,
 * only its callbacks tell: a task that waits for it is woken by one; those of
 * gather, shield, wait and wait_for have the future that their caller waits
 * for; that of a TaskGroup has the task that opened it. Any other callback
 * says nothing, and the task is then awaited by nobody. A task that is to be
 * woken by a future must also be the one that waits for it.
 *
 * What was found is remembered until the next sample begins, as a thousand
 * tasks may be awaited by the same one.
 */
#ifndef CAPTURE_PYTHON_TASK_H
#define CAPTURE_PYTHON_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "capture/ptrmap.h"
#include "capture/python/asyncio.h"

/* What may await one task. */
#define TASKS_MAX_AWAITERS 1024u

/* Futures between a task and those that await it, as gather has one. */
#define TASKS_MAX_FUTURES 16u

/* Objects that are read for one sample of a thread: a process can make up
 * tasks that await each other as it likes. */
#define TASKS_MAX_STEPS 65536u

#define TASK_MAX_TYPES 32u

/* A future has no more than the second and third line. */
struct py_task {
	uint64_t coro, name, next;
	uint64_t at, awaited_by;
	uint64_t callback0, callbacks, waiter;
	int is_task, is_set, is_pending;
};

/* Tasks that await one: the first by address, and how many. */
struct py_awaiter {
	uint64_t task; /* 0: none */
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

/* A sample begins: nothing is known, and nothing was read. */
void py_task_reader_begin(struct py_task_reader *t);

/* Counts objects that are about to be read: 0, or -EAGAIN when there were too
 * many. */
int py_task_steps(struct py_task_reader *t, uint32_t n);

/* A task from t->to.size bytes of it. 0, or -EINVAL when it is none. */
int py_task_parse(struct py_task_reader *t, uint64_t at, const uint8_t *b,
    struct py_task *ret);

/* The task at an address: 0, or -errno. */
int py_task_read(struct py_task_reader *t, uint64_t at, struct py_task *ret);

/* The future or task at an address: 0, or -errno. */
int py_future_read(struct py_task_reader *t, uint64_t at,
    struct py_task *ret);

/* Who awaits a task. 0, or -ENOMEM, recorded. */
int py_task_awaiter(struct py_task_reader *t, const struct py_task *task,
    struct py_awaiter *ret);

/* --- within the module --------------------------------------------------- */

void py_awaiter_add(struct py_awaiter *to, struct py_awaiter more);

/* What was found for an address, if anything was. */
int py_awaiter_known(const struct py_task_reader *t, uint64_t at,
    struct py_awaiter *ret);
void py_awaiter_keep(struct py_task_reader *t, uint64_t at,
    struct py_awaiter found);

/* By its callbacks; `depth` futures were passed. */
struct py_awaiter py_awaiter_by_callbacks(struct py_task_reader *t,
    const struct py_task *future, unsigned depth);

/* Types of futures and callbacks, up to 3.13. */
enum py_task_type {
	PY_TASK_OTHER, PY_TASK_FUTURE, PY_TASK_TASK, PY_TASK_WAKEUP,
	PY_TASK_BUILTIN, PY_TASK_FUNCTION, PY_TASK_METHOD, PY_TASK_PARTIAL
};
enum py_task_type py_task_type(struct py_task_reader *t, uint64_t type);

#endif
