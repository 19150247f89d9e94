/* Names, numbers and colours for people; see flame.h. */
#include <stdio.h>
#include <string.h>

#include "core/chars.h"
#include "core/utf8.h"
#include "format/flame/flame.h"

/* --- names --------------------------------------------------------------- */

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* What XML does not allow, of the characters that may be shown; 3 bytes. */
static int
is_no_xml(uint32_t c)
{
	return c == 0xfffe || c == 0xffff;
}

/* A character that is not shown as it is: its number, of at most 6 digits. */
static size_t
put_number(char *to, uint32_t c)
{
	static const char hex[] = "0123456789ABCDEF";
	int digits = c > 0xffff ? 5 : 4, i;

	*to++ = '[';
	for (i = digits - 1; i >= 0; i--)
		*to++ = hex[c >> 4 * i & 15];
	*to = ']';
	return (size_t)digits + 2;
}

/* Bytes that are shown for a character of n bytes at p, in `to` (at most 3 for
 * each). */
static size_t
clean_character(char *to, const char *p, size_t n, uint32_t c)
{
	if (c < 0x20 || c == 0x7f) {
		/* U+2400 and following picture them; U+2421 is DEL. */
		to[0] = '\xe2';
		to[1] = '\x90';
		to[2] = (char)(c == 0x7f ? 0xa1 : 0x80 + c);
		return 3;
	}
	if (bob_char_kind(c) != BOB_CHAR_PLAIN)
		return put_number(to, c);
	memcpy(to, is_no_xml(c) ? REPLACEMENT : p, n);
	return n;
}

static int
is_plain_ascii(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f;
}

struct bob_bytes
flame_clean(struct flame_page *page, struct bob_bytes s)
{
	size_t i = 0, n = 0, len;
	uint32_t c;
	int is_whole;

	while (i < s.n && is_plain_ascii(s.p[i]))
		i++;
	if (i == s.n)
		return s;
	if (MEM_GROW(page->sink->ctx, page, clean, 3 * s.n) < 0) {
		page->t.r = BOB_FATAL;
		return (struct bob_bytes){ "", 0 };
	}
	memcpy(page->clean, s.p, n = i);
	for (; i < s.n; i += len) {
		len = bob_char_take(s.p + i, s.n - i, &c);
		if (len > 0) {
			n += clean_character(page->clean + n, s.p + i, len, c);
		} else {
			len = utf8_take(s.p + i, s.n - i, &is_whole);
			memcpy(page->clean + n, REPLACEMENT, 3);
			n += 3;
		}
	}
	return (struct bob_bytes){ page->clean, n };
}

void
flame_put_xml(struct text *t, struct bob_bytes s)
{
	size_t i = 0, start;

	while (i < s.n) {
		for (start = i; i < s.n && strchr("<>&\"", s.p[i]) == NULL;)
			i++;
		text_bytes(t, s.p + start, i - start);
		if (i == s.n)
			break;
		switch (s.p[i++]) {
		case '<':
			text_str(t, "&lt;");
			break;
		case '>':
			text_str(t, "&gt;");
			break;
		case '&':
			text_str(t, "&amp;");
			break;
		default:
			text_str(t, "&quot;");
		}
	}
}

/* --- numbers ------------------------------------------------------------- */

void
flame_put_count(struct text *t, uint64_t v)
{
	uint64_t unit = 1;

	while (v / unit >= 1000)
		unit *= 1000;
	text_u64(t, v / unit);
	for (; unit >= 1000; unit /= 1000) {
		text_byte(t, ',');
		text_digits(t, v % unit / (unit / 1000), 3);
	}
}

/* v in units of `unit`, with two digits behind the point. */
static void
put_hundredths(struct text *t, uint64_t v, uint64_t unit, const char *name)
{
	uint64_t hundredths = v / (unit / 100) +
	    (v % (unit / 100) * 2 >= unit / 100);

	text_u64(t, hundredths / 100);
	text_byte(t, '.');
	text_digits(t, hundredths % 100, 2);
	text_byte(t, ' ');
	text_str(t, name);
}

void
flame_put_time(struct text *t, uint64_t us)
{
	static const uint64_t ms = 1000, s = 1000 * 1000;

	if (us < ms) {
		text_u64(t, us);
		text_str(t, " \xc2\xb5s");
	} else if (us < s) {
		put_hundredths(t, us, ms, "ms");
	} else if (us < 600 * s) {
		put_hundredths(t, us, s, "s");
	} else if (us < 600 * 60 * s) {
		put_hundredths(t, us, 60 * s, "min");
	} else {
		put_hundredths(t, us, 3600 * s, "h");
	}
}

double
flame_share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

/* Hundredths of a percent. */
static uint64_t
rounded(double share)
{
	return (uint64_t)(share * 10000 + 0.5);
}

static void
put_percent(struct text *t, uint64_t hundredths)
{
	text_u64(t, hundredths / 100);
	text_byte(t, '.');
	text_digits(t, hundredths % 100, 2);
}

