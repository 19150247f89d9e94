/* The target of ship and fleet: its address, and how to log in. */
#ifndef CLI_SHIP_TARGET_H
#define CLI_SHIP_TARGET_H

#include <bobbin/ship.h>

#include "args/args.h"

/* Fills *ret from the options and the environment; strings are borrowed.
 * `stop` ends a request; may be NULL. Returns an exit code. */
int target_set(struct bob_target_opts *ret, const struct args *args,
    const char *url, const volatile int *stop);

#endif
