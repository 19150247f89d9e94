/* Counts, sizes, times and shares for people; see the header. */
#include "number.h"

#include <stddef.h>
#include <stdio.h>

#include <bobbin/units.h>

const char *
number_count(char buf[NUMBER_TEXT], uint64_t n)
{
	return bob_count_text(buf, NUMBER_TEXT, n);
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
	return bob_time_text(buf, NUMBER_TEXT, us);
}

const char *
number_percent(char buf[NUMBER_TEXT], double share)
{
	(void)snprintf(buf, NUMBER_TEXT, "%5.1f%%", 100 * share);
	return buf;
}
