/*
 * An input that is still being written, such as a pipe from a profiler. While
 * it pauses, reading gives BOB_AGAIN; when its owner sets *stop, BOB_EOF.
 */
#ifndef PIPELINE_COMING_H
#define PIPELINE_COMING_H

#include "core/input.h"

struct coming {
	int fd; /* -1: not open */
	const volatile int *stop; /* not NULL and not 0: the input ends here */
};

/* Opens a path ("-" is standard input). BOB_OK and *ret, which borrows *c, or
 * FAILED; coming_close in either case, after *ret is closed. */
int coming_open(struct coming *c, struct bob_ctx *ctx, const char *path,
    struct in **ret);
void coming_close(struct coming *c);

#endif
