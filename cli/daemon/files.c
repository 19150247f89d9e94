/*
 * Names of a daemon's files: the runtime and process, and when the file begins.
 * No name is given twice. If the clock is set back, later names still sort
 * behind earlier ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "print/plain.h"

/* Names that are remembered of one second; then names use the next second. */
#define MAX_GIVEN 1000

static void
forget_names(struct names_given *g)
{
	while (g->n > 0)
		free(g->v[--g->n]);
}

void
files_done(struct daemon *d)
{
	forget_names(&d->given);
	free(d->given.v);
	keep_done(d);
}

/* Also looks at the names given: --keep may have removed the file. */
static int
is_used(const struct names_given *g, const char *path)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (strcmp(g->v[i], path) == 0)
			return 1;
	return access(path, F_OK) == 0;
}

/* Remembers a name until the next second. Returns 1; 0 without memory. */
static int
remember(struct names_given *g, const char *path)
{
	char **v = realloc(g->v, (g->n + 1) * sizeof(*v));

	if (v == NULL)
		return 0;
	g->v = v;
	v[g->n] = strdup(path);
	if (v[g->n] == NULL)
		return 0;
	g->n++;
	return 1;
}

/* The second in a new name: now, but never before that of the last name. */
static time_t
next_second(struct names_given *g)
{
	time_t now = time(NULL);

	if (now > g->second || g->n >= MAX_GIVEN) {
		forget_names(g);
		g->second = now > g->second ? now : g->second + 1;
	}
	return g->second;
}

char *
files_new_name(struct daemon *d, const char *what, uint64_t pid)
{
	const char *suffix = d->output.format->suffixes;
	int n_suffix = (int)strcspn(suffix, " ");
	size_t room = strlen(d->dir) + strlen(what) + (size_t)n_suffix + 96;
	char *path = malloc(room), stamp[32], number[24] = "", again[16] = "";
	time_t now = next_second(&d->given);
	struct tm tm;
	unsigned i;

	if (gmtime_r(&now, &tm) == NULL ||
	    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm) == 0)
		stamp[0] = '\0';
	if (pid != 0)
		(void)snprintf(number, sizeof(number), "-%llu",
		    (unsigned long long)pid);
	for (i = 1; path != NULL && i < 2 * MAX_GIVEN; i++) {
		if (i > 1)
			(void)snprintf(again, sizeof(again), ".%u", i);
		(void)snprintf(path, room, "%s/%s%s%s-%s%s%.*s", d->dir,
		    FILES_PREFIX, what, number, stamp, again, n_suffix, suffix);
		if (!is_used(&d->given, path))
			break;
	}
	if (path != NULL && i < 2 * MAX_GIVEN && remember(&d->given, path))
		return path;
	free(path);
	return NULL;
}

int
files_parse_limit(const char *s, uint64_t *bytes, uint64_t *age_us)
{
	size_t n = strlen(s);
	uint64_t v;

	/* A number without a unit could be either. */
	if (n == 0 || strspn(s, "0123456789.") == n)
		return 0;
	if (plain_get_time(s, n, &v) && v > 0) {
		*age_us = v;
		return 1;
	}
	if (!plain_get_size(s, &v) || v == 0)
		return 0;
	*bytes = v;
	return 1;
}
