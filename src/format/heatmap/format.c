/* The tables of both heat maps: the formats, their sinks, their options. */
#include "format/heatmap/heatmap.h"

static const struct bob_option_info options[] = {
	{ "source", "[FROM=]DIR", "show the source that is below this "
	    "directory; FROM: where it was when the trace was made; of a "
	    "process that runs, what its user may read there; may be given "
	    "several times" },
	{ NULL, NULL, NULL },
};

static int
text_finish(struct sink *sink)
{
	return heatmap_put(sink, &heatmap_text_style);
}

static int
html_finish(struct sink *sink)
{
	return heatmap_put(sink, &heatmap_html_style);
}

/* All slots but finish. */
#define SLOTS                                                                \
	.state_size = sizeof(struct heatmap_writer), .want = 0,              \
	.takes_digest = 1,                                                   \
	.open = heatmap_open, .close = heatmap_close

static const struct sink_ops text_sink = { SLOTS, .finish = text_finish };
static const struct sink_ops html_sink = { SLOTS, .finish = html_finish };

const struct format heatmap_format = {
	.info = {
		.name = "heatmap",
		.suffixes = ".heatmap .heatmap.txt",
		.summary = "source files with samples beside their lines",
		.caps = 0,
		.can_write = 1,
		.is_text = 1,
		.hides_idle = 1,
		.options = options,
	},
	.sink = &text_sink,
};

const struct format heatmap_html_format = {
	.info = {
		.name = "heatmap-html",
		.suffixes = ".heatmap.html",
		.summary = "the same as one page",
		.caps = 0,
		.can_write = 1,
		.is_text = 1,
		.hides_idle = 1,
		.options = options,
	},
	.sink = &html_sink,
};
