/*
 * Glyphs, widths, numbers. Widths come from wcwidth(3), as those of ncurses
 * do, so that both always agree where a column is.
 */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <bobbin/chars.h>

/* How wide a character is that may be shown; -1: it may not. */
static int
char_width(const struct text *t, uint32_t cp)
{
	if (bob_char_kind(cp) != BOB_CHAR_PLAIN)
		return -1;
	if (cp < 0x80)
		return 1;
	return t->is_ascii ? -1 : wcwidth((wchar_t)cp);
}

void
text_init(struct text *t, const char *p, size_t n, int is_ascii)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->end = p + n;
	t->is_ascii = is_ascii;
}

/* Takes len bytes as they are; they come out one character at a time. */
static void
escape(struct text *t, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	t->n_escape = 0;
	t->at_escape = 0;
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)*t->p++;

		t->escape[t->n_escape++] = '\\';
		t->escape[t->n_escape++] = 'x';
		t->escape[t->n_escape++] = (uint8_t)hex[c >> 4];
		t->escape[t->n_escape++] = (uint8_t)hex[c & 15];
	}
}

/* Takes the marks that follow; those that do not fit are dropped. */
static void
take_marks(struct text *t, struct glyph *ret)
{
	unsigned n = 1;
	uint32_t cp = 0;
	size_t len;

	while ((len = bob_char_take(t->p, (size_t)(t->end - t->p), &cp)) > 0 &&
	    cp >= 0x80 && char_width(t, cp) == 0) {
		if (n <= TEXT_MARKS)
			ret->ch[n++] = cp;
		t->p += len;
	}
}

int
text_next(struct text *t, struct glyph *ret)
{
	uint32_t cp = 0;
	size_t len;
	int w;

	memset(ret, 0, sizeof(*ret));
	ret->width = 1;
	if (t->at_escape < t->n_escape) {
		ret->ch[0] = t->escape[t->at_escape++];
		return 1;
	}
	if (t->p == t->end)
		return 0;
	len = bob_char_take(t->p, (size_t)(t->end - t->p), &cp);
	w = len > 0 ? char_width(t, cp) : -1;
	if (w <= 0) { /* a mark with nothing under it, too */
		escape(t, len > 0 ? len : 1);
		return text_next(t, ret);
	}
	ret->ch[0] = cp;
	ret->width = (uint8_t)(w > 2 ? 2 : w);
	t->p += len;
	take_marks(t, ret);
	return 1;
}

size_t
text_width_upto(const char *p, size_t n, int is_ascii, size_t limit)
{
	struct text t;
	struct glyph g;
	size_t w = 0;

	text_init(&t, p, n, is_ascii);
	while (w <= limit && text_next(&t, &g))
		w += g.width;
	return w;
}

size_t
text_width(const char *p, size_t n, int is_ascii)
{
	return text_width_upto(p, n, is_ascii, SIZE_MAX - 2);
}

const char *
text_count(char buf[TEXT_NUMBER], uint64_t n)
{
	char digits[TEXT_NUMBER];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *out = buf;
	int i;

	for (i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

const char *
text_time(char buf[TEXT_NUMBER], uint64_t us)
{
	uint64_t s = us / 1000000;

	if (us < 1000)
		(void)snprintf(buf, TEXT_NUMBER, "%" PRIu64 " us", us);
	else if (us < 1000000)
		(void)snprintf(buf, TEXT_NUMBER, "%.4g ms", (double)us / 1e3);
	else if (s < 120)
		(void)snprintf(buf, TEXT_NUMBER, "%.4g s", (double)us / 1e6);
	else if (s < 7200)
		(void)snprintf(buf, TEXT_NUMBER,
		    "%" PRIu64 " m %02" PRIu64 " s", s / 60, s % 60);
	else
		(void)snprintf(buf, TEXT_NUMBER,
		    "%" PRIu64 " h %02" PRIu64 " m", s / 3600, s / 60 % 60);
	return buf;
}

const char *
text_percent(char buf[TEXT_NUMBER], double share)
{
	(void)snprintf(buf, TEXT_NUMBER, "%5.1f%%", 100 * share);
	return buf;
}
