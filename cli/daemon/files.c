/*
 * The names of a daemon's files tell whose samples they hold and since when.
 * No name is given twice, and a clock that goes back does not make later names
 * smaller.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "plain.h"

/* Names that are remembered of one second; then the next one is told. */
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

/* A file that --keep has removed no longer says that its name was used. */
static int
is_used(const struct names_given *g, const char *path)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (strcmp(g->v[i], path) == 0)
			return 1;
	return access(path, F_OK) == 0;
}

/* Until the next second, when no name can be made again. 1, or 0 without
 * memory. */
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

/* The second that a name tells: now, but never one before the last name's. */
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
	const char *suffix = d->target.to->suffixes;
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

/* A tape's file, or one beside it: PATH.live, PATH.part, PATH.part.defs. */
static int
belongs_to(const struct tape *t, const char *path)
{
	size_t n = t->path != NULL ? strlen(t->path) : 0;

	return n > 0 && strncmp(t->path, path, n) == 0 &&
	    (path[n] == '\0' || path[n] == '.');
}

int
files_is_open(const struct daemon *d, const char *path)
{
	size_t i;

	if (belongs_to(&d->bundle, path))
		return 1;
	for (i = 0; i < d->n_workers; i++)
		if (belongs_to(&d->worker[i].tape, path))
			return 1;
	return 0;
}

int
files_parse_limit(const char *s, uint64_t *bytes, uint64_t *age_us)
{
	static const struct {
		const char *unit;
		uint64_t size, age_us;
	} units[] = {
		{ "k", 1000, 0 },
		{ "M", 1000 * 1000, 0 },
		{ "G", UINT64_C(1000) * 1000 * 1000, 0 },
		{ "T", UINT64_C(1000) * 1000 * 1000 * 1000, 0 },
		{ "s", 0, 1000000 },
		{ "m", 0, 60 * UINT64_C(1000000) },
		{ "h", 0, 3600 * UINT64_C(1000000) },
		{ "d", 0, 24 * 3600 * UINT64_C(1000000) },
	};
	size_t n = strspn(s, "0123456789"), i;
	char digits[24];
	uint64_t v;

	if (n == 0 || n >= sizeof(digits))
		return 0;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!plain_get_u64(digits, &v) || v == 0)
		return 0;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(s + n, units[i].unit) != 0)
			continue;
		if (units[i].size != 0)
			*bytes = plain_mul(v, units[i].size);
		else
			*age_us = plain_mul(v, units[i].age_us);
		return 1;
	}
	return 0;
}
