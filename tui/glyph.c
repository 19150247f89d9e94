/* The table of glyphs with their ASCII twins; see the header. */
#include "glyph.h"

#include <string.h>

#include <bobbin/chars.h>

#include "canvas.h"

static const struct {
	uint32_t ch;
	char twin;
} glyphs[N_GLYPHS] = {
	[GLYPH_ELLIPSIS] = { 0x2026, '~' },
	[GLYPH_DASH] = { 0x2014, '-' },
	[GLYPH_DOT] = { 0xb7, '-' },
	[GLYPH_RULE] = { 0x2500, '-' },
	[GLYPH_BAR] = { 0x2502, '|' },
	[GLYPH_FOLDED] = { 0x25b6, '+' },
	[GLYPH_OPEN] = { 0x25bc, '-' },
	[GLYPH_BRANCH] = { 0x251c, '|' },
	[GLYPH_LAST] = { 0x2514, '`' },
	[GLYPH_DOWN] = { 0x2502, '|' },
	[GLYPH_STROKE] = { 0x2500, '-' },
	[GLYPH_EDGE] = { 0x258f, '|' },
	[GLYPH_DELTA] = { 0x3b4, 'd' },
	[GLYPH_MARKER] = { '>', '>' },
	[GLYPH_CHECK] = { 0x2713, 'x' },
	[GLYPH_RULE_ON] = { 0x2501, '=' },
};

uint32_t
glyph(const struct canvas *c, enum glyph s)
{
	return c->is_ascii ? (uint32_t)glyphs[s].twin : glyphs[s].ch;
}

uint32_t
glyph_block(const struct canvas *c, int level)
{
	static const char twins[] = " ..::-=##";

	level = level < 0 ? 0 : level > 8 ? 8 : level;
	if (c->is_ascii)
		return (uint32_t)twins[level];
	return level == 0 ? ' ' : 0x2580 + (uint32_t)level;
}

uint32_t
glyph_dots(const struct canvas *c, unsigned dots)
{
	/* The bit of the code point for each of our bits. */
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
ascii_twin(uint32_t cp)
{
	size_t i;

	for (i = 0; i < N_GLYPHS; i++)
		if (glyphs[i].ch == cp)
			return (uint32_t)glyphs[i].twin;
	return '?';
}

const char *
glyph_text(const struct canvas *c, char *buf, int n, const char *s)
{
	size_t left = strlen(s), len;
	uint32_t cp = 0;
	int at = 0;

	while (left > 0 && (len = bob_char_take(s, left, &cp)) > 0 &&
	    at + (int)len < n) {
		if (len > 1 && c->is_ascii) {
			buf[at++] = (char)ascii_twin(cp);
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
