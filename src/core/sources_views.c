/*
 * Source files of running processes; see bobbin/source.h.
 *
 * The process chooses the names of its files. So they are looked up as the
 * process sees them: below its root directory, and with the rights of its user.
 * A process could still name a file of another recorded process. So a file is
 * opened only if it is the same file for all processes.
 */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/beneath.h"
#include "core/regular.h"
#include "core/sources.h"

void
source_view_done(struct source_view *v)
{
	if (v->root >= 0)
		(void)close(v->root);
	v->root = -1;
	who_done(&v->who);
}

static int
view_is_known(const struct bob_sources *s, const struct source_view *v)
{
	size_t i;

	for (i = 0; i < s->n_view; i++) {
		const struct source_view *o = &s->view[i];

		if (o->dev == v->dev && o->ino == v->ino &&
		    o->mounts == v->mounts && who_is_same(&o->who, &v->who))
			return 1;
	}
	return 0;
}

int
sources_see(struct bob_sources *s, struct source_view *v)
{
	struct source_view *more;

	if (view_is_known(s, v)) {
		source_view_done(v);
		return 0;
	}
	more = s->n_view < SOURCES_MAX_VIEWS
	    ? realloc(s->view, (s->n_view + 1) * sizeof(*more)) : NULL;
	if (more == NULL) {
		s->is_shut = 1;
		source_view_done(v);
		return s->n_view < SOURCES_MAX_VIEWS ? -ENOMEM : -E2BIG;
	}
	s->view = more;
	s->view[s->n_view++] = *v;
	return 0;
}

/* Finds a file below a directory of the process, or below one of the caller
 * (FROM=DIR). Returns a descriptor (O_PATH) or -errno. */
static int
find_in(const struct source_view *v, const struct source_root *r,
    const char *rest)
{
	int dir, place;

	if (!r->is_theirs)
		return r->fd >= 0 ? beneath_walk_as(r->fd, rest, &v->who) :
		    *rest != '\0' ? -ENOTDIR : open(r->dir, O_PATH | O_CLOEXEC);
	dir = beneath_walk_as(v->root, r->dir, &v->who);
	if (dir < 0)
		return dir;
	place = beneath_walk_as(dir, rest, &v->who);
	(void)close(dir);
	return place;
}

static int
open_in(const struct source_view *v, const struct source_root *r,
    const char *rest)
{
	int place = find_in(v, r, rest);

	if (place >= 0 && !who_may(&v->who, place, WHO_READ)) {
		(void)close(place);
		return -EACCES;
	}
	return regular_open_place(place);
}

static int
is_same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 &&
	    x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Opens the file if it is the same one in all views. */
static int
open_for_all(const struct bob_sources *s, const struct source_root *r,
    const char *rest)
{
	int fd = open_in(&s->view[0], r, rest), other, is_same;
	size_t i;

	for (i = 1; fd >= 0 && i < s->n_view; i++) {
		other = open_in(&s->view[i], r, rest);
		is_same = other >= 0 && is_same_file(fd, other);
		if (other >= 0)
			(void)close(other);
		if (!is_same) {
			(void)close(fd);
			fd = other < 0 ? other : -EACCES;
		}
	}
	return fd;
}

int
sources_open_in_views(const struct bob_sources *s, const char *path)
{
	int r = -ENOENT, now;
	size_t i;

	if (s->is_shut || s->n_view == 0)
		return -EACCES;
	for (i = 0; i < s->n; i++) {
		const char *rest = source_root_rest(&s->root[i], path);

		if (rest == NULL)
			continue;
		now = open_for_all(s, &s->root[i], rest);
		if (now >= 0)
			return now;
		if (r == -ENOENT)
			r = now;
	}
	return r;
}

static int
has_directory(const struct source_view *v, const struct source_root *r)
{
	int dir = r->is_theirs ? beneath_walk_as(v->root, r->dir, &v->who) : -1;

	if (dir >= 0)
		(void)close(dir);
	return !r->is_theirs || (dir != -ENOENT && dir != -ENOTDIR);
}

int
sources_found_in_views(const struct bob_sources *s)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->n_view; k++)
			if (has_directory(&s->view[k], &s->root[i]))
				return 1;
	return 0;
}
