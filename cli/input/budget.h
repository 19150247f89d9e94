/* Limits of a command: --max-output, --max-memory, --max-temp. */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include <bobbin/status.h>

#include "args/args.h"

/* Sets the limits of a context; args is NULL if no option was given. Returns
 * EXIT_OK, or EXIT_USAGE after saying what is wrong. */
int budget_set(struct bob_ctx *ctx, const struct args *args);

/* The limit of output, for what the command writes without the library. */
uint64_t budget_max_output(const struct args *args);

/* Prints which option allows more, after an error by a limit. */
void budget_hint(const struct bob_error *e);

#endif
