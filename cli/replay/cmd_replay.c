/* bobbin replay: a conversion with the option names of CPython's profiler. */
#include <string.h>

#include <bobbin/convert.h>

#include "convert/conv.h"
#include "print/msg.h"
#include "replay.h"

/* CPython's `auto` is the default here, which has no word. */
static void
drop_auto(struct output *o)
{
	size_t i, n = 0;

	for (i = 0; i < o->n_options; i++)
		if (strcmp(o->options[i].key, "compression") != 0 ||
		    strcmp(o->options[i].value, "auto") != 0)
			o->options[n++] = o->options[i];
	o->n_options = n;
}

/* CPython's profiler starts programs through a module of its own and hides the
 * frames of that module. A binary profile keeps them, as CPython's own do. */
static void
hide_launcher(struct conv *c)
{
	struct bob_filter *f = &c->job.filters.spec;

	if (strcmp(c->output.format->name, "tach") == 0 || f->hide != NULL)
		return;
	f->hide = "_sync_coordinator\\.py(:|$)";
	c->job.filter = f;
	c->job.filters.is_set = 1;
}

int
cmd_replay(const struct args *args)
{
	const struct replay_output *o;
	struct conv c;
	int r = replay_chosen(args, &o);

	if (r != EXIT_OK)
		return r;
	if (o == NULL) {
		r = msg_usage("replay: no output given");
		replay_hint();
		return r;
	}
	r = conv_init(&c, args);
	if (r == EXIT_OK) {
		drop_auto(&c.output);
		if (o->option != NULL)
			r = output_add_option(&c.output, o->option, NULL);
	}
	if (r == EXIT_OK)
		r = output_set_format(&c.output, o->format, NULL);
	if (r == EXIT_OK) {
		c.output.tells_plan = 1;
		c.says_result = 1;
		hide_launcher(&c);
		conv_pass_damage(&c);
		if (o->baseline != NULL)
			c.baseline = args_value(args, OPT_REPLAY);
		r = conv_run(&c);
	}
	conv_done(&c);
	return r;
}
