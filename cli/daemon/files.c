/*
 * The files of a daemon: their names tell whose samples they hold and since
 * when, and the oldest go when there are too many. Only names that the daemon
 * itself gives are ever removed.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "msg.h"
#include "plain.h"

/* What all names begin with. */
#define PREFIX "bobbin-"

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

char *
files_new_name(struct daemon *d, const char *what, uint64_t pid)
{
	const char *suffix = d->target.to->suffixes;
	int n_suffix = (int)strcspn(suffix, " ");
	size_t room = strlen(d->dir) + strlen(what) + (size_t)n_suffix + 96;
	char *path = malloc(room), stamp[32], number[24] = "", again[16] = "";
	time_t now = time(NULL);
	struct tm tm;
	unsigned i;

	if (now != d->given.second)
		forget_names(&d->given);
	d->given.second = now;
	if (gmtime_r(&now, &tm) == NULL ||
	    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm) == 0)
		stamp[0] = '\0';
	if (pid != 0)
		(void)snprintf(number, sizeof(number), "-%llu",
		    (unsigned long long)pid);
	for (i = 1; path != NULL && i < 1000; i++) {
		if (i > 1)
			(void)snprintf(again, sizeof(again), ".%u", i);
		(void)snprintf(path, room, "%s/%s%s%s-%s%s%.*s", d->dir,
		    PREFIX, what, number, stamp, again, n_suffix, suffix);
		if (!is_used(&d->given, path))
			break;
	}
	if (path != NULL && i < 1000 && remember(&d->given, path))
		return path;
	free(path);
	return NULL;
}

int
files_is_open(const struct daemon *d, const char *path)
{
	size_t i;

	if (d->bundle.path != NULL && strcmp(d->bundle.path, path) == 0)
		return 1;
	for (i = 0; i < d->n_workers; i++)
		if (d->worker[i].tape.path != NULL &&
		    strcmp(d->worker[i].tape.path, path) == 0)
			return 1;
	return 0;
}

struct old_file {
	char *path;
	uint64_t bytes;
	struct timespec changed;
};

static int
oldest_first(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;

	if (x->changed.tv_sec != y->changed.tv_sec)
		return x->changed.tv_sec < y->changed.tv_sec ? -1 : 1;
	if (x->changed.tv_nsec != y->changed.tv_nsec)
		return x->changed.tv_nsec < y->changed.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* A file of ours that is not being written: 1 and *ret. */
static int
take_file(const struct daemon *d, const char *name, struct old_file *ret)
{
	size_t room = strlen(d->dir) + strlen(name) + 2;
	struct stat st;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	ret->path = malloc(room);
	if (ret->path == NULL)
		return 0;
	(void)snprintf(ret->path, room, "%s/%s", d->dir, name);
	if (lstat(ret->path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    files_is_open(d, ret->path)) {
		free(ret->path);
		return 0;
	}
	ret->bytes = (uint64_t)st.st_size;
	ret->changed = st.st_mtim;
	return 1;
}

static struct old_file *
list_files(const struct daemon *d, size_t *ret_n)
{
	struct old_file *v = NULL, *more;
	struct dirent *e;
	size_t n = 0, cap = 0;
	DIR *dir = opendir(d->dir);

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (n == cap) {
			more = realloc(v, (cap + 256) * sizeof(*v));
			if (more == NULL)
				break;
			v = more;
			cap += 256;
		}
		n += (size_t)take_file(d, e->d_name, &v[n]);
	}
	if (dir != NULL)
		(void)closedir(dir);
	*ret_n = n;
	return v;
}

void
files_sweep(struct daemon *d)
{
	struct old_file *v;
	uint64_t sum = 0;
	time_t now = time(NULL);
	size_t n, i;

	if (d->keep.bytes == 0 && d->keep.age_us == 0)
		return;
	v = list_files(d, &n);
	if (n > 0)
		qsort(v, n, sizeof(*v), oldest_first);
	for (i = 0; i < n; i++)
		sum = plain_add(sum, v[i].bytes);
	for (i = 0; i < n; i++) {
		uint64_t age = now > v[i].changed.tv_sec
		    ? (uint64_t)(now - v[i].changed.tv_sec) : 0;

		if ((d->keep.bytes != 0 && sum > d->keep.bytes) ||
		    (d->keep.age_us != 0 && age > d->keep.age_us / 1000000)) {
			if (unlink(v[i].path) < 0)
				msg_warn("%s: cannot be removed", v[i].path);
			sum -= v[i].bytes;
		}
		free(v[i].path);
	}
	free(v);
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
