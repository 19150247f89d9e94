/*
 * Samples the tasks of asyncio: the one that a thread runs, those that await
 * it, and those that wait.
 *
 * A program imports _asyncio when it needs it, maybe long after it was attached
 * to. So the module is looked for ten times a second until it is there.
 *
 * A task is believed to run when the frame of its coroutine is on the stack of
 * the thread. The stack of the sample is then, outermost first:
 *
 *     for each task that awaits: <task>, its coroutines
 *     <task> of the one that runs, its coroutine and what that calls
 *
 * The frames of the event loop, below the coroutine, are left out. A task that
 * waits has the chain of its coroutines. A task that awaits another is part of
 * the stack of that one, and has no sample of its own. Coroutines that wait do
 * not move while another task of their loop runs; a chain that moved while it
 * was read is left out.
 *
 * From 3.14 on each thread has a list of its tasks. Up to 3.13 an interpreter
 * has one for all: tasks that run tell which loop belongs to which thread, and
 * tasks that wait are sampled with the first thread that is read.
 */
#ifndef CAPTURE_PYTHON_TASKS_TASK_SAMPLER_H
#define CAPTURE_PYTHON_TASKS_TASK_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/servers/uvicorn.h"
#include "capture/python/tasks/coroutines.h"
#include "capture/python/tasks/task_list.h"
#include "capture/python/tasks/task_reader.h"
#include "capture/python/threads/threads.h"

/* Tasks that await each other in one stack; interpreters with tasks. */
#define TASKS_MAX_CHAIN 64u
#define TASKS_MAX_INTERPS 16u

/* A task of this sample, and what was found out about it so far. */
struct py_task_memo {
	struct py_task task;
	struct py_awaiter by;
	bob_str name;
	bob_stack stack;  /* with its coroutines */
	int why;          /* -errno: the coroutines could not be read */
	uint16_t n_chain; /* tasks in the stack */
	uint8_t has_by, is_made, is_begun;
	uint8_t is_running; /* by the state of its coroutine */
	uint32_t request;   /* of uvicorn, that it serves; 0: none */
};

struct py_tasks {
	struct process *p;
	const struct py_site *site;
	struct py_codes *codes;
	struct py_task_reader read;
	struct py_coros coros;
	int with_requests;
	struct py_uvicorn uvicorn;
	int is_found, is_refused;
	struct py_fault why; /* why it is refused */
	uint64_t t_look;     /* when to look next */
	struct py_table_look *look; /* in progress; NULL: none */
	uint64_t int_type, str_type; /* addresses; 0: not seen yet */
	/* Up to 3.13 */
	struct {
		struct py_asyncio a;
		uint64_t t_look;
		int is_found;
		int is_told; /* its waiting tasks are in this sample */
	} interp[TASKS_MAX_INTERPS];
	unsigned n_interp;
	struct {
		uint64_t loop, thread;
	} owner[TASKS_MAX_LOOPS];
	unsigned n_owner;
	/* Of the thread that is sampled. */
	struct py_loop_task before[TASKS_MAX_LOOPS], after[TASKS_MAX_LOOPS];
	size_t n_before, n_after;
	int has_after;
	struct {
		int is_any;
		bob_stack base;  /* what replaces the frames of the loop */
		bob_stack below; /* the frames of the loop */
		bob_annot annot;
		uint32_t request; /* of uvicorn; 0: none */
	} running;
	size_t n_top;      /* frames that must fit on top of a stack */
	int is_cut;        /* a stack had more frames than fit */
	bob_fid *fid;      /* collected frames, innermost first */
	size_t n_fid, cap_fid;
	struct py_task_list list;
	struct py_task_memo *task;
	size_t n_task, cap_task;
	struct ptrmap by_at;   /* indices in `task`, by address */
	struct ptrmap parents; /* addresses of tasks that await others */
};

void py_tasks_init(struct py_tasks *t, struct process *p,
    const struct py_site *site, struct py_codes *codes);
void py_tasks_done(struct py_tasks *t);

/* A sample of all threads begins. */
void py_tasks_begin(struct py_tasks *t);

/* Looks for asyncio now. Returns 0 if it is there in a layout that is not
 * known: t->why; 1 otherwise. */
int py_tasks_can_be_read(struct py_tasks *t);

/* Looks for asyncio if that was not found yet, ten times a second. Returns 1 if
 * the tasks of a thread can be read. */
int py_tasks_are_known(struct py_tasks *t, const struct py_thread *h);

/* Before the stack of a thread is copied: makes the copy long enough for the
 * current task, or (up to 3.13) reads which tasks run. */
void py_tasks_prepare(struct py_tasks *t, struct py_thread *h);

/* After the stack of a thread was proven: returns 0 if the thread runs a task
 * and the stack is not that of the task. */
int py_tasks_is_true(struct py_tasks *t, const struct py_thread *h);

/* After the stack of a thread was proven: returns 0 if its task serves a
 * request of uvicorn that is new. Then the stack must be read once more, as it
 * may be that of the task before. */
int py_tasks_meet_request(struct py_tasks *t, const struct py_thread *h,
    int *is_out_of_memory);

/* Finds the task that a thread runs and the tasks that await it; adds runs for
 * those that wait, if they are wanted. BOB_OK or FATAL. */
int py_tasks_follow(struct py_tasks *t, const struct py_thread *h);

/* After py_tasks_follow(): `annot` with the pairs of the request that the task
 * serves, if it serves one. BOB_NO_ID when memory is out. */
bob_annot py_tasks_annotate(struct py_tasks *t, bob_annot annot);

/*
 * After py_tasks_follow(): turns the stack of a thread, which may have native
 * frames, into that of its task, and sets *annot to the name of the task. If
 * the thread runs no task, *stack is left alone and *annot is 0. BOB_OK or
 * FATAL.
 */
int py_tasks_put_running(struct py_tasks *t, const struct py_thread *h,
    bob_stack *stack, bob_annot *annot);

#endif
