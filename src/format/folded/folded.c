/* Folded stacks: the table, how to know them, and what a frame looks like. */
#include "format/folded/folded.h"

#include "core/text.h"

/* `NAME (FILE:LINE)` or `NAME (FILE.py)`, as py-spy writes them. */
static int
split_brackets(const char *p, size_t n, struct frame_words *w)
{
	size_t open = n, colon;

	if (n == 0 || p[n - 1] != ')')
		return 0;
	while (open >= 2 && memcmp(p + open - 2, " (", 2) != 0)
		open--;
	if (open < 2)
		return 0;
	w->name = (struct bob_bytes){ p, open - 2 };
	w->file = (struct bob_bytes){ p + open, n - 1 - open };
	w->lang = BOB_LANG_PYTHON;
	for (colon = n - 1; colon > open && p[colon - 1] != ':'; colon--)
		;
	if (colon > open && text_get_i64(p + colon, n - 1 - colon, &w->where)) {
		w->file.n = colon - 1 - open;
		/* `NAME [native]:0` would be something else. */
		return w->where != 0 || w->file.n != 8 ||
		    memcmp(w->file.p, "[native]", 8) != 0;
	}
	w->flags = BOB_FRAME_NO_LINE;
	return frame_words_lang(w->file) == BOB_LANG_PYTHON;
}

/* `NAME FILE:`, or `NAME FILE` when the file begins like a path. */
static int
split_no_line(const char *p, size_t n, struct frame_words *w)
{
	int has_colon = n > 0 && p[n - 1] == ':';
	size_t end = n - (size_t)has_colon;
	size_t gap = frame_words_gap(p, end);

	if (gap == end || (!has_colon &&
	    !frame_words_is_path(p + gap + 1, end - gap - 1)))
		return 0;
	w->name = (struct bob_bytes){ p, gap };
	w->file = (struct bob_bytes){ p + gap + 1, end - gap - 1 };
	w->lang = frame_words_lang(w->file);
	w->flags = BOB_FRAME_NO_LINE;
	return 1;
}

int
folded_split(const char *p, size_t n, struct frame_words *ret)
{
	static const struct frame_words none = { .name = { "", 0 },
		.file = { "", 0 }, .opname = { "", 0 } };

	if (frame_words_split(p, n, ret))
		return 1;
	*ret = none;
	if (split_brackets(p, n, ret))
		return 1;
	*ret = none;
	if (split_no_line(p, n, ret))
		return 1;
	*ret = none;
	ret->name = (struct bob_bytes){ p, n };
	ret->lang = BOB_LANG_PHP;
	ret->flags = BOB_FRAME_NO_LINE;
	return 1;
}

/* What one line says: several frames and a count are hardly anything else. A
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
	{ "unit", "samples|time",
	    "what counts are when periods differ (time)" },
	{ "tachyon-names", NULL, "threads, names and order as CPython's "
	    "own profiler writes them (--collapsed)" },
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
