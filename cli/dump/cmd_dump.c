/*
 * bobbin dump: converts to the format `dump`, a line per run of equal samples.
 * py-spy's `dump PID` is `stack` here: if the operands are process ids and no
 * files, cmd_stack does it.
 */
#include <bobbin/convert.h>

#include "convert/conv.h"
#include "print/msg.h"
#include "stack/stack.h"

int
cmd_dump(const struct args *args)
{
	const char *option = stack_option(args);
	struct conv c;
	int r;

	if (stack_is_meant(args))
		return cmd_stack(args);
	if (option != NULL) {
		(void)msg_usage("dump: %s is for running processes", option);
		if (args_has(args, OPT_JSON))
			msg_hint("'bobbin convert -t jsonl FILE' writes a "
			    "trace as JSON");
		else
			msg_hint("'bobbin stack %s -p PID' reads one",
			    option);
		return EXIT_USAGE;
	}
	r = conv_init(&c, args);
	if (r == EXIT_OK)
		r = output_set_format(&c.output, "dump", NULL);
	if (r == EXIT_OK) {
		c.flags = args_has(args, OPT_RECOVER) ? BOB_CONVERT_RECOVER
		                                      : 0;
		r = conv_run(&c);
	}
	conv_done(&c);
	return r;
}
