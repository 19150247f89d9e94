/*
 * Escaping, numbers and line breaking. All of it works on plain bytes: the
 * locale is never consulted, so output is the same everywhere.
 */
#include "plain.h"

#include <string.h>

#include <bobbin/chars.h>

size_t
plain_safe(FILE *f, const char *p, size_t n)
{
	size_t columns = 0;

	while (n > 0) {
		uint32_t cp = 0;
		size_t len = bob_char_take(p, n, &cp), i;

		if (len == 0 || bob_char_kind(cp) != BOB_CHAR_PLAIN) {
			len = len == 0 ? 1 : len;
			for (i = 0; i < len; i++)
				(void)fprintf(f, "\\x%02x",
				    (unsigned char)p[i]);
			columns += 4 * len;
		} else {
			(void)fwrite(p, 1, len, f);
			columns++;
		}
		p += len;
		n -= len;
	}
	return columns;
}

size_t
plain_safe_str(FILE *f, const char *s)
{
	return plain_safe(f, s, strlen(s));
}

const char *
plain_count(char buf[PLAIN_NUMBER], uint64_t n)
{
	return text_count(buf, n);
}

const char *
plain_nouns(char buf[PLAIN_NUMBER], uint64_t n, const char *noun)
{
	char count[PLAIN_NUMBER];

	(void)snprintf(buf, PLAIN_NUMBER, "%.27s %.10s%s",
	    plain_count(count, n), noun, n == 1 ? "" : "s");
	return buf;
}

const char *
plain_bytes(char buf[PLAIN_NUMBER], uint64_t n)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB",
		"PB", "EB" };
	double v = (double)n;
	size_t i = 0;

	while (v >= 999.5 && i < 6) {
		v /= 1000;
		i++;
	}
	(void)snprintf(buf, PLAIN_NUMBER, "%.*f %s",
	    i == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, unit[i]);
	return buf;
}

const char *
plain_time(char buf[PLAIN_NUMBER], uint64_t us)
{
	return text_time(buf, us);
}

uint64_t
plain_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t
plain_mul(uint64_t a, uint64_t b)
{
	return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Digits at s, before end: how many, and their value; 0 also on overflow. */
static size_t
get_digits(const char *s, const char *end, uint64_t *ret)
{
	const char *p = s;
	uint64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return 0;
		v = v * 10 + digit;
	}
	*ret = v;
	return (size_t)(p - s);
}

int
plain_get_u64(const char *s, uint64_t *ret)
{
	uint64_t v;
	size_t n = get_digits(s, s + strlen(s), &v);

	if (n == 0 || s[n] != '\0')
		return 0;
	*ret = v;
	return 1;
}

static uint64_t
unit_us(const char *s, size_t n)
{
	static const struct {
		const char *name;
		uint64_t us;
	} units[] = {
		{ "us", 1 },
		{ "ms", 1000 },
		{ "s", 1000000 },
		{ "", 1000000 },
		{ "m", 60000000 },
		{ "h", 3600000000u },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == n &&
		    memcmp(units[i].name, s, n) == 0)
			return units[i].us;
	return 0;
}

int
plain_get_time(const char *s, size_t n, uint64_t *ret)
{
	const char *end = s + n, *p = s, *fraction = NULL;
	uint64_t whole, unit, v, part;
	size_t len = get_digits(p, end, &whole);

	if (len == 0)
		return 0;
	p += len;
	if (p < end && *p == '.') {
		fraction = ++p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == fraction)
			return 0;
	}
	unit = unit_us(p, (size_t)(end - p));
	if (unit == 0 || whole > UINT64_MAX / unit)
		return 0;
	v = whole * unit;
	/* Each digit is a tenth of the one before; below 1 us they say
	 * nothing. */
	for (part = unit / 10; fraction != NULL && fraction < p && part > 0;
	     part /= 10) {
		uint64_t add = (uint64_t)(*fraction++ - '0') * part;

		if (v > UINT64_MAX - add)
			return 0;
		v += add;
	}
	*ret = v;
	return 1;
}

int
plain_get_size(const char *s, uint64_t *ret)
{
	static const char units[] = "kMG";
	uint64_t v;
	size_t n = get_digits(s, s + strlen(s), &v), times;

	if (n == 0 || (s[n] != '\0' && s[n + 1] != '\0'))
		return 0;
	/* K is no other unit; m would be minutes. */
	times = s[n] == '\0' ? 0 : s[n] == 'K' ? 1
	                         : strcspn(units, s + n) + 1;
	if (times >= sizeof(units))
		return 0;
	for (; times > 0; times--) {
		if (v > UINT64_MAX / 1024)
			return 0;
		v *= 1024;
	}
	*ret = v;
	return 1;
}

int
plain_get_percent(const char *s, size_t n, double *ret)
{
	uint64_t millionths;

	if (n > 0 && s[n - 1] == '%')
		n--;
	/* Seconds to microseconds is what is wanted, without a unit. */
	if (n == 0 || s[n - 1] < '0' || s[n - 1] > '9' ||
	    !plain_get_time(s, n, &millionths) || millionths > 1000000000u)
		return 0;
	*ret = (double)millionths / 1e8;
	return 1;
}

void
plain_wrap(FILE *f, const char *text, size_t col, size_t indent, size_t width)
{
	int is_first = 1; /* nothing stands on this line yet */

	while (*text != '\0') {
		size_t len = strcspn(text, " \n");

		if (!is_first && col + 1 + len > width) {
			(void)fputc('\n', f);
			col = 0;
			is_first = 1;
		}
		if (col < indent) {
			(void)fprintf(f, "%*s", (int)(indent - col), "");
			col = indent;
		}
		if (!is_first) {
			(void)fputc(' ', f);
			col++;
		}
		(void)fwrite(text, 1, len, f);
		col += len;
		is_first = 0;
		text += len;
		if (*text == '\n') {
			(void)fputs("\n\n", f);
			col = 0;
			is_first = 1;
		}
		if (*text != '\0')
			text++;
	}
	(void)fputc('\n', f);
}
