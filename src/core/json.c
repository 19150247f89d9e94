/* JSON strings and numbers; see the header. */
#include "core/json.h"

#include "core/chars.h"
#include "core/utf8.h"

static void
put_escape(struct text *t, unsigned c)
{
	static const char hex[] = "0123456789abcdef";
	char *p = text_room(t, 6);

	if (p == NULL)
		return;
	p[0] = '\\';
	p[1] = 'u';
	p[2] = hex[c >> 12 & 15];
	p[3] = hex[c >> 8 & 15];
	p[4] = hex[c >> 4 & 15];
	p[5] = hex[c & 15];
	t->n += 6;
}

static void
put_ascii(struct text *t, char c)
{
	switch (c) {
	case '"':
	case '\\':
		text_byte(t, '\\');
		text_byte(t, c);
		break;
	case '\n':
		text_str(t, "\\n");
		break;
	case '\t':
		text_str(t, "\\t");
		break;
	default:
		put_escape(t, (unsigned char)c);
	}
}

static int
is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f &&
	    c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/* One character that is not plain ASCII; returns its length. */
static size_t
put_odd(struct text *t, const char *p, size_t n)
{
	uint32_t c;
	size_t len;
	int is_whole;

	if ((unsigned char)*p < 0x80) {
		put_ascii(t, *p);
		return 1;
	}
	len = bob_char_take(p, n, &c);
	if (len == 0)
		text_str(t, "\xef\xbf\xbd");
	else if (bob_char_kind(c) == BOB_CHAR_ACTS)
		put_escape(t, c); /* none of them is above U+FFFF */
	else
		text_bytes(t, p, len);
	return len > 0 ? len : utf8_take(p, n, &is_whole);
}

void
json_text(struct text *t, const char *p, size_t n)
{
	size_t i = 0, start;

	while (i < n) {
		for (start = i; i < n && is_plain(p[i]); i++)
			;
		text_bytes(t, p + start, i - start);
		if (i < n)
			i += put_odd(t, p + i, n - i);
	}
}

void
json_string(struct text *t, const char *p, size_t n)
{
	text_byte(t, '"');
	json_text(t, p, n);
	text_byte(t, '"');
}

void
json_thousandths(struct text *t, int64_t v)
{
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char *to;

	if (v < 0)
		text_byte(t, '-');
	text_u64(t, u / 1000);
	to = text_room(t, JSON_FRACTION);
	if (to != NULL)
		t->n += json_fraction(to, (unsigned)(u % 1000));
}
