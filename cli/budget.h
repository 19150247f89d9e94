/*
 * What a command may use: --max-output, --max-memory, --max-temp.
 */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include <bobbin/status.h>

#include "args.h"

/* EXIT_OK, or EXIT_USAGE after saying what is wrong. */
int budget_set(struct bob_ctx *ctx, const struct args *args);

/* How many bytes may be written, for what the command writes itself. */
uint64_t budget_max_output(const struct args *args);

/* Says which option allows more. */
void budget_hint(const struct bob_error *e);

#endif
