/*
 * Lookup by openat2(2), and the same part by part; see the header.
 *
 * The walk keeps `done`, the path so far, which has no link and no ".." in it.
 * For ".." and for an absolute link it starts again from the root, so that a
 * folder that is moved meanwhile cannot lead out. _GNU_SOURCE is for O_PATH.
 */
#define _GNU_SOURCE
#include "core/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/who.h"

#define PLACE (O_PATH | O_CLOEXEC)

/* Links of one path. The kernel allows as many. */
#define MAX_LINKS 40

struct walk {
	int root, at; /* descriptors: the root, and the place reached */
	char done[BENEATH_MAX_PATH]; /* from the root to `at` */
	size_t n_done;
	char rest[BENEATH_MAX_PATH]; /* still to be followed */
	int n_links;
	int flags;
	const struct who *who; /* NULL: the caller's own rights */
};

/* False if `at` is a directory that the user may not search. */
static int
may_pass(const struct walk *w)
{
	struct stat st;

	return w->who == NULL || (fstat(w->at, &st) == 0 &&
	    (!S_ISDIR(st.st_mode) || who_may(w->who, w->at, WHO_SEARCH)));
}

static int
step_to(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	(void)close(w->at);
	w->at = fd;
	return may_pass(w) ? 0 : -EACCES;
}

/* Goes from the root to `done` again. Links that appeared there meanwhile are
 * not followed. */
static int
go_again(struct walk *w)
{
	char path[BENEATH_MAX_PATH], *part = path, *slash;
	int r = step_to(w, openat(w->root, ".", PLACE | O_DIRECTORY));

	memcpy(path, w->done, w->n_done);
	path[w->n_done] = '\0';
	while (r == 0 && *part != '\0') {
		slash = strchr(part, '/');
		/* NOLINT(-Wanalyzer-null-dereference): each part has one. */
		*slash = '\0';
		r = step_to(w, openat(w->at, part, PLACE | O_DIRECTORY |
		    O_NOFOLLOW));
		part = slash + 1;
	}
	return r;
}

static int
go_up(struct walk *w)
{
	if (w->n_done == 0)
		return 0;
	w->n_done--;
	while (w->n_done > 0 && w->done[w->n_done - 1] != '/')
		w->n_done--;
	return go_again(w);
}

/* Puts the target of a link in front of the rest of the path. */
static int
take_link(struct walk *w, int fd)
{
	char to[BENEATH_MAX_PATH], rest[BENEATH_MAX_PATH];
	ssize_t n = readlinkat(fd, "", to, sizeof(to) - 1);
	int k;

	if (n <= 0)
		return n < 0 ? -errno : -ENOENT;
	if (++w->n_links > MAX_LINKS)
		return -ELOOP;
	to[n] = '\0';
	memcpy(rest, w->rest, sizeof(rest));
	k = snprintf(w->rest, sizeof(w->rest), "%s/%s", to, rest);
	if (k < 0 || (size_t)k >= sizeof(w->rest))
		return -ENAMETOOLONG;
	if (to[0] != '/')
		return 0;
	w->n_done = 0;
	return go_again(w);
}

static int
go_down(struct walk *w, const char *part, size_t n)
{
	char name[BENEATH_MAX_PATH];
	struct stat st;
	int fd, r;

	if (w->n_done + n + 1 >= sizeof(w->done))
		return -ENAMETOOLONG;
	memcpy(name, part, n);
	name[n] = '\0';
	memmove(w->rest, part + n, strlen(part + n) + 1);
	fd = openat(w->at, name, PLACE | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	r = fstat(fd, &st) < 0 ? -errno : S_ISLNK(st.st_mode);
	if (r != 0 && (r < 0 || (w->flags & O_NOFOLLOW) == 0 ||
	        w->rest[strspn(w->rest, "/")] != '\0')) {
		r = r < 0 ? r : take_link(w, fd);
		(void)close(fd);
		return r;
	}
	memcpy(w->done + w->n_done, name, n);
	w->n_done += n;
	w->done[w->n_done++] = '/';
	return step_to(w, fd);
}

/* Follows the next part of the path. Returns 1; 0 at its end; -errno. */
static int
walk_step(struct walk *w)
{
	const char *part = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(part, "/");
	int r = 0;

	if (n == 0)
		return 0;
	if (n > 2 || strncmp(part, "..", n) != 0) {
		r = go_down(w, part, n);
	} else {
		memmove(w->rest, part + n, strlen(part + n) + 1);
		if (n == 2)
			r = go_up(w);
	}
	return r < 0 ? r : 1;
}

static int
walk_path(int root, const char *path, int flags, const struct who *who)
{
	struct walk w = { .root = root, .flags = flags, .who = who };
	int r;

	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	(void)snprintf(w.rest, sizeof(w.rest), "%s", path);
	w.at = openat(root, ".", PLACE | O_DIRECTORY);
	if (w.at < 0)
		return -errno;
	r = may_pass(&w) ? 1 : -EACCES;
	while (r > 0)
		r = walk_step(&w);
	if (r == 0)
		return w.at;
	(void)close(w.at);
	return r;
}

int
beneath_walk(int root, const char *path, int flags)
{
	return walk_path(root, path, flags, NULL);
}

int
beneath_walk_as(int root, const char *path, const struct who *who)
{
	return walk_path(root, path, 0, who);
}

int
beneath_find(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)(PLACE | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd >= 0)
		return (int)fd;
	/* Filters of old containers answer EPERM to calls that they do not
	 * know. */
	return errno == ENOSYS || errno == EPERM
	    ? beneath_walk(root, path, flags) : -errno;
}
