/* Numbers and strings as text. */
#include "capture/python/values/repr_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/chars.h"
#include "core/text.h"

#define DOTS "..."

void
repr_put(struct repr_text *t, const char *s, size_t n)
{
	assert(t->n <= sizeof(t->p));
	if (n > sizeof(t->p) - t->n)
		n = sizeof(t->p) - t->n;
	memcpy(t->p + t->n, s, n);
	t->n += n;
}

void
repr_str(struct repr_text *t, const char *s)
{
	repr_put(t, s, strlen(s));
}

/* --- numbers ------------------------------------------------------------- */

#define BILLION 1000000000u

/* Divides in place by a billion. Returns the remainder. */
static uint32_t
divide(uint32_t *digit, size_t n)
{
	uint64_t rest = 0;

	while (n-- > 0) {
		rest = rest << 30 | digit[n];
		digit[n] = (uint32_t)(rest / BILLION);
		rest %= BILLION;
	}
	return (uint32_t)rest;
}

void
repr_long(struct repr_text *t, const uint32_t *digit, size_t n,
    int is_negative)
{
	/* A digit has less than 10 decimal digits; a part has 9 of them. */
	uint32_t d[REPR_MAX_DIGITS], part[REPR_MAX_DIGITS * 10 / 9 + 1];
	char buf[16];
	size_t k = 0, i;

	assert(n <= REPR_MAX_DIGITS);
	for (i = 0; i < n; i++)
		d[i] = digit[i] & ((1u << 30) - 1);
	while (n > 0 && d[n - 1] == 0)
		n--;
	while (n > 0) {
		assert(k < sizeof(part) / sizeof(part[0]));
		part[k++] = divide(d, n);
		while (n > 0 && d[n - 1] == 0)
			n--;
	}
	if (is_negative && k > 0)
		repr_str(t, "-");
	(void)snprintf(buf, sizeof(buf), "%" PRIu32,
	    k > 0 ? part[k - 1] : 0);
	repr_str(t, buf);
	while (k > 1) {
		(void)snprintf(buf, sizeof(buf), "%09" PRIu32, part[--k - 1]);
		repr_str(t, buf);
	}
}

void
repr_float(struct repr_text *t, double v)
{
	char buf[TEXT_MAX_DECIMAL];

	text_format_decimal(buf, v);
	repr_str(t, buf);
	/* A whole number: neither a fraction, nor inf or nan. */
	if (buf[strspn(buf, "-0123456789")] == '\0')
		repr_str(t, ".0");
}

/* --- strings ------------------------------------------------------------- */

static void
put_escape(struct repr_text *t, uint32_t c)
{
	char buf[16];

	(void)snprintf(buf, sizeof(buf), c < 0x100 ? "\\x%02" PRIx32
	    : c < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, c);
	repr_str(t, buf);
}

/* The lone surrogate at s, which is not UTF-8. 0 if there is none. */
static uint32_t
surrogate_at(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;

	if (n < 3 || p[0] != 0xed || p[1] < 0xa0 || (p[1] & 0xc0) != 0x80 ||
	    (p[2] & 0xc0) != 0x80)
		return 0;
	return 0xd000 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

/* Appends one character of s, or one byte that belongs to none. Returns how
 * many bytes that was. */
static size_t
put_char(struct repr_text *t, const char *s, size_t n, int is_bytes)
{
	uint32_t c = is_bytes ? 0 : surrogate_at(s, n);
	size_t k = 3;

	if (c == 0) {
		k = bob_char_take(s, is_bytes ? 1 : n, &c);
		if (k > 0 && bob_char_kind(c) == BOB_CHAR_PLAIN) {
			repr_put(t, s, k);
			return k;
		}
	}
	put_escape(t, k > 0 ? c : (uint8_t)*s);
	return k > 0 ? k : 1;
}

void
repr_quoted(struct repr_text *t, const char *s, size_t n, int is_bytes,
    int is_cut)
{
	char quote = n > 0 && memchr(s, '\'', n) != NULL &&
	    memchr(s, '"', n) == NULL ? '"' : '\'';
	static const char special[] = "\\\n\r\t";
	static const char letter[] = "\\nrt";
	size_t i = 0;

	if (is_bytes)
		repr_str(t, "b");
	repr_put(t, &quote, 1);
	while (i < n) {
		const char *p = s[i] != '\0' ? strchr(special, s[i]) : NULL;

		if (p != NULL || s[i] == quote) {
			repr_str(t, "\\");
			repr_put(t, p != NULL ? &letter[p - special] : &quote,
			    1);
			i++;
		} else {
			i += put_char(t, s + i, n - i, is_bytes);
		}
	}
	if (is_cut)
		repr_str(t, DOTS);
	repr_put(t, &quote, 1);
}

void
repr_plain(struct repr_text *t, const char *s, size_t n)
{
	size_t i = 0;

	while (i < n)
		i += put_char(t, s + i, n - i, 0);
}
