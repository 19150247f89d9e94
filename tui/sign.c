/* The table of signs. */
#include "sign.h"

#include <string.h>

#include <bobbin/chars.h>

#include "canvas.h"
#include "text.h"

static const struct {
	uint32_t ch;
	char twin;
} signs[N_SIGNS] = {
	[SIGN_ELLIPSIS] = { 0x2026, '~' },
	[SIGN_DASH] = { 0x2014, '-' },
	[SIGN_DOT] = { 0xb7, '-' },
	[SIGN_RULE] = { 0x2500, '-' },
	[SIGN_BAR] = { 0x2502, '|' },
	[SIGN_FOLDED] = { 0x25b6, '+' },
	[SIGN_OPEN] = { 0x25bc, '-' },
	[SIGN_BRANCH] = { 0x251c, '|' },
	[SIGN_LAST] = { 0x2514, '`' },
	[SIGN_DOWN] = { 0x2502, '|' },
	[SIGN_STROKE] = { 0x2500, '-' },
	[SIGN_EDGE] = { 0x258f, '|' },
	[SIGN_DELTA] = { 0x3b4, 'd' },
	[SIGN_MARKER] = { '>', '>' },
	[SIGN_CHECK] = { 0x2713, 'x' },
	[SIGN_RULE_ON] = { 0x2501, '=' },
};

uint32_t
sign(const struct canvas *c, enum sign s)
{
	return c->is_ascii ? (uint32_t)signs[s].twin : signs[s].ch;
}

uint32_t
sign_block(const struct canvas *c, int level)
{
	static const char twins[] = " ..::-=##";

	level = level < 0 ? 0 : level > 8 ? 8 : level;
	if (c->is_ascii)
		return (uint32_t)twins[level];
	return level == 0 ? ' ' : 0x2580 + (uint32_t)level;
}

uint32_t
sign_dots(const struct canvas *c, unsigned dots)
{
	/* Bits of the code point, by our bit. */
	static const uint8_t braille[8] = { 0x01, 0x08, 0x02, 0x10, 0x04,
		0x20, 0x40, 0x80 };
	static const char twins[] = " .:-=+*##";
	uint32_t ch = 0;
	int i, n = 0;

	for (i = 0; i < 8; i++) {
		if (dots >> i & 1) {
			ch |= braille[i];
			n++;
		}
	}
	if (c->is_ascii)
		return (uint32_t)twins[n];
	return ch == 0 ? ' ' : 0x2800 + ch;
}

static uint32_t
twin_of(uint32_t cp)
{
	size_t i;

	for (i = 0; i < N_SIGNS; i++)
		if (signs[i].ch == cp)
			return (uint32_t)signs[i].twin;
	return '?';
}

const char *
sign_text(const struct canvas *c, char *buf, int n, const char *s)
{
	size_t left = strlen(s), len;
	uint32_t cp = 0;
	int at = 0;

	while (left > 0 && (len = bob_char_take(s, left, &cp)) > 0 &&
	    at + (int)len < n) {
		if (len > 1 && c->is_ascii) {
			buf[at++] = (char)twin_of(cp);
		} else {
			memcpy(buf + at, s, len);
			at += (int)len;
		}
		s += len;
		left -= len;
	}
	buf[at] = '\0';
	return buf;
}
