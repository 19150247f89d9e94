/* bobbin help: the overview, the help of a command, what users of other
 * profilers type, or a man page. */
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "help.h"
#include "print/msg.h"

static int
help_coming_from(const struct args *args)
{
	const char *name = args->n_operands > 1 ? args->operands[1] : NULL;
	char names[128];

	if (args_has(args, OPT_MAN)) {
		coming_from_man(stdout);
		return EXIT_OK;
	}
	if (coming_from(stdout, name))
		return EXIT_OK;
	coming_from_names(names, sizeof(names));
	(void)msg_usage("no such profiler: %s", name);
	msg_hint("there are %s", names);
	return EXIT_USAGE;
}

static int
help_of(const struct args *args, const char *name)
{
	const struct spelling *s;
	const struct command *c = command_named(name, &s);

	if (c == NULL) {
		(void)msg_usage("no such command: %s", name);
		msg_hint("'bobbin help' lists all commands");
		return EXIT_USAGE;
	}
	if (args->n_operands > 1) {
		(void)msg_usage("help: '%s' is one argument too many",
		    args->operands[1]);
		msg_hint("one command at a time");
		return EXIT_USAGE;
	}
	if (args_has(args, OPT_MAN))
		man_page(stdout, c);
	else
		help_command(stdout, c);
	return EXIT_OK;
}

int
cmd_help(const struct args *args)
{
	if (args->n_operands > 0 &&
	    strcmp(args->operands[0], COMING_FROM) == 0)
		return help_coming_from(args);
	if (args->n_operands > 0)
		return help_of(args, args->operands[0]);
	if (args_has(args, OPT_MAN))
		man_page(stdout, NULL);
	else
		help_print(stdout, NULL, 0);
	return EXIT_OK;
}
