/*
 * Help for the terminal and man pages (in scdoc's language). Both are made from
 * the tables of args/options.h.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "args/options.h"

/* The overview (`bobbin help`), and a few lines for `bobbin` alone. */
void help_overview(FILE *f);
void help_short(FILE *f);

void help_command(FILE *f, const struct command *c);

/* Facts that help and man pages share. Both end with a NULL name. */
struct help_fact {
	const char *name, *what;
};
extern const struct help_fact help_exit_codes[];
extern const struct help_fact help_environment[];

/* The man page of a command; NULL: of bobbin itself. */
void man_page(FILE *f, const struct command *c);

/*
 * The i-th word of a placeholder like "a|b|c"; of FROM, TO, DIALECT and
 * COMMAND the names of formats, dialects and commands. Its length and *ret; 0
 * behind the last and for placeholders that are not a choice.
 */
size_t help_choice(const char *arg, size_t i, const char **ret);

#endif
