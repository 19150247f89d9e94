/*
 * --keep: removes the oldest files while all of them take too much room, and
 * files that are too old. Only files with names that the daemon gives are
 * removed, and none that is being written. The index of a file goes with it.
 *
 * The date is not trusted: setting the clock forward by a year must not remove
 * everything. The age of a file is counted on a clock that cannot be set, from
 * the moment at which the file is first seen closed. A file of an earlier
 * daemon begins with its distance to the newest of those files: while no daemon
 * runs, files do not age.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/write.h>

#include "daemon.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/clock.h"

/* If the date and CLOCK_BOOTTIME move apart by this much, the clock was set. */
#define JUMP_US 2000000

static int
by_path(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int
changed_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
	                              : a->tv_nsec < b->tv_nsec;
}

/* By age, on the clock that cannot be set. */
static int
oldest_first(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	int64_t x_us = (int64_t)x->t_us - (int64_t)x->age_us;
	int64_t y_us = (int64_t)y->t_us - (int64_t)y->age_us;

	if (x_us != y_us)
		return x_us < y_us ? -1 : 1;
	if (changed_before(&x->changed, &y->changed))
		return -1;
	return changed_before(&y->changed, &x->changed) ? 1 : by_path(a, b);
}

/* NULL without memory; the caller frees it. */
static char *
with_suffix(const char *path, const char *suffix)
{
	size_t room = strlen(path) + strlen(suffix) + 1;
	char *s = malloc(room);

	if (s != NULL)
		(void)snprintf(s, room, "%s%s", path, suffix);
	return s;
}

static void
free_files(struct kept *v, size_t n)
{
	while (n > 0)
		free(v[--n].path);
	free(v);
}

void
keep_done(struct daemon *d)
{
	free_files(d->keep.v, d->keep.n);
	d->keep.v = NULL;
	d->keep.n = 0;
}

/* Returns the length of a name without BOB_INDEX_SUFFIX, or of an index that is
 * not complete; 0 if it is no index. */
static size_t
index_stem(const char *name)
{
	size_t part = bob_part_stem(name), n = part > 0 ? part : strlen(name);
	size_t suffix = strlen(BOB_INDEX_SUFFIX);

	return n > suffix && strncmp(name + n - suffix, BOB_INDEX_SUFFIX,
	    suffix) == 0 ? n - suffix : 0;
}

/* Returns what the index of a file takes. */
static uint64_t
index_bytes(const char *path)
{
	char *index = with_suffix(path, BOB_INDEX_SUFFIX);
	struct stat st;
	uint64_t n = index != NULL && lstat(index, &st) == 0 &&
	    S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;

	free(index);
	return n;
}

static void
remove_index(const char *path)
{
	char *index = with_suffix(path, BOB_INDEX_SUFFIX);
	char *part = with_suffix(path, BOB_INDEX_SUFFIX BOB_PART_SUFFIX);

	if (index != NULL)
		(void)unlink(index);
	if (part != NULL)
		(void)unlink(part);
	free(index);
	free(part);
}

/* Removes an index whose file somebody has removed. */
static void
drop_orphan(const struct daemon *d, const char *name)
{
	int n = (int)index_stem(name);
	size_t room = strlen(d->dir) + strlen(name) + 2;
	char *path = malloc(room);
	struct stat st;

	if (path == NULL)
		return;
	(void)snprintf(path, room, "%s/%.*s", d->dir, n, name);
	if (lstat(path, &st) < 0 && errno == ENOENT)
		remove_index(path);
	free(path);
}

/* Returns 1 and sets *ret if it is a file of a daemon that is not being
 * written. An index counts with its file. */
