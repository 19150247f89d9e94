/* --source and --path-map, for explore and view. */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include "args/args.h"

struct bob_sources;

/* Opens the directories that were named. EXIT_OK, or another exit code after
 * saying what is wrong; free *ret with bob_sources_free in either case. */
int sources_open(const struct args *args, struct bob_sources **ret);

#endif
