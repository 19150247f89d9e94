/*
 * bobbin dump: every sample as a line, through the format of that name. Users
 * of other profilers know `dump PID` as what is `stack` here; where it cannot
 * be a file, it is.
 */
#include <bobbin/convert.h>

#include "convert/conv.h"
#include "msg.h"
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
		(void)msg_usage("dump: %s is for processes that run", option);
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
		r = conv_set_target(&c, "dump", NULL);
	if (r == EXIT_OK) {
		c.flags = args_has(args, OPT_RECOVER) ? BOB_CONVERT_RECOVER
		                                      : 0;
		r = conv_run(&c);
	}
	conv_done(&c);
	return r;
}
