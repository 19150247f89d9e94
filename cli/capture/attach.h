/* Attaching to one process, for commands that look at it once. */
#ifndef CLI_ATTACH_H
#define CLI_ATTACH_H

#include <bobbin/capture.h>

#include "processes.h"

/* bob_attach to a process, for 10 s at most. `begun` is NULL, or what
 * bob_attach_begin gave; it ends here. A process that was named and has just
 * been started is waited for until it runs something that can be read. */
int attach_process(struct bob_ctx *ctx, const struct process *p,
    const struct bob_attach_opts *opts, struct bob_attaching *begun,
    struct bob_proc **ret);

#endif
