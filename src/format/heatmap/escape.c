/* Untrusted text, for terminals and pages; see heatmap.h. */
#include "core/chars.h"
#include "core/utf8.h"
#include "format/heatmap/heatmap.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const char *
entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void
heatmap_put_text(struct text *t, struct bob_bytes s, int is_html)
{
	uint32_t c;
	size_t i, n;
	int is_whole;

	for (i = 0; i < s.n; i += n) {
		const char *p = s.p + i;

		n = bob_char_take(p, s.n - i, &c);
		if (n == 0) {
			n = utf8_take(p, s.n - i, &is_whole);
			text_str(t, REPLACEMENT);
		} else if (c == '\t') {
			text_str(t, is_html ? "\t" : "    ");
		} else if (bob_char_kind(c) != BOB_CHAR_PLAIN) {
			text_str(t, REPLACEMENT);
		} else if (is_html && entity(*p) != NULL) {
			text_str(t, entity(*p));
		} else {
			text_bytes(t, p, n);
		}
	}
}
