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

/* Under names that ask a store, it must be named. */
static int
check_store(const struct spelling *s, const struct args *args)
{
	if (s == NULL || s->operands != OPERANDS_STORE ||
	    args_has(args, OPT_STORE))
		return EXIT_OK;
	(void)msg_usage("%s: no directory given", s->name);
	msg_hint("as in bobbin %s /var/lib/bobbin --from -15m -o now.rbt",
	    s->name);
	return EXIT_USAGE;
}

int
cmd_convert(const struct args *args)
{
	const struct spelling *s = args->spelling;
	struct conv c;
	int r = check_store(s, args);

	if (r != EXIT_OK)
		return r;
	r = conv_init(&c, args);
	if (r == EXIT_OK)
		r = set_threads(&c, args_value(args, OPT_THREADS));
	if (r == EXIT_OK)
		r = output_set_format(&c.output, s != NULL ? s->to : NULL,
		    s != NULL ? s->usual : NULL);
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
