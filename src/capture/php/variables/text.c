/* Formats integers, floats, counts and strings; see text.h. */
#include "capture/php/variables/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"

#define INVALID "(string) \"<invalid-utf8>\""
#define DOTS "..."

size_t
vartext_word(char *buf, const char *s)
{
	size_t n = strlen(s);

	memcpy(buf, s, n);
	return n;
}

size_t
vartext_long(int64_t v, char buf[VARTEXT_ROOM])
{
	return (size_t)snprintf(buf, VARTEXT_ROOM, "(int) %" PRId64, v);
}

size_t
vartext_count(uint32_t n, char buf[VARTEXT_ROOM])
{
	return (size_t)snprintf(buf, VARTEXT_ROOM, "(array) count=%" PRIu32,
	    n);
}

/* As PHP prints it with its default precision: 14 digits, 1.0E+25. */
size_t
vartext_double(double v, char buf[VARTEXT_ROOM])
{
	char digits[40];
	const char *exponent;
	size_t n = vartext_word(buf, "(float) "), k;

	if (!isfinite(v))
		return n + vartext_word(buf + n, isnan(v) ? "NAN"
		    : v > 0 ? "INF" : "-INF");
	(void)snprintf(digits, sizeof(digits), "%.14G", v);
	/* The decimal point depends on the locale. */
	k = strspn(digits, "-0123456789");
	if (digits[k] != '\0' && digits[k] != 'E')
		digits[k] = '.';
	exponent = strchr(digits, 'E');
	if (exponent == NULL)
		return n + vartext_word(buf + n, digits);
	k = (size_t)(exponent - digits);
	memcpy(buf + n, digits, k);
	n += k;
	if (memchr(digits, '.', k) == NULL)
		n += vartext_word(buf + n, ".0");
	buf[n++] = 'E';
	buf[n++] = *++exponent;
	exponent++;
	exponent += strspn(exponent, "0");
	return n + vartext_word(buf + n, exponent);
}

/* Writes a character below 128 as in a JSON string. Returns its bytes. */
static size_t
put_ascii(char *buf, char c)
{
	static const char special[] = "\"\\\b\f\n\r\t";
	static const char names[] = "\"\\bfnrt";
	const char *s = c != '\0' ? strchr(special, c) : NULL;

	if (s != NULL) {
		buf[0] = '\\';
		buf[1] = names[s - special];
		return 2;
	}
	if ((uint8_t)c < 0x20)
		return (size_t)snprintf(buf, 7, "\\u%04x", (unsigned)c);
	buf[0] = c;
	return 1;
}

size_t
vartext_string(const char *s, size_t n, int is_cut, char buf[VARTEXT_ROOM])
{
	size_t len = vartext_word(buf, "(string) \""), i = 0, chars;
	int is_whole;

	for (chars = 0; i < n && chars < VARTEXT_MAX_CHARS; chars++) {
		size_t k = utf8_take(s + i, n - i, &is_whole);

		if (!is_whole)
			return vartext_word(buf, INVALID);
		if ((uint8_t)s[i] < 0x80) {
			len += put_ascii(buf + len, s[i]);
		} else {
			memcpy(buf + len, s + i, k);
			len += k;
		}
		i += k;
	}
	if (i < n || is_cut)
		len += vartext_word(buf + len, DOTS);
	buf[len++] = '"';
	return len;
}
