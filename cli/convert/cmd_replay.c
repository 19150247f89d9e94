/* bobbin replay: a conversion under the names of CPython's profiler. */
#include <string.h>

#include <bobbin/convert.h>

#include "conv.h"
#include "msg.h"
#include "replay.h"

/* CPython's word for the default is none of ours. */
static void
drop_auto(struct conv *c)
{
	size_t i, n = 0;

	for (i = 0; i < c->n_options; i++)
		if (strcmp(c->options[i].key, "compression") != 0 ||
		    strcmp(c->options[i].value, "auto") != 0)
			c->options[n++] = c->options[i];
	c->n_options = n;
}

/* CPython's profiler starts programs through a module of its own, which it
 * shows to nobody. A binary profile keeps it, as CPython's own do. */
static void
hide_launcher(struct conv *c)
{
	struct bob_filter *f = &c->job.filters.spec;

	if (strcmp(c->to->name, "tach") == 0 || f->hide != NULL)
		return;
	f->hide = "_sync_coordinator\\.py(:|$)";
	c->job.filter = f;
}

int
cmd_replay(const struct args *args)
{
	const struct replay_output *o;
	struct conv c;
	int r = replay_chosen(args, &o);

	if (r == EXIT_OK && o == NULL) {
		r = msg_usage("replay: to which output?");
		replay_hint();
	}
	if (r != EXIT_OK)
		return r;
	r = conv_init(&c, args);
	if (r == EXIT_OK) {
		drop_auto(&c);
		if (o->option != NULL)
			conv_add_option(&c, o->option, NULL);
		r = conv_set_target(&c, o->format, NULL);
	}
	if (r == EXIT_OK) {
		c.says_plan = 1;
		hide_launcher(&c);
		if (o->baseline != NULL)
			c.baseline = args_value(args, OPT_REPLAY);
		r = conv_run(&c);
	}
	conv_done(&c);
	return r;
}
