/* Names of files with a number in them; see the header. */
#include "outname.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outfile.h"

/*
 * Finds the placeholder in a pattern. Returns where it begins and sets its
 * length and the number of digits; NULL if there is none.
 */
static const char *
find_placeholder(const char *s, size_t *len, int *digits)
{
	for (; *s != '\0'; s++) {
		size_t n = 1;

		*digits = 4;
		*len = 2;
		if (s[0] == '{' && s[1] == '}')
			return s;
		if (s[0] != '%')
			continue;
		*digits = 1;
		if (s[n] == '0' && s[n + 1] >= '1' && s[n + 1] <= '9') {
			*digits = s[n + 1] - '0';
			n += 2;
		}
		*len = n + 1;
		if (s[n] == 'd')
			return s;
	}
	return NULL;
}

int
outname_is_pattern(const char *path)
{
	size_t len;
	int digits;

	return path != NULL && find_placeholder(path, &len, &digits) != NULL;
}

char *
outname_make(const char *pattern, uint64_t index)
{
	size_t len, n = strlen(pattern) + 24;
	int digits;
	const char *at = find_placeholder(pattern, &len, &digits);
	char *s = malloc(n);

	if (s != NULL && at == NULL)
		(void)snprintf(s, n, "%s", pattern);
	else if (s != NULL)
		(void)snprintf(s, n, "%.*s%0*" PRIu64 "%s",
		    (int)(at - pattern), pattern, digits, index, at + len);
	return s;
}

int
outname_next(void *user, uint64_t index, struct bob_target *ret)
{
	struct outnames *o = user;

	free(o->name);
	o->name = outname_make(o->pattern, index);
	if (o->name == NULL)
		return -1;
	*ret = outfile_target(o->name);
	return 0;
}
