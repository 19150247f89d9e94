/* bobbin convert: a conversion with all options (conv.h). */
#include <bobbin/convert.h>
#include <bobbin/limits.h>

#include "args/values.h"
#include "conv.h"
#include "print/msg.h"

static int
set_threads(struct conv *c, const char *text)
{
	uint64_t n = 0;
	int r = EXIT_OK;

	if (text != NULL)
		r = value_count("threads", text, 0, BOB_MAX_THREADS,
		    "0 is one per processor", &n);
	c->threads = (unsigned)n;
	return r;
}

int
cmd_convert(const struct args *args)
{
	struct conv c;
	int r = conv_init(&c, args);

	if (r == EXIT_OK)
		r = set_threads(&c, args_value(args, OPT_THREADS));
	if (r == EXIT_OK)
		r = output_set_format(&c.output, args->spelling != NULL
		        ? args->spelling->to : NULL, NULL);
	if (r == EXIT_OK) {
		/* With --strict-plan it is an error, which is printed. */
		c.output.tells_plan = !args_has(args, OPT_STRICT_PLAN);
		c.says_result = 1;
		c.is_live = args_has(args, OPT_LIVE);
		c.baseline = args_value(args, OPT_BASELINE);
		/* What is still coming may end anywhere. */
		if (!c.is_live)
			conv_pass_damage(&c);
		else if (args_has(args, OPT_RECOVER))
			c.flags |= BOB_CONVERT_RECOVER;
		if (args_has(args, OPT_STRICT_PLAN))
			c.flags |= BOB_CONVERT_STRICT_PLAN;
		r = conv_run(&c);
	}
	conv_done(&c);
	return r;
}
