/* Directories of source, and which of them a path is below; see source.h. */
#include <bobbin/source.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/beneath.h"
#include "core/regular.h"

/* A name that a trace may use for the directory. */
struct root {
	char *from;
	size_t n;   /* without slashes at its end */
	char *dir;  /* of a file: its path */
	int fd;     /* of a directory, else -1 */
};

struct bob_sources {
	struct root *root; /* the longest first */
	size_t n;
};

struct bob_sources *
bob_sources_new(void)
{
	return calloc(1, sizeof(struct bob_sources));
}

static void
root_done(struct root *r)
{
	free(r->from);
	free(r->dir);
	if (r->fd >= 0)
		(void)close(r->fd);
}

void
bob_sources_free(struct bob_sources *s)
{
	size_t i;

	for (i = 0; s != NULL && i < s->n; i++)
		root_done(&s->root[i]);
	if (s != NULL)
		free(s->root);
	free(s);
}

size_t
bob_sources_count(const struct bob_sources *s)
{
	return s == NULL ? 0 : s->n;
}

/* Takes over `from`. 0, or an errno. */
static int
add_root(struct bob_sources *s, char *from, const char *dir)
{
	struct root r = { .from = from, .fd = -1, .dir = strdup(dir) };
	struct root *more = realloc(s->root, (s->n + 1) * sizeof(*more));
	struct stat st;
	int sys = 0;
	size_t i;

	if (more != NULL)
		s->root = more;
	if (from == NULL || r.dir == NULL || more == NULL)
		sys = ENOMEM;
	else if (stat(dir, &st) < 0)
		sys = errno;
	else if (S_ISDIR(st.st_mode) &&
	    (r.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		sys = errno;
	if (sys != 0) {
		root_done(&r);
		return sys;
	}
	for (r.n = strlen(from); r.n > 0 && from[r.n - 1] == '/';)
		r.n--;
	for (i = s->n++; i > 0 && s->root[i - 1].n < r.n; i--)
		s->root[i] = s->root[i - 1];
	s->root[i] = r;
	return 0;
}

int
bob_sources_add(struct bob_sources *s, const char *spec)
{
	const char *eq = strchr(spec, '=');
	char *real;
	int sys;

	if (eq != NULL)
		return add_root(s, strndup(spec, (size_t)(eq - spec)), eq + 1);
	real = realpath(spec, NULL);
	if (real == NULL)
		return errno;
	sys = strcmp(real, spec) != 0 && *spec == '/'
	    ? add_root(s, strdup(spec), spec) : 0;
	if (sys == 0)
		return add_root(s, real, spec);
	free(real);
	return sys;
}

/* What is left of a path below the root, or NULL: it is not below it. /srv
 * fits /srv/a and /srv, not /srvx. */
static const char *
rest_of(const struct root *r, const char *path)
{
	if (path[0] != '/' && r->from[0] == '/')
		return path;
	if (strncmp(path, r->from, r->n) != 0 ||
	    (path[r->n] != '/' && path[r->n] != '\0'))
		return NULL;
	return path + r->n + strspn(path + r->n, "/");
}

static int
open_below(const struct root *r, const char *rest)
{
	if (r->fd >= 0 && *rest == '\0')
		return -EINVAL;
	if (r->fd >= 0)
		return regular_open_place(beneath_find(r->fd, rest, 0));
	return *rest != '\0' ? -ENOTDIR : regular_open_named(r->dir);
}

int
bob_sources_open(const struct bob_sources *s, const char *path, size_t n)
{
	char name[PATH_MAX];
	int r = -ENOENT, now;
	size_t i;

	if (n == 0 || n >= sizeof(name) || memchr(path, '\0', n) != NULL)
		return -EINVAL;
	memcpy(name, path, n);
	name[n] = '\0';
	for (i = 0; s != NULL && i < s->n; i++) {
		const char *rest = rest_of(&s->root[i], name);

		if (rest == NULL)
			continue;
		now = open_below(&s->root[i], rest);
		if (now >= 0)
			return now;
		if (r == -ENOENT)
			r = now;
	}
	return r;
}
