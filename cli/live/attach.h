/* Options of commands that capture: which threads, and when. */
#ifndef CLI_ATTACH_H
#define CLI_ATTACH_H

#include <bobbin/capture.h>

#include "args.h"

/* --mode, --threads and what belongs to them. EXIT_OK, or EXIT_USAGE after
 * saying what is wrong. */
int attach_set_threads(const struct args *args, struct bob_attach_opts *ret);

#endif
