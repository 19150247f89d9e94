/* Text: building, escaping, numbers. See the header. */
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/chars.h"
#include "core/mem.h"

#define CTL (TEXT_CTL | TEXT_LISTING)
#define LEAD (TEXT_LEAD | TEXT_LISTING)
#define LISTING2 TEXT_LISTING, TEXT_LISTING
#define LISTING5 TEXT_LISTING, LISTING2, LISTING2
#define ROW8(x) x, x, x, x, x, x, x, x
#define ROW16(x) ROW8(x), ROW8(x)
#define ROW32(x) ROW16(x), ROW16(x)

const uint8_t text_kinds[256] = {
	ROW32(CTL),
	[' '] = TEXT_SPACE | TEXT_LISTING,
	['#'] = TEXT_HASH,
	['%'] = TEXT_PERCENT | TEXT_LISTING,
	[','] = TEXT_LISTING,
	[':'] = TEXT_COLON,
	[';'] = TEXT_SEMI | TEXT_LISTING,
	['='] = TEXT_LISTING,
	[0x7f] = CTL,
	[0x80] = ROW32(TEXT_LISTING), ROW32(TEXT_LISTING),
	/* C2: U+0080 to U+009F; D8: U+061C; E2: U+200E to U+2069. */
	LISTING2, LEAD, LISTING5, ROW16(TEXT_LISTING),
	LEAD, LISTING2, LISTING5,
	LISTING2, LEAD, LISTING5, ROW8(TEXT_LISTING), ROW16(TEXT_LISTING),
};

void
text_done(struct text *t)
{
	free(t->p);
	memset(t, 0, sizeof(*t));
}

static void
text_spill(struct text *t)
{
	t->r = out_bytes(t->out, t->p, t->n);
	t->n = 0;
	t->is_spilled = 1;
}

char *
text_room_slow(struct text *t, size_t n)
{
	if (t->r == BOB_OK && t->n + n > TEXT_SPILL)
		text_spill(t);
	if (t->r == BOB_OK)
		t->r = MEM_GROW(t->ctx, t, p, t->n + n);
	return t->r == BOB_OK ? t->p + t->n : NULL;
}

void
text_bytes(struct text *t, const void *p, size_t n)
{
	const char *from = p;

	while (n > 0) {
		size_t part = n < TEXT_SPILL ? n : TEXT_SPILL;
		char *to = text_room(t, part);

		if (to == NULL)
			return;
		memcpy(to, from, part);
		t->n += part;
		from += part;
		n -= part;
	}
}

void
text_str(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

/* All pairs of digits: half the divisions, which are what formatting costs. */
#define TENS(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
static const char pairs[] = TENS("0") TENS("1") TENS("2") TENS("3") TENS("4")
    TENS("5") TENS("6") TENS("7") TENS("8") TENS("9");

/* From the number of bits: 1233 / 4096 is a little more than lg 2. */
static size_t
n_digits(uint64_t v)
{
	static const uint64_t power[] = { 0, 10, 100, 1000, 10000, 100000,
		1000000, 10000000, 100000000, 1000000000, 10000000000,
		100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000,
		100000000000000000, 1000000000000000000,
		10000000000000000000u };
	size_t n = (size_t)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= power[n]);
}

size_t
text_format_u64(char *to, uint64_t v)
{
	size_t n = n_digits(v), at = n;

	for (; v >= 100; v /= 100) {
		at -= 2;
		memcpy(to + at, pairs + 2 * (v % 100), 2);
	}
	if (v >= 10)
		memcpy(to, pairs + 2 * v, 2);
	else
		to[0] = (char)('0' + v);
	return n;
}

void
text_format_decimal(char *to, double v)
{
	int digits;
	char *point;

	for (digits = 15; digits <= 17; digits++) {
		(void)snprintf(to, TEXT_MAX_DECIMAL, "%.*g", digits, v);
		if (strtod(to, NULL) == v)
			break;
	}
	/* The host's locale may have another decimal point, of any length. */
	point = to + strspn(to, "-0123456789e+");
	if (isfinite(v) && *point != '\0') {
		size_t n = strcspn(point, "-0123456789e+");

		*point = '.';
		memmove(point + 1, point + n, strlen(point + n) + 1);
	}
}

void
text_u64(struct text *t, uint64_t v)
{
	char *to = text_room(t, TEXT_MAX_U64);

	if (to != NULL)
		t->n += text_format_u64(to, v);
}

