/*
 * The processes that a command is asked to look at: by number (-p and
 * operands), or by a pattern of their command line (-P).
 */
#ifndef CLI_PROCESSES_H
#define CLI_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/watch.h>

#include "args/args.h"

struct process {
	uint64_t pid;
	int is_named;  /* by number: it is an error if it cannot be read */
	int is_silent; /* its command line cannot be read, so it may match */
};

struct processes {
	struct process *v;
	size_t n, cap;
	const char *pattern; /* NULL: none */
};

/* Exit codes: EXIT_OK, or another one after saying what is wrong. */

/* Takes what the arguments name; if takes_operands, operands are numbers of
 * processes too. processes_done in either case. */
int processes_init(struct processes *p, const struct args *args,
    int takes_operands);
void processes_done(struct processes *p);

/* True if there is a number or a pattern. */
int processes_are_given(const struct processes *p);

/* Refuses processes together with a command to start, and neither of them. */
int processes_check(const struct processes *p, const struct args *args,
    int has_command);

/* Adds the processes that match the pattern now. */
int processes_find(struct processes *p, struct bob_ctx *ctx);

/* Has those that were named watched. As bob_watch_add. */
int processes_watch(const struct processes *p, struct bob_watch *watch);

#endif
