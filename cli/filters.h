/*
 * Which samples a command is about: --match, --hide, --status and the others
 * of their group.
 */
#ifndef CLI_FILTERS_H
#define CLI_FILTERS_H

#include <bobbin/filter.h>

#include "args.h"

struct filters {
	struct bob_filter spec;
	int is_set; /* any was given */
	uint64_t *pids, *tids;
	const char **annotations;
};

/* EXIT_OK; EXIT_USAGE after saying what is wrong; EXIT_FAILED, which is left
 * to the caller to say: out of memory. filters_done in either case. */
int filters_init(struct filters *f, const struct args *args);
void filters_done(struct filters *f);

#endif
