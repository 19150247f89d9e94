/* Untrusted text, for terminals and pages; see heatmap.h. */
#include "core/utf8.h"
#include "format/heatmap/heatmap.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Characters that act instead of being shown: C1 controls (U+0080 to U+009F),
 * and those that turn text round (U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069) or break lines (U+2028, U+2029). */
static int
is_active(const unsigned char *p, size_t n)
{
	if (n == 2)
		return p[0] == 0xc2 && p[1] < 0xa0;
	if (n != 3 || p[0] != 0xe2)
		return 0;
	return (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f ||
	    (p[2] >= 0xa8 && p[2] <= 0xae))) ||
	    (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

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
	size_t i, n;
	int is_whole;

	for (i = 0; i < s.n; i += n) {
		const unsigned char *p = (const unsigned char *)s.p + i;

		n = utf8_take(s.p + i, s.n - i, &is_whole);
		if (*p == '\t')
			text_str(t, is_html ? "\t" : "    ");
		else if (!is_whole || *p < 0x20 || *p == 0x7f ||
		    is_active(p, n))
			text_str(t, REPLACEMENT);
		else if (is_html && entity(s.p[i]) != NULL)
			text_str(t, entity(s.p[i]));
		else
			text_bytes(t, p, n);
	}
}
