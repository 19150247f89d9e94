/* The tables of both formats: flamegraph (svg.c) and html (html.c). */
#include "format/flame/flame.h"

const struct format flamegraph_format = {
	.info = {
		.name = "flamegraph",
		.suffixes = ".svg",
		.summary = "flame graph that answers clicks (SVG)",
		.caps = BOB_CAP_PERIOD,
		.can_write = 1,
		.is_text = 1,
		.hides_idle = 1,
		.options = flamegraph_options,
	},
	.sink = &flamegraph_sink,
};

const struct format flame_html_format = {
	.info = {
		.name = "html",
		.suffixes = ".html .htm",
		.summary = "one page with flame graph, tables and threads, "
		           "for any browser",
		.caps = BOB_CAP_PIDS | BOB_CAP_THREADS | BOB_CAP_META |
		    BOB_CAP_PERIOD,
		.can_write = 1,
		.is_text = 1,
		.options = flame_html_options,
	},
	.sink = &flame_html_sink,
};
