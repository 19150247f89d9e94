/* phpspy's text: the format's table, and how to recognise it. */
#include "format/phpspy/phpspy.h"

#include "core/text.h"
#include "format/common/frametext.h"

size_t
phpspy_depth_len(const char *p, size_t n)
{
	size_t digits = text_n_digits(p, n);

	return digits > 0 && digits < n && p[digits] == ' ' ? digits + 1 : 0;
}

/* What a line says that is neither blank nor a comment. */
static int
bid_frame(const char *p, size_t n, int is_cut)
{
	const char *tab = memchr(p, '\t', n);
	size_t depth = phpspy_depth_len(p, n);
	struct frame_words w;

	if (depth == 0)
		return BID_NO;
	if (tab != NULL)
		n = (size_t)(tab - p);
	if (depth < n && frame_words_split(p + depth, n - depth, &w))
		return BID_TEXT;
	return is_cut && *p == '0' ? BID_TEXT_MAYBE : BID_NO;
}

/* The first line that is neither blank nor a comment decides. */
static int
phpspy_bid(const uint8_t *p, size_t n)
{
	const char *line = (const char *)p, *end = line + n;
	int bid = BID_NO;

	while (line < end) {
		const char *lf = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((lf == NULL ? end : lf) - line);

		if (len > 0 && line[len - 1] == '\r')
			len--;
		if (len > 0 && *line != '#')
			return bid_frame(line, len, lf == NULL);
		if (len > 1 && line[1] == ' ')
			bid = BID_TEXT_MAYBE;
		line = lf == NULL ? end : lf + 1;
	}
	return bid;
}

static const struct bob_option_info options[] = {
	{ "opcodes", NULL, "write FILE:LINE:OPCODE where an opcode is known" },
	{ "native", NULL,
	    "write native frames as MODULE::SYMBOL+0xOFFSET [native]:0" },
	{ NULL, NULL, NULL },
};

const struct format phpspy_format = {
	.info = {
		.name = "phpspy",
		.suffixes = ".phpspy",
		.summary = "phpspy's text: a frame per line",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_ANNOTATIONS,
		.can_read = 1,
		.can_write = 1,
		.is_text = 1,
		.options = options,
	},
	.bid = phpspy_bid,
	.source = &phpspy_source,
	.sink = &phpspy_sink,
};