static int
take_file(const struct daemon *d, const char *name, struct kept *ret)
{
	size_t room = strlen(d->dir) + strlen(name) + 2;
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	if (strncmp(name, FILES_PREFIX, strlen(FILES_PREFIX)) != 0)
		return 0;
	if (index_stem(name) > 0) {
		drop_orphan(d, name);
		return 0;
	}
	ret->path = malloc(room);
	if (ret->path == NULL)
		return 0;
	(void)snprintf(ret->path, room, "%s/%s", d->dir, name);
	if (lstat(ret->path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    bob_recorder_has(d->recorder, ret->path)) {
		free(ret->path);
		return 0;
	}
	ret->bytes = plain_add((uint64_t)st.st_size, index_bytes(ret->path));
	ret->changed = st.st_mtim;
	return 1;
}

static struct kept *
list_files(const struct daemon *d, size_t *ret_n)
{
	struct kept *v = NULL, *more;
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

/* The newest change that does not lie in the future; NULL: none. */
static const struct timespec *
newest(const struct kept *v, size_t n)
{
	const struct timespec *t = NULL;
	time_t now = time(NULL);
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].changed.tv_sec <= now &&
		    (t == NULL || changed_before(t, &v[i].changed)))
			t = &v[i].changed;
	return t;
}

/* How long before the newest file of an earlier daemon this one was written. */
static uint64_t
age_before(const struct kept *f, const struct timespec *t)
{
	if (t == NULL || f->changed.tv_sec >= t->tv_sec)
		return 0;
	return plain_mul((uint64_t)(t->tv_sec - f->changed.tv_sec), 1000000);
}

/* Sets the ages of files: as known from the last sweep, or estimated. */
static void
set_ages(const struct daemon *d, struct kept *v, size_t n, uint64_t now)
{
	const struct timespec *t = newest(v, n);
	const struct kept *old;
	size_t i;

	for (i = 0; i < n; i++) {
		old = d->keep.n > 0 ? bsearch(&v[i], d->keep.v, d->keep.n,
		    sizeof(*v), by_path) : NULL;
		v[i].t_us = old != NULL ? old->t_us : now;
		v[i].is_told = old != NULL && old->is_told;
		v[i].age_us = old != NULL ? old->age_us
		    : d->keep.has_looked ? 0 : age_before(&v[i], t);
	}
}

/* The index goes last: without it, a file that could not be removed would be
 * indexed again. */
static void
remove_file(struct kept *f)
{
	if (unlink(f->path) == 0) {
		remove_index(f->path);
	} else if (!f->is_told) {
		msg_warn("%s: cannot be removed", f->path);
		f->is_told = 1;
	}
}

/* From the oldest on. */
static void
remove_files(const struct keep *k, struct kept *v, size_t n, uint64_t now)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum = plain_add(sum, v[i].bytes);
	for (i = 0; i < n; i++) {
		uint64_t age = plain_add(now - v[i].t_us, v[i].age_us);

		if ((k->bytes != 0 && sum > k->bytes) ||
		    (k->age_us != 0 && age > k->age_us)) {
			remove_file(&v[i]);
			sum -= v[i].bytes;
		}
	}
}

void
keep_sweep(struct daemon *d)
{
	struct keep *k = &d->keep;
	uint64_t now = clock_us(CLOCK_BOOTTIME);
	struct kept *v;
	size_t n;

	if (k->bytes == 0 && k->age_us == 0)
		return;
	v = list_files(d, &n);
	set_ages(d, v, n, now);
	if (n > 0)
		qsort(v, n, sizeof(*v), oldest_first);
	remove_files(k, v, n, now);
	/* Removed files are forgotten at the next sweep. */
	if (n > 0)
		qsort(v, n, sizeof(*v), by_path);
	keep_done(d);
	k->v = v;
	k->n = n;
	k->has_looked = 1;
}

void
keep_look_at_clock(struct daemon *d)
{
	int64_t ahead = (int64_t)(clock_us(CLOCK_REALTIME) -
	    clock_us(CLOCK_BOOTTIME));
	int64_t jump = ahead - d->clock_ahead_us;
	char time[NUMBER_TEXT];

	if (d->clock_ahead_us != 0 && (jump > JUMP_US || jump < -JUMP_US))
		msg_note("the clock was set %s by %s: files keep their age, "
		    "and names go on behind the last one",
		    jump > 0 ? "forward" : "back",
		    number_time(time, (uint64_t)(jump > 0 ? jump : -jump)));
	d->clock_ahead_us = ahead;
}