void
text_i64(struct text *t, int64_t v)
{
	if (v < 0)
		text_byte(t, '-');
	text_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void
text_hex(struct text *t, uint64_t v)
{
	char buf[16];
	size_t at = sizeof(buf);

	do {
		buf[--at] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v != 0);
	text_bytes(t, buf + at, sizeof(buf) - at);
}

void
text_digits(struct text *t, uint64_t v, unsigned n)
{
	char buf[20];
	unsigned i;

	assert(n <= sizeof(buf));
	for (i = n; i > 0; i--) {
		buf[i - 1] = (char)('0' + v % 10);
		v /= 10;
	}
	text_bytes(t, buf, n);
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* The byte that an escape at p stands for, or -1 when there is none. */
static int
escape_at(const char *p, size_t n)
{
	int high, low;

	if (n < 3 || *p != '%')
		return -1;
	high = hex_value(p[1]);
	low = hex_value(p[2]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static void
text_put_escape(struct text *t, uint8_t c)
{
	char *to = text_room(t, 3);

	if (to == NULL)
		return;
	to[0] = '%';
	to[1] = "0123456789ABCDEF"[c >> 4];
	to[2] = "0123456789ABCDEF"[c & 15];
	t->n += 3;
}

/* Returns how many bytes from p on are of none of these kinds. Most names have
 * none, so eight bytes are checked with one branch. */
static size_t
clean_len(const char *p, size_t n, unsigned kinds)
{
	const uint8_t *q = (const uint8_t *)p;
	size_t i = 0;

	while (n - i >= 8) {
		const uint8_t *v = q + i;

		if ((text_kinds[v[0]] | text_kinds[v[1]] | text_kinds[v[2]] |
		    text_kinds[v[3]] | text_kinds[v[4]] | text_kinds[v[5]] |
		    text_kinds[v[6]] | text_kinds[v[7]]) & kinds)
			break;
		i += 8;
	}
	while (i < n && !(text_kinds[q[i]] & kinds))
		i++;
	return i;
}

/* Returns how many bytes at p must be escaped; n is at least 1. */
static size_t
odd_len(const char *p, size_t n, unsigned kinds)
{
	unsigned of = text_kinds[(uint8_t)*p];

	if (of & kinds)
		return 1;
	if (of & TEXT_LEAD)
		return chars_acting(p, n);
	/* A % that need not be escaped may still look like an escape. */
	return !(kinds & TEXT_ONE_WAY) && escape_at(p, n) >= 0;
}

void
text_escaped(struct text *t, const char *p, size_t n, unsigned kinds)
{
	unsigned stop = kinds | TEXT_PERCENT |
	    (kinds & TEXT_CTL ? TEXT_LEAD : 0);
	size_t clean = 0, i = 0, odd;

	for (;;) {
		i += clean_len(p + i, n - i, stop);
		if (i == n)
			break;
		odd = odd_len(p + i, n - i, kinds);
		if (odd == 0) {
			i++;
			continue;
		}
		text_bytes(t, p + clean, i - clean);
		for (clean = i + odd; i < clean; i++)
			text_put_escape(t, (uint8_t)p[i]);
	}
	text_bytes(t, p + clean, n - clean);
}

int
text_commit(struct text *t)
{
	return text_commit_with(t, NULL, 0);
}

int
text_commit_with(struct text *t, const void *p, size_t n)
{
	uint8_t *to;

	if (t->r < 0)
		return t->r;
	to = out_reserve(t->out, t->n + n);
	if (to == NULL)
		return BOB_FATAL;
	if (t->n > 0)
		memcpy(to, t->p, t->n);
	if (n > 0)
		memcpy(to + t->n, p, n);
	return out_commit(t->out, t->n + n);
}

/* Undoes the escapes at p: one byte, or a character of BOB_CHAR_ACTS. Returns
 * how many bytes it wrote to `to`; 0 if there is no escape. */
static size_t
unescape_at(char to[3], const char *p, size_t n)
{
	size_t k = 0;
	int c;

	while (k < 3 && (c = escape_at(p + 3 * k, n - 3 * k)) >= 0)
		to[k++] = (char)c;
	if (k > 0 && (text_kinds[(uint8_t)to[0]] & TEXT_ESCAPES))
		return 1;
	return chars_acting(to, k);
}

size_t
text_unescape(char *to, const char *p, size_t n)
{
	size_t len = 0, i = 0, k;
	char bytes[3];

	while (i < n) {
		k = p[i] == '%' ? unescape_at(bytes, p + i, n - i) : 0;
		if (k == 0) {
			to[len++] = p[i++];
			continue;
		}
		memcpy(to + len, bytes, k);
		len += k;
		i += 3 * k;
	}
	return len;
}

/* Leading zeros are allowed, but a number has a maximal length: a string of a
 * million zeros would be parsed again for each frame that has it. */
#define MAX_DIGITS 64

int
text_get_u64(const char *p, size_t n, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	if (n == 0 || n > MAX_DIGITS || text_n_digits(p, n) != n)
		return 0;
	for (i = 0; i < n; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(p[i] - '0'), &v))
			return 0;
	*ret = v;
	return 1;
}

int
text_get_i64(const char *p, size_t n, int64_t *ret)
{
	int minus = n > 0 && *p == '-';
	uint64_t v;

	if (!text_get_u64(p + minus, n - (size_t)minus, &v) ||
	    v > (uint64_t)INT64_MAX + (uint64_t)minus)
		return 0;
	/* -v without negating INT64_MIN. */
	*ret = minus && v > 0 ? -(int64_t)(v - 1) - 1 : (int64_t)v;
	return 1;
}

int
text_get_hex(const char *p, size_t n, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	if (n == 0 || n > 16)
		return 0;
	for (i = 0; i < n; i++) {
		int digit = hex_value(p[i]);

		if (digit < 0)
			return 0;
		v = v << 4 | (uint64_t)digit;
	}
	*ret = v;
	return 1;
}
