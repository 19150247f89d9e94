/* The table of the format. */
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
