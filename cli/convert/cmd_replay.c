/* bobbin replay: a conversion under the names of CPython's profiler. */
#include <stdio.h>
#include <string.h>

#include <bobbin/convert.h>

#include "conv.h"
#include "msg.h"
#include "replay.h"

/* What there is, as "--collapsed, --binary". */
static void
hint_outputs(void)
{
	char list[256];
	struct opt o;
	size_t i, n = 0;

	for (i = 0; replay_get(i, &o); i++)
		if (!o.is_hidden && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s--%s", n > 0 ? ", " : "", o.name);
	msg_hint("replay writes %s", list);
}

/* The one output that was asked for, or NULL after saying what is wrong. */
static const struct replay_output *
find_output(const struct args *args)
{
	const struct replay_output *found = NULL, *o;
	size_t i;

	for (i = 0; i < args->n_opts; i++) {
		if (args->opts[i].opt.id != OPT_REPLAY)
			continue;
		o = replay_named(args->opts[i].opt.name);
		if (found != NULL && found != o) {
			(void)msg_usage("replay: --%s or --%s?", found->name,
			    o->name);
			msg_hint("one output at a time");
			return NULL;
		}
		found = o;
	}
	if (found == NULL) {
		(void)msg_usage("replay: to which output?");
		hint_outputs();
	} else if (!replay_is_there(found)) {
		(void)msg_usage("replay: bobbin does not write --%s yet",
		    found->name);
		hint_outputs();
		found = NULL;
	}
	return found;
}

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
	const struct replay_output *o = find_output(args);
	struct conv c;
	int r;

	if (o == NULL)
		return EXIT_USAGE;
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
