/* The html sink: writes the template of the page. The scripts in it do the
 * rest; see page.js. */
#include "format/flame/flame.h"

const struct bob_option_info flame_html_options[] = {
	{ "title", "TEXT", "heading of the picture or page" },
	{ "icicle", NULL, "callers on top" },
	{ "lines", NULL, "one entry per line instead of per function" },
	{ NULL, NULL, NULL },
};

static int
html_open(struct sink *sink)
{
	return flame_open(sink, TALLY_TRACKS);
}

static int
html_finish(struct sink *sink)
{
	static const struct flame_hole hole[] = {
		{ "title", flame_put_title },
		{ "data", flame_put_data },
	};

	return flame_write(sink, flame_html_asset, hole);
}

const struct sink_ops flame_html_sink = {
	.state_size = sizeof(struct flame_writer),
	.want = BOB_WANT_TRACKS | BOB_WANT_MARKS,
	.takes_diff = 1,
	.open = html_open,
	.segment = flame_segment,
	.runs = flame_runs,
	.mark = flame_mark,
	.join = flame_join,
	.finish = html_finish,
	.close = flame_close,
};
