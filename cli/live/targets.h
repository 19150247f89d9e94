/*
 * Which processes a command is about: those that -p and operands name, and
 * those whose command line matches -P.
 */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "args.h"

struct target {
	uint64_t pid;
	int is_named; /* by number: not being able to read it is an error */
};

struct targets {
	struct target *v;
	size_t n, cap;
	const char *pattern; /* NULL: none */
};

/* What the arguments name; with `operands` they are numbers of processes too.
 * EXIT_OK, or another code after saying what is wrong. targets_done in either
 * case. */
int targets_init(struct targets *t, const struct args *args, int operands);
void targets_done(struct targets *t);

/* Adds those that match the pattern now and are not there yet. The same
 * codes. */
int targets_find(struct targets *t, struct bob_ctx *ctx);

#endif
