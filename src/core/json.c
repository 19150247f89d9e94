/* JSON strings and numbers; see the header. bob_char_json has the rules of
 * escaping for the library and the command. */
#include "core/json.h"

#include <string.h>

#include <bobbin/chars.h>

#include "core/utf8.h"

/* Stands in a JSON string as it is. */
static int
is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f &&
	    c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

static size_t
write_escape(char to[BOB_CHAR_JSON], uint32_t c)
{
	static const char hex[] = "0123456789abcdef";

	to[0] = '\\';
	to[1] = 'u';
	to[2] = hex[c >> 12 & 15];
	to[3] = hex[c >> 8 & 15];
	to[4] = hex[c >> 4 & 15];
	to[5] = hex[c & 15];
	return 6;
}

static size_t
write_ascii(char to[BOB_CHAR_JSON], char c)
{
	if (is_plain(c)) {
		to[0] = c;
		return 1;
	}
	if (c != '"' && c != '\\' && c != '\n' && c != '\t')
		return write_escape(to, (unsigned char)c);
	to[0] = '\\';
	to[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c;
	return 2;
}

size_t
bob_char_json(char to[BOB_CHAR_JSON], const char *p, size_t n, size_t *taken)
{
	uint32_t c;
	size_t len;
	int is_whole;

	if ((unsigned char)*p < 0x80) {
		*taken = 1;
		return write_ascii(to, *p);
	}
	len = bob_char_take(p, n, &c);
	if (len == 0) {
		*taken = utf8_take(p, n, &is_whole);
		memcpy(to, "\xef\xbf\xbd", 3);
		return 3;
	}
	*taken = len;
	if (bob_char_kind(c) == BOB_CHAR_ACTS)
		return write_escape(to, c); /* none of them is above U+FFFF */
	memcpy(to, p, len);
	return len;
}

void
json_text(struct text *t, const char *p, size_t n)
{
	size_t i = 0, start, taken;
	char *to;

	while (i < n) {
		for (start = i; i < n && is_plain(p[i]); i++)
			;
		text_bytes(t, p + start, i - start);
		if (i == n)
			return;
		to = text_room(t, BOB_CHAR_JSON);
		if (to == NULL)
			return;
		t->n += bob_char_json(to, p + i, n - i, &taken);
		i += taken;
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