void
flame_put_share(struct text *t, double share)
{
	put_percent(t, rounded(share));
	text_byte(t, '%');
}

void
flame_put_change(struct text *t, const struct bob_change *c)
{
	char s[128];

	(void)snprintf(s, sizeof(s), "before %.1f %%, after %.1f %%: %+.1f "
	    "points [%+.1f, %+.1f], ", 100 * c->share_before,
	    100 * c->share_after, 100 * c->delta, 100 * c->low,
	    100 * c->high);
	text_str(t, s);
	if (c->q < 0.001)
		(void)snprintf(s, sizeof(s), "q &lt;0.001");
	else
		(void)snprintf(s, sizeof(s), "q %.3f", c->q);
	text_str(t, s);
	if (!c->is_significant)
		text_str(t, ": not beyond noise");
}

/* --- colours ------------------------------------------------------------- */

/* All light enough for dark letters. */
static const uint32_t palette[FLAME_LANGS][FLAME_HUES] = {
	/* others: green */
	{ 0xc5d58b, 0xb7cf9a, 0xd4d68b, 0xa9c77f,
	    0xcadb9f, 0xbfc98a, 0xd9dca0, 0xadc58f },
	/* PHP: warm */
	{ 0xf6b26b, 0xf4a6a0, 0xf9cb6c, 0xf0967c,
	    0xf7c59f, 0xe9b44c, 0xf2a07b, 0xfbd38d },
	/* Python: cool */
	{ 0x8ecae6, 0x7dd3c0, 0xa5c9f3, 0x86d8e8,
	    0x9fd5b5, 0xb3d4fc, 0x73c2d0, 0xaedfdb },
	/* native: violet */
	{ 0xc3b1e1, 0xb8b8d1, 0xd0bfe8, 0xb5a7d6,
	    0xcbb8d9, 0xbcb3e0, 0xd8c4e6, 0xada3cc },
};

_Static_assert(BOB_LANG_PHP == 1 && BOB_LANG_PYTHON == 2 &&
    BOB_LANG_NATIVE == 3, "the palette is in the order of languages");

/* FNV-1a, so that a colour is the same tomorrow. */
static uint32_t
hash_of(const char *p, size_t n)
{
	uint32_t hash = 2166136261u;
	size_t i;

	for (i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)p[i]) * 16777619u;
	return hash ^ hash >> 15;
}

/* The hue is that of the folder a file is in, else of the file: what is in one
 * place looks alike. Its tint tells neighbours apart. */
unsigned
flame_colour_of(const struct functions *fns, bob_fid id)
{
	struct bob_bytes file = functions_file(fns, id);
	struct bob_bytes name = functions_name(fns, id);
	unsigned lang = (unsigned)functions_lang(fns, id) % FLAME_LANGS;
	size_t n = file.n;

	while (n > 0 && file.p[n - 1] != '/' && file.p[n - 1] != '\\')
		n--;
	if (n == 0)
		n = file.n;
	return (lang * FLAME_HUES + hash_of(file.p, n) % FLAME_HUES) *
	    FLAME_TINTS + hash_of(name.p, name.n) % FLAME_TINTS;
}

static void
put_rgb(struct text *t, const int *rgb)
{
	static const char hex[] = "0123456789abcdef";
	int i;

	text_byte(t, '#');
	for (i = 0; i < 3; i++) {
		text_byte(t, hex[rgb[i] >> 4 & 15]);
		text_byte(t, hex[rgb[i] & 15]);
	}
}

void
flame_put_colour(struct text *t, unsigned colour)
{
	unsigned tint = colour % FLAME_TINTS, hue = colour / FLAME_TINTS;
	uint32_t v = palette[hue / FLAME_HUES][hue % FLAME_HUES];
	int rgb[3], i;

	/* Each tint is by 1/20 darker. */
	for (i = 0; i < 3; i++)
		rgb[i] = (int)((v >> (16 - 8 * i) & 255) * (20 - tint) / 20);
	put_rgb(t, rgb);
}

/* Sixteen steps from grey to red or blue; their squares are even, so that
 * small changes are seen beside a large one. The script does the same. */
void
flame_put_change_colour(struct text *t, const struct bob_change *c, double max)
{
	double delta = c->is_significant ? c->delta : 0;
	static const int grey[] = { 0xe4, 0xe2, 0xdd };
	static const int red[] = { 0xef, 0x53, 0x50 };
	static const int blue[] = { 0x42, 0x9b, 0xf5 };
	const int *to = delta < 0 ? blue : red;
	double ratio = max > 0 ? (delta < 0 ? -delta : delta) / max : 0;
	int step = 0, rgb[3], i;

	while (step < 16 && (step + 1) * (step + 1) <= ratio * 256)
		step++;
	for (i = 0; i < 3; i++)
		rgb[i] = (grey[i] * (16 - step) + to[i] * step) / 16;
	put_rgb(t, rgb);
}
