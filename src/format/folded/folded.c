/* Folded stacks: the format's table, and how to recognise them. */
#include "format/folded/folded.h"

#include "core/text.h"
#include "format/common/weightsink.h"

/* Bids for one line: several frames and a count are hardly anything else. A
 * line that is cut by the window has lost its count. */
static int
bid_line(const char *p, size_t n, int is_cut)
{
	int has_semicolon = n > 0 && memchr(p, ';', n) != NULL;
	size_t end = n, i;

	for (i = 0; i < n; i++)
		if (text_kinds[(uint8_t)p[i]] & TEXT_CTL)
			return BID_NO;
	while (end > 0 && p[end - 1] >= '0' && p[end - 1] <= '9')
		end--;
	if (end < n && end > 0 && p[end - 1] == ' ')
		return has_semicolon ? BID_TEXT : BID_TEXT_MAYBE;
	return is_cut && has_semicolon ? BID_TEXT_MAYBE : BID_NO;
}

/* The best of the first lines, if all of them could be folded stacks. */
static int
folded_bid(const uint8_t *p, size_t n)
{
	const char *line = (const char *)p, *end = line + n;
	int best = BID_NO, i;

	for (i = 0; i < 8 && line < end; i++) {
		const char *lf = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((lf == NULL ? end : lf) - line);
		int bid;

		if (len > 0 && line[len - 1] == '\r')
			len--;
		if (len > 0 && *line != '#') {
			bid = bid_line(line, len, lf == NULL);
			if (bid == BID_NO)
				return BID_NO;
			best = bid > best ? bid : best;
		}
		line = lf == NULL ? end : lf + 1;
	}
	return best;
}

static const struct bob_option_info options[] = {
	WEIGHT_SINK_OPTION,
	FOLDED_TACHYON_OPTION,
	{ NULL, NULL, NULL },
};

const struct format folded_format = {
	.info = {
		.name = "folded",
		.suffixes = ".folded .collapsed",
		.summary = "stacks with counts, one per line (flame graphs)",
		.caps = 0,
		.can_read = 1,
		.can_write = 1,
		.is_text = 1,
		.options = options,
	},
	.bid = folded_bid,
	.source = &folded_source,
	.sink = &folded_sink,
};
