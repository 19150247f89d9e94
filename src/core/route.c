/* Routes from addresses; see the header. */
#include "core/route.h"

#include <string.h>

/* A part is an identifier if it has MIN_ID hexadecimal digits, or is a word of
 * MIN_WORD letters and digits with MIN_DIGITS digits. */
#define MIN_ID 8
#define MIN_WORD 16
#define MIN_DIGITS 2

size_t
route_room(size_t n)
{
	/* "/1" becomes "/{n}", "/deadbeef1" is no shorter than "/{id}". */
	return 2 * n + 8;
}

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int
ends_part(char c)
{
	return c == '/' || c == '?' || c == '#';
}

const char *
route_part(const char *p, size_t n)
{
	size_t i, digits = 0, hex = 0, dashes = 0, others = 0;

	for (i = 0; i < n; i++) {
		digits += is_digit(p[i]);
		hex += is_hex(p[i]);
		dashes += p[i] == '-';
		others += p[i] == '_' || p[i] == '.';
	}
	if (n > 0 && digits == n)
		return "{n}";
	if (digits > 0 && hex >= MIN_ID && hex + dashes == n)
		return "{id}";
	return n >= MIN_WORD && digits >= MIN_DIGITS && dashes + others == 0
	    ? "{id}" : NULL;
}

/* Bytes of "scheme://host" at the beginning. */
static size_t
origin_len(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i + 3 <= n && p[i] != '/' && p[i] != '?'; i++) {
		if (memcmp(p + i, "://", 3) != 0)
			continue;
		for (i += 3; i < n && p[i] != '/' && p[i] != '?'; i++)
			;
		return i;
	}
	return 0;
}

size_t
route_normalise(char *to, const char *p, size_t n)
{
	size_t i = origin_len(p, n), len = 0, end;
	const char *instead;

	while (i < n && p[i] != '?' && p[i] != '#') {
		if (p[i] == '/') {
			to[len++] = p[i++];
			continue;
		}
		for (end = i; end < n && !ends_part(p[end]); end++)
			;
		instead = route_part(p + i, end - i);
		if (instead != NULL) {
			memcpy(to + len, instead, strlen(instead));
			len += strlen(instead);
		} else {
			memcpy(to + len, p + i, end - i);
			len += end - i;
		}
		i = end;
	}
	return len;
}
