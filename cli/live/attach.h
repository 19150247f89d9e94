/* Options of commands that capture: which threads, when, and what of them. */
#ifndef CLI_ATTACH_H
#define CLI_ATTACH_H

#include <bobbin/capture.h>

#include "args.h"
#include "live/targets.h"

/* --mode, --threads and what belongs to them. EXIT_OK, or EXIT_USAGE after
 * saying what is wrong. */
int attach_set_threads(const struct args *args, struct bob_attach_opts *ret);

/* --async, which is part of the above. */
int attach_set_tasks(const struct args *args, struct bob_attach_opts *ret);

/* --trace-var and --redact; `room` stays with the options, and may be NULL
 * for a command that has no variables. The same codes. */
int attach_set_vars(const struct args *args, struct bob_attach_opts *ret,
    const char *room[BOB_MAX_LIVE_VARS]);

/* bob_attach that gives up after so many microseconds. */
int attach_in_time(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, uint64_t us, struct bob_proc **ret);

/* bob_attach to a target. One that was named and has just been started is
 * waited for until it runs something that can be read. */
int attach_target(struct bob_ctx *ctx, const struct target *t,
    const struct bob_attach_opts *opts, struct bob_proc **ret);

#endif
