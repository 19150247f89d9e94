/* The table of replay's outputs; a new format needs a line here. */
#include "replay.h"

#include <string.h>

#include <bobbin/convert.h>

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

int
replay_is_there(const struct replay_output *o)
{
	const struct bob_format_info *f = bob_format_named(o->format);

	return f != NULL && f->can_write;
}

int
replay_get(size_t i, struct opt *ret)
{
	if (i >= N_OUTPUTS)
		return 0;
	*ret = (struct opt){ .id = OPT_REPLAY, .group = GROUP_OUTPUT,
		.commands = CMD_REPLAY, .name = outputs[i].name,
		.help = outputs[i].help, .arg = outputs[i].baseline,
		.is_hidden = !replay_is_there(&outputs[i]) };
	return 1;
}

const struct replay_output *
replay_named(const char *name)
{
	size_t i;

	for (i = 0; i < N_OUTPUTS; i++)
		if (strcmp(outputs[i].name, name) == 0)
			return &outputs[i];
	return NULL;
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
