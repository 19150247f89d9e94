/* Numbers as the values of options; see the header. */
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/msg.h"
#include "print/plain.h"

/* "0 to 256; 0 is one per processor", of which either may be missing. */
static void
say_range(uint64_t least, uint64_t most, const char *hint)
{
	char range[64] = "";

	if (most < SIZE_MAX)
		(void)snprintf(range, sizeof(range), "%" PRIu64 " to %" PRIu64,
		    least, most);
	else if (least > 0)
		(void)snprintf(range, sizeof(range), "at least %" PRIu64,
		    least);
	else if (hint == NULL)
		(void)snprintf(range, sizeof(range), "0 or more");
	msg_hint("%s%s%s", range, *range != '\0' && hint != NULL ? "; " : "",
	    hint != NULL ? hint : "");
}

int
value_count(const char *option, const char *value, uint64_t least,
    uint64_t most, const char *hint, uint64_t *ret)
{
	uint64_t n;
	int is_number = plain_get_u64(value, &n);

	if (is_number && n >= least && n <= most) {
		*ret = n;
		return EXIT_OK;
	}
	(void)msg_usage("--%s '%s' is %s", option, value, is_number
	        ? "out of range" : "not a number");
	say_range(least, most, hint);
	return EXIT_USAGE;
}

int
value_size(const char *option, const char *value, size_t least, size_t most,
    size_t *ret)
{
	uint64_t n;
	int r = value_count(option, value, least, most, NULL, &n);

	if (r == EXIT_OK)
		*ret = (size_t)n;
	return r;
}

int
value_min_percent(const char *value, double *ret)
{
	double share;

	if (plain_get_percent(value, strlen(value), &share) && share <= 1) {
		*ret = share;
		return EXIT_OK;
	}
	return msg_value("min-percent", value, "is not a percentage",
	    "as in --min-percent 0.5");
}
