/* Light or dark; see the header. */
#include "background.h"

#include <string.h>

#define BEGIN "\033]11;rgb"

int
background_may_be_asked(const char *type)
{
	static const char *const never[] = { "linux", "dumb", "vt", "cons",
		"unknown" };
	size_t i;

	if (type == NULL)
		return 0;
	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (strncmp(type, never[i], strlen(never[i])) == 0)
			return 0;
	return 1;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads one of the parts of a colour, 1 to 4 digits. Returns how many bytes it
 * has; 0 if it is none. */
static size_t
read_part(const char *p, size_t n, double *ret)
{
	double value = 0, most = 0;
	size_t i;

	for (i = 0; i < n && i < 4 && hex_digit(p[i]) >= 0; i++) {
		value = 16 * value + hex_digit(p[i]);
		most = 16 * most + 15;
	}
	*ret = i > 0 ? value / most : 0;
	return i;
}

/* Of "rgb:ffff/ffff/ffff" or "rgba:ffff/ffff/ffff/ffff". Light is what black
 * text is readable on: more than half of the brightness that eyes see. */
static enum background
judge(const char *p, size_t n)
{
	static const double weight[3] = { 0.299, 0.587, 0.114 };
	double part, sum = 0;
	size_t at = n > 3 && p[3] == 'a' ? 4 : 3, len, i;

	for (i = 0; i < 3; i++) {
		if (at >= n || p[at] != (i == 0 ? ':' : '/'))
			return BACKGROUND_UNKNOWN;
		at++;
		len = read_part(p + at, n - at, &part);
		if (len == 0)
			return BACKGROUND_UNKNOWN;
		at += len;
		sum += weight[i] * part;
	}
	return sum > 0.5 ? BACKGROUND_LIGHT : BACKGROUND_DARK;
}

/* The bytes of an answer with its end, BEL or ESC \; 0 if it has none (yet). */
static size_t
answer_length(const char *p, size_t n)
{
	size_t i;

	for (i = 2; i < n && i < BACKGROUND_ANSWER; i++) {
		if (p[i] == '\007')
			return i + 1;
		if (p[i] == '\\' && p[i - 1] == '\033')
			return i + 1;
	}
	return 0;
}

enum background
background_take(char *p, size_t *n, size_t *held)
{
	const size_t begin = strlen(BEGIN);
	enum background found;
	size_t at, len;

	*held = 0;
	for (at = 0; at + 2 <= *n; at++) {
		len = *n - at < begin ? *n - at : begin;
		if (memcmp(p + at, BEGIN, len) != 0)
			continue;
		len = answer_length(p + at, *n - at);
		if (len == 0 && *n - at < BACKGROUND_ANSWER) {
			*held = *n - at;
			return BACKGROUND_UNKNOWN;
		}
		if (len == 0)
			continue;
		found = judge(p + at + begin - 3, len - begin + 3);
		memmove(p + at, p + at + len, *n - at - len);
		*n -= len;
		return found;
	}
	return BACKGROUND_UNKNOWN;
}
