/*
 * Least privilege while processes are captured: what is left for who takes us
 * over. Entered once, before processes are attached, when a command that has
 * to be started runs already: it is not to be restricted.
 */
#ifndef CLI_LIVE_SANDBOX_H
#define CLI_LIVE_SANDBOX_H

#include <bobbin/capture.h>

#include "args.h"

/*
 * Gives up, for good, what the capture does not need; see bob_confine. output:
 * a path that is written, or NULL; if its folder is somebody else's, what is
 * needed for that is kept. has_child: a command was started, and may have to be
 * ended. Says so when the kernel has no filter.
 */
void sandbox_enter(const struct args *args, struct bob_ctx *ctx,
    const struct bob_attach_opts *opts, const char *output, int has_child);

#endif
