/*
 * The command line, parsed by the tables of options.h.
 *
 * --name=value, --name value, -n value, -nvalue; switches of one letter may be
 * bundled; options and operands come in any order; -- ends the options and a
 * lone - is an operand. A value that is optional must be given as --name=value;
 * if only some words are possible, one of them may also be the next argument.
 *
 * Options of other profilers (spellings.h) become ours.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stddef.h>

#include "options.h"

struct arg {
	struct opt opt;
	const char *value; /* NULL: a switch, or left out */
};

struct args {
	const struct command *command;   /* NULL: none was given */
	const struct spelling *spelling; /* NULL: by its own name */
	struct arg *opts;
	size_t n_opts, cap_opts;
	const char **operands; /* without the command */
	size_t n_operands;
	size_t n_plain; /* those before a --; all of them if there is none */
	char **made;   /* values that were made for options of others */
	size_t n_made;
};

/*
 * Parses argv, whose strings are borrowed. EXIT_OK, or another exit code after
 * saying what is wrong. args_done in either case.
 */
int args_parse(struct args *a, int argc, char *const *argv);
void args_done(struct args *a);

/* The last value given for an option; NULL: not given, or without a value. */
const char *args_value(const struct args *a, int id);
int args_has(const struct args *a, int id);

/* How many times an option was given. */
size_t args_count(const struct args *a, int id);

#endif
