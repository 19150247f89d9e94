/* Times and sizes as text; see bobbin/units.h. */
#include <bobbin/units.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

struct unit {
	const char *name;
	uint64_t size;
};

static const struct unit times[] = {
	{ "", 1000000000 },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", UINT64_C(60) * 1000000000 },
	{ "h", UINT64_C(3600) * 1000000000 },
	{ "d", UINT64_C(86400) * 1000000000 },
	{ NULL, 0 },
};

static const struct unit sizes[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "k", 1000 },
	{ "kB", 1000 },
	{ "Ki", 1024 },
	{ "KiB", 1024 },
	{ "M", 1000000 },
	{ "MB", 1000000 },
	{ "Mi", UINT64_C(1) << 20 },
	{ "MiB", UINT64_C(1) << 20 },
	{ "G", 1000000000 },
	{ "GB", 1000000000 },
	{ "Gi", UINT64_C(1) << 30 },
	{ "GiB", UINT64_C(1) << 30 },
	{ "T", UINT64_C(1000000000000) },
	{ "TB", UINT64_C(1000000000000) },
	{ "Ti", UINT64_C(1) << 40 },
	{ "TiB", UINT64_C(1) << 40 },
	{ NULL, 0 },
};

typedef int compare_fn(const char *a, const char *b, size_t n);

/* Returns the size of the unit that the n bytes at p name; 0 if none. */
static uint64_t
find_unit(const struct unit *u, compare_fn *compare, const char *p, size_t n)
{
	for (; u->name != NULL; u++)
		if (strlen(u->name) == n && compare(u->name, p, n) == 0)
			return u->size;
	return 0;
}

/* Returns 1 and sets *ret to the number of n digits times size; 0 on
 * overflow. */
static int
multiply_whole(const char *p, size_t n, uint64_t size, uint64_t *ret)
{
	uint64_t v = 0;

	for (; n > 0; n--, p++)
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return 0;
	return !__builtin_mul_overflow(v, size, ret);
}

/* Returns 0.DIGITS times size, rounded down. From the last digit on, each step
 * divides by 10: where the result is whole, so are all steps. */
static uint64_t
multiply_fraction(const char *p, size_t n, uint64_t size)
{
	uint64_t v = 0;

	while (n > 0)
		v = (v + (uint64_t)(p[--n] - '0') * size) / 10;
	return v;
}

static int
parse_units(const char *p, size_t n, const struct unit *units,
    compare_fn *compare, uint64_t *ret)
{
	const char *end = p + n, *fraction;
	size_t n_whole = text_n_digits(p, n), n_fraction = 0;
	uint64_t size, v;

	fraction = p + n_whole;
	if (fraction < end && *fraction == '.') {
		fraction++;
		n_fraction = text_n_digits(fraction, (size_t)(end - fraction));
		if (n_fraction == 0)
			return 0;
	}
	size = find_unit(units, compare, fraction + n_fraction,
	    (size_t)(end - fraction) - n_fraction);
	if (n_whole == 0 || size == 0 ||
	    !multiply_whole(p, n_whole, size, &v) ||
	    __builtin_add_overflow(v,
	        multiply_fraction(fraction, n_fraction, size), &v))
		return 0;
	*ret = v;
	return 1;
}

int
bob_parse_time(const char *p, size_t n, uint64_t *ret_ns)
{
	return parse_units(p, n, times, strncmp, ret_ns);
}

int
bob_parse_size(const char *p, size_t n, uint64_t *ret)
{
	return parse_units(p, n, sizes, strncasecmp, ret);
}

const char *
bob_count_text(char *buf, size_t n, uint64_t count)
{
	char digits[24], text[32], *out = text;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, count), i;

	for (i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	(void)snprintf(buf, n, "%s", text);
	return buf;
}

const char *
bob_time_text(char *buf, size_t n, uint64_t us)
{
	uint64_t s = us / 1000000;

	if (us < 1000)
		(void)snprintf(buf, n, "%" PRIu64 " us", us);
	else if (us < 1000000)
		(void)snprintf(buf, n, "%.4g ms", (double)us / 1e3);
	else if (s < 120)
		(void)snprintf(buf, n, "%.4g s", (double)us / 1e6);
	else if (s < 7200)
		(void)snprintf(buf, n, "%" PRIu64 " m %02" PRIu64 " s",
		    s / 60, s % 60);
	else
		(void)snprintf(buf, n, "%" PRIu64 " h %02" PRIu64 " m",
		    s / 3600, s / 60 % 60);
	return buf;
}
