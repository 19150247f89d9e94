/*
 * The inside of the handle of an attached process.
 *
 *     attach.c  attaching, detaching, and whether it is still the same process
 *     sample.c  taking a sample
 *     handle.c  what callers set and ask
 */
#ifndef CAPTURE_ATTACH_INSIDE_H
#define CAPTURE_ATTACH_INSIDE_H

#include "capture/attach/handle.h"
#include "capture/proc/proc.h"
#include "capture/runtime.h"

struct bob_proc {
	struct process p;
	const struct runtime *runtime;
	void *state;
	int memfd;           /* /proc/PID/mem; -1: not allowed, or not held */
	uint64_t known;      /* an address that is mapped in this program */
	uint64_t start;      /* clock ticks */
	uint64_t stack;      /* start of the stack */
	uint64_t t_checked, t_number; /* when it was checked, by memory and by
	                               * /proc/PID/stat */
	int is_gone;
	uint64_t steps;      /* of the last sample */
	uint64_t debt;       /* microseconds, see proc_must_wait() */
	int must_wait;
	int is_silent;       /* see handle_set_silent() */
	struct bob_proc_facts facts;
	struct handle_own *own; /* NULL: what it uses is the caller's */
	struct member *member;  /* of a sampler; NULL: none */
	struct bob_watch *watch; /* NULL: none */
	struct lane *lane;      /* of a recorder; NULL: none */
	void *user;             /* the caller's */
	char *told[3];          /* strings of the last bob_proc_module() */
	char command[PROC_MAX_COMMAND];
};

/* True if it is still the process and the program that was attached.
 * `by_number`: /proc/PID/stat is read, too. */
int proc_is_same(struct bob_proc *h, int by_number);

/* Frees the strings of the last bob_proc_module(). */
void proc_forget_told(struct bob_proc *h);

#endif
