/*
 * Tasks of asyncio: which one a thread runs, who awaits it, and what those
 * that wait are waiting in.
 *
 * The module _asyncio is loaded when a program imports it, which may be long
 * after it was attached; so it is looked for now and then until it is there.
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
 *
 * From 3.14 on each thread has its tasks. Before, an interpreter has them all:
 * which loop belongs to which thread is learned from tasks that run, and all
 * that wait are told with the first thread that is read.
 */
#ifndef CAPTURE_PYTHON_TASKS_H
#define CAPTURE_PYTHON_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/coro.h"
#include "capture/python/task.h"
#include "capture/python/task_list.h"
#include "capture/python/threads.h"

/* Tasks of one chain, and interpreters with tasks. */
#define TASKS_MAX_CHAIN 64u
#define TASKS_MAX_INTERPS 16u

/* A task of which a stack is made, and what is known of it by now. */
struct py_task_memo {
	struct py_task task;
	struct py_awaiter by;
	bob_str name;
	bob_stack stack;  /* with its coroutines */
	int why;          /* they are not there: -errno */
	uint16_t n_chain; /* tasks in the stack */
	uint8_t has_by, is_made, is_begun;
	uint8_t is_running; /* its coroutines said so */
};

struct py_tasks {
	struct process *p;
	const struct py_site *site;
	struct py_codes *codes;
	struct py_task_reader read;
	struct py_coros coros;
	int is_found, is_refused;
	struct py_fault why; /* it is refused */
	uint64_t t_look;     /* when to look next */
	struct py_table_look *look; /* that goes on; NULL: none */
	uint64_t int_type, str_type; /* 0: none was met */
	/* Up to 3.13 */
	struct {
		struct py_asyncio a;
		uint64_t t_look;
		int is_found;
		int is_told; /* those that wait are part of this sample */
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
		bob_stack base;  /* what comes instead of the loop */
		bob_stack below; /* the loop's part of the stack */
		bob_annot annot;
	} running;
	size_t n_top;      /* frames that have to go on top of others */
	int is_cut;        /* there was no room for all of a stack */
	bob_fid *fid;      /* frames of a part of a stack, innermost first */
	size_t n_fid, cap_fid;
	struct py_task_list list;
	struct py_task_memo *task;
	size_t n_task, cap_task;
	struct ptrmap by_at;   /* indices of tasks */
	struct ptrmap parents; /* those that await others */
};

void py_tasks_init(struct py_tasks *t, struct process *p,
    const struct py_site *site, struct py_codes *codes);
void py_tasks_done(struct py_tasks *t);

/* A sample begins. */
void py_tasks_begin(struct py_tasks *t);

/* Looks for asyncio at once: false when it is there, but nothing that can be
 * read. */
int py_tasks_can_be_read(struct py_tasks *t);

/* Looks for it where it is not known yet, some times a second. True when the
 * tasks of a thread can be read. */
int py_tasks_are_known(struct py_tasks *t, const struct py_thread *h);

/* What is read of a thread's state for its task, or before it. */
void py_tasks_prepare(struct py_tasks *t, struct py_thread *h);

/* False when a thread runs a task and its stack, which was just proven, is not
 * that of it. */
int py_tasks_is_true(struct py_tasks *t, const struct py_thread *h);

/* Reads what is below the task that a thread runs, and adds runs for those
 * that wait, if they are wanted. BOB_OK or FATAL. */
int py_tasks_follow(struct py_tasks *t, const struct py_thread *h);

/*
 * After it: the stack of a thread, which may have native frames, as that of its
 * task, and the name of the task as an annotation; as they were when it runs
 * none. BOB_OK or FATAL.
 */
int py_tasks_put_running(struct py_tasks *t, const struct py_thread *h,
    bob_stack *stack, bob_annot *annot);

#endif
