/* bobbin convert: a conversion with all options (conv.h). */
#include <bobbin/convert.h>
#include <bobbin/limits.h>

#include "conv.h"
#include "print/plain.h"
#include "print/msg.h"

static int
set_threads(struct conv *c, const char *text)
{
	uint64_t n;

	if (text == NULL)
		return EXIT_OK;
	if (!plain_get_u64(text, &n) || n > BOB_MAX_THREADS) {
		(void)msg_usage("--threads '%s' is not a number", text);
		msg_hint("0 to %u; 0 is one per processor", BOB_MAX_THREADS);
		return EXIT_USAGE;
	}
	c->threads = (unsigned)n;
	return EXIT_OK;
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
