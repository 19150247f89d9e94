/* Counts, sizes, times and shares for people; see the header. */
#include "number.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

const char *
number_count(char buf[NUMBER_TEXT], uint64_t n)
{
	char digits[NUMBER_TEXT];
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
number_nouns(char buf[NUMBER_TEXT], uint64_t n, const char *noun)
{
	char count[NUMBER_TEXT];

	(void)snprintf(buf, NUMBER_TEXT, "%.27s %.10s%s",
	    number_count(count, n), noun, n == 1 ? "" : "s");
	return buf;
}

const char *
number_bytes(char buf[NUMBER_TEXT], uint64_t n)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB",
		"PB", "EB" };
	double v = (double)n;
	size_t i = 0;

	while (v >= 999.5 && i < 6) {
		v /= 1000;
		i++;
	}
	(void)snprintf(buf, NUMBER_TEXT, "%.*f %s",
	    i == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, unit[i]);
	return buf;
}

const char *
number_time(char buf[NUMBER_TEXT], uint64_t us)
{
	uint64_t s = us / 1000000;

	if (us < 1000)
		(void)snprintf(buf, NUMBER_TEXT, "%" PRIu64 " us", us);
	else if (us < 1000000)
		(void)snprintf(buf, NUMBER_TEXT, "%.4g ms", (double)us / 1e3);
	else if (s < 120)
		(void)snprintf(buf, NUMBER_TEXT, "%.4g s", (double)us / 1e6);
	else if (s < 7200)
		(void)snprintf(buf, NUMBER_TEXT,
		    "%" PRIu64 " m %02" PRIu64 " s", s / 60, s % 60);
	else
		(void)snprintf(buf, NUMBER_TEXT,
		    "%" PRIu64 " h %02" PRIu64 " m", s / 3600, s / 60 % 60);
	return buf;
}

const char *
number_percent(char buf[NUMBER_TEXT], double share)
{
	(void)snprintf(buf, NUMBER_TEXT, "%5.1f%%", 100 * share);
	return buf;
}
