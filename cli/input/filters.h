/* The filters of a command (--match, --hide, --status, ...) as a filter of the
 * library. */
#ifndef CLI_FILTERS_H
#define CLI_FILTERS_H

#include <bobbin/convert.h>
#include <bobbin/filter.h>

#include "args/args.h"

struct filters {
	struct bob_filter spec;
	int is_set; /* any was given */
	/* --against: the same with other dates. */
	struct bob_filter before;
	int has_before;
	int is_pair; /* dates are ranges, of one side each */
	uint64_t *pids, *tids;
	char *route; /* the annotation that --route stands for */
	const char **annotations;
};

/* Which idle samples a command shows without --idle: enum bob_idle. */
int filters_idle(const struct command *command);

/* EXIT_OK, or another code after saying what is wrong. filters_done in either
 * case. */
int filters_init(struct filters *f, const struct args *args);

/* The output is known: leaves idle samples out if the format is a report for
 * people, unless --idle is given. Returns 1 if the filter is needed. */
int filters_for_output(struct filters *f, const struct args *args,
    const struct bob_format_info *to);
void filters_done(struct filters *f);

#endif
