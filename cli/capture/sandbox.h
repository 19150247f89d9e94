/*
 * Least privilege while processes are sampled. Entered once, before processes
 * are attached, and after a command was started, which must not be restricted.
 */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <bobbin/capture.h>

#include "args/args.h"

/*
 * Gives up, for good, the privileges that the capture does not need; see
 * bob_confine. output: a path that is written, or NULL; if its directory
 * belongs to another user, the privilege for that is kept. has_child: a command
 * was started, and may have to be ended. Prints a note if the kernel has no
 * filter.
 */
void sandbox_enter(const struct args *args, struct bob_ctx *ctx,
    const struct bob_attach_opts *opts, const char *output, int has_child);

#endif
