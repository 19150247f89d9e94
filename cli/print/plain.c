/* Safe printing, numbers from options, and line breaking; see the header. */
#include "plain.h"

#include <string.h>

#include <bobbin/units.h>

#include "text/safe.h"
#include "text/wrap.h"

size_t
plain_safe(FILE *f, const char *p, size_t n)
{
	struct safe_text t;
	struct safe_char c;
	size_t columns = 0;

	safe_init(&t, p, n, 0);
	while (safe_next(&t, &c)) {
		(void)fwrite(c.p, 1, c.n, f);
		columns += c.width;
	}
	return columns;
}

size_t
plain_safe_str(FILE *f, const char *s)
{
	return plain_safe(f, s, strlen(s));
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

int
plain_get_time(const char *s, size_t n, uint64_t *ret)
{
	uint64_t ns;

	if (!bob_parse_time(s, n, &ns))
		return 0;
	*ret = ns / 1000;
	return 1;
}

int
plain_get_size(const char *s, uint64_t *ret)
{
	return bob_parse_size(s, strlen(s), ret);
}

int
plain_get_percent(const char *s, size_t n, double *ret)
{
	uint64_t billionths;

	if (n > 0 && s[n - 1] == '%')
		n--;
	/* A number with a fraction and no unit is in the grammar of times. */
	if (n == 0 || s[n - 1] < '0' || s[n - 1] > '9' ||
	    !bob_parse_time(s, n, &billionths) ||
	    billionths > UINT64_C(1000000000000))
		return 0;
	*ret = (double)billionths / 1e11;
	return 1;
}

void
plain_wrap(FILE *f, const char *text, size_t col, size_t indent, size_t width)
{
	size_t n = strcspn(text, "\n"), len, next;

	for (;;) {
		if (col < indent) {
			(void)fprintf(f, "%*s", (int)(indent - col), "");
			col = indent;
		}
		len = wrap_line(text, n, col, col > indent, width, &next);
		(void)fwrite(text, 1, len, f);
		(void)fputc('\n', f);
		text += next;
		n -= next;
		col = 0;
		if (n > 0)
			continue;
		if (*text == '\0')
			return;
		(void)fputc('\n', f);
		n = strcspn(++text, "\n");
	}
}
