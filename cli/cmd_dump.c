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
	struct conv c;
	int r;

	if (stack_is_meant(args))
		return cmd_stack(args);
	if (args_has(args, OPT_JSON)) {
		(void)msg_usage("dump: --json is for processes that run");
		msg_hint("'bobbin convert -t jsonl FILE' writes a trace as "
		    "JSON");
		return EXIT_USAGE;
	}
	if (args_has(args, OPT_LOCALS) || args_has(args, OPT_REDACT)) {
		(void)msg_usage("dump: %s is for processes that run",
		    args_has(args, OPT_LOCALS) ? "--locals" : "--redact");
		msg_hint("traces have no variables; 'bobbin stack --locals "
		    "-p PID' reads those of a process");
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
