/*
 * Help for the terminal and man pages (in scdoc's language). Both are made from
 * the tables of args/options.h.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "args/options.h"

/*
 * --help and, if is_all, --help-all of a command; NULL: of bobbin itself.
 * --help fits 24 rows of 80 columns. A command with few options has one help
 * for both.
 */
void help_print(FILE *f, const struct command *c, int is_all);

/* All about a command. */
void help_command(FILE *f, const struct command *c);

/* What users of other profilers type, and what that is here. */
#define COMING_FROM "coming-from"

/* Of one profiler, with its options, or of all if name is NULL. Returns 1; 0
 * and prints nothing if there is none of that name. */
int coming_from(FILE *f, const char *name);

/* The names of the profilers, as "py-spy, phpspy, ..." */
void coming_from_names(char *buf, size_t cap);

/* The same as a man page. */
void coming_from_man(FILE *f);

/* A heading; a name in the left column and an explanation behind `column`. */
void help_title(FILE *f, const char *text);
void help_entry(FILE *f, const char *left, const char *right, size_t column);

/* Facts that help and man pages share. Both end with a NULL name. */
struct help_fact {
	const char *name, *what;
};
extern const struct help_fact help_exit_codes[];
extern const struct help_fact help_environment[];

/* The man page of a command; NULL: of bobbin itself. */
void man_page(FILE *f, const struct command *c);

/* Parts of man pages: the head up to the text of SYNOPSIS; text without markup,
 * whose paragraphs begin with `indent`; an entry of a list; the last part
 * (self: the command that the page is about, or NULL). */
void man_head(FILE *f, const char *dash, const char *name,
    const char *summary);
void man_put(FILE *f, const char *text, const char *indent);
void man_entry(FILE *f, const char *left, const char *right);
void man_see_also(FILE *f, const struct command *self);

/*
 * The i-th word of a placeholder like "a|b|c"; of FROM, TO, DIALECT,
 * COMMAND and TOPIC the names of formats, dialects, commands, and commands with
 * other topics of help. Its length and *ret; 0
 * behind the last and for placeholders that are not a choice.
 */
size_t help_choice(const char *arg, size_t i, const char **ret);

#endif
