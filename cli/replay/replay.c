/* The table of outputs; a new format that CPython has too needs a line here. */
#include "replay.h"

#include <stdio.h>
#include <string.h>

#include <bobbin/convert.h>

#include "args/args.h"
#include "print/msg.h"

static const struct replay_output outputs[] = {
	{ "collapsed", "folded", "tachyon-names",
	    "folded stacks with thread ids, for flame graph tools" },
	{ "flamegraph", "html", NULL, "a flame graph as HTML" },
	{ "diff-flamegraph", "html", NULL,
	    "the same, with what differs from FILE in red and blue", "FILE" },
	{ "gecko", "gecko", NULL, "a profile for the Firefox Profiler" },
	{ "pstats", "pstats", "pstats-sampled",
	    "a file for the module pstats of Python 3.15 and newer" },
	{ "jsonl", "jsonl", NULL, "JSON, a line at a time" },
	{ "heatmap", "heatmap-html", NULL, "source lines coloured by samples" },
	{ "binary", "tach", NULL,
	    "a binary profile again: recompressed, filtered, joined" },
};

#define N_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

size_t
replay_count(void)
{
	return N_OUTPUTS;
}

static int
can_be_written(const struct replay_output *o)
{
	const struct bob_format_info *f = bob_format_named(o->format);

	return f != NULL && f->can_write;
}

int
replay_get(size_t i, uint32_t command, struct opt *ret)
{
	if (i >= N_OUTPUTS)
		return 0;
	*ret = (struct opt){ .id = OPT_REPLAY, .group = GROUP_OUTPUT,
		.commands = command, .name = outputs[i].name,
		.help = outputs[i].help, .arg = outputs[i].baseline,
		.is_hidden = !can_be_written(&outputs[i]) ||
		    /* A capture has nothing to be compared with yet. */
		    (outputs[i].baseline != NULL && command != CMD_REPLAY) };
	return 1;
}

void
replay_hint(void)
{
	char list[256];
	size_t i, n = 0;

	for (i = 0; i < N_OUTPUTS; i++)
		if (can_be_written(&outputs[i]) && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s--%s", n > 0 ? ", " : "", outputs[i].name);
	msg_hint("there are %s", list);
}

/* Checks an output that was asked for; `before` is the previous one, or
 * NULL. */
static int
check_choice(const struct args *args, const struct replay_output *o,
    const struct replay_output *before)
{
	const char *command = args->command->name;

	if (before != NULL && before != o) {
		(void)msg_usage("%s: --%s or --%s?", command, before->name,
		    o->name);
		msg_hint("one output at a time");
		return EXIT_USAGE;
	}
	if (o->baseline != NULL && args->command->bit != CMD_REPLAY) {
		(void)msg_usage("%s: a capture cannot be compared while it is "
		    "recorded", command);
		msg_hint("'bobbin replay --%s FILE' does it afterwards",
		    o->name);
		return EXIT_USAGE;
	}
	if (can_be_written(o))
		return EXIT_OK;
	(void)msg_usage("%s: bobbin does not write --%s yet", command,
	    o->name);
	replay_hint();
	return EXIT_USAGE;
}

static const struct replay_output *
find_named(const char *name)
{
	size_t i;

	for (i = 0; i < N_OUTPUTS; i++)
		if (strcmp(outputs[i].name, name) == 0)
			return &outputs[i];
	return NULL;
}

int
replay_chosen(const struct args *args, const struct replay_output **ret)
{
	const struct replay_output *o;
	int code = EXIT_OK;
	size_t i;

	*ret = NULL;
	for (i = 0; code == EXIT_OK && i < args->n_opts; i++) {
		if (args->opts[i].opt.id != OPT_REPLAY)
			continue;
		o = find_named(args->opts[i].opt.name);
		if (o == NULL)
			continue;
		code = check_choice(args, o, *ret);
		*ret = o;
	}
	return code;
}

int
replay_writes(const char *format)
{
	size_t i;

	for (i = 0; i < N_OUTPUTS; i++)
		if (strcmp(outputs[i].format, format) == 0)
			return 1;
	return 0;
}

int
replay_sets(const char *option)
{
	size_t i;

	for (i = 0; i < N_OUTPUTS; i++)
		if (outputs[i].option != NULL &&
		    strcmp(outputs[i].option, option) == 0)
			return 1;
	return 0;
}
