/* bobbin ship: sending a store to servers, and saying how far that is. */
#ifndef CLI_SHIP_SHIP_H
#define CLI_SHIP_SHIP_H

#include <bobbin/ship.h>

#include "args/args.h"

/* Prints what waits and what was shipped, for each target of a store. Returns
 * an exit code. */
int ship_status(const struct args *args, const char *dir);

#endif
