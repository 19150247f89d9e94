/* bobbin help: the overview, the help of a command, or a man page. */
#include <stdio.h>

#include "args/args.h"
#include "help.h"
#include "print/msg.h"

int
cmd_help(const struct args *args)
{
	const struct command *c = NULL;
	const struct spelling *s;

	if (args->n_operands > 0) {
		c = command_named(args->operands[0], &s);
		if (c == NULL) {
			(void)msg_usage("no such command: %s",
			    args->operands[0]);
			msg_hint("'bobbin help' lists all commands");
			return EXIT_USAGE;
		}
	}
	if (args_has(args, OPT_MAN))
		man_page(stdout, c);
	else if (c == NULL)
		help_overview(stdout);
	else
		help_command(stdout, c);
	return EXIT_OK;
}
