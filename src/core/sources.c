/* Directories of source, and opening files below them; see bobbin/source.h. */
#include "core/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/beneath.h"
#include "core/regular.h"

struct bob_sources *
bob_sources_new(void)
{
	return calloc(1, sizeof(struct bob_sources));
}

struct bob_sources *
bob_sources_new_processes(void)
{
	struct bob_sources *s = bob_sources_new();

	if (s != NULL)
		s->has_views = 1;
	return s;
}

static void
root_done(struct source_root *r)
{
	free(r->from);
	free(r->dir);
	if (r->fd >= 0)
		(void)close(r->fd);
}

void
bob_sources_forget(struct bob_sources *s)
{
	while (s->n > 0)
		root_done(&s->root[--s->n]);
}

void
bob_sources_free(struct bob_sources *s)
{
	size_t i;

	if (s == NULL)
		return;
	bob_sources_forget(s);
	for (i = 0; i < s->n_view; i++)
		source_view_done(&s->view[i]);
	free(s->root);
	free(s->view);
	free(s);
}

size_t
bob_sources_count(const struct bob_sources *s)
{
	return s == NULL ? 0 : s->n;
}

/* Adds a root; owns `from`, on failure too. theirs: it need not be a directory
 * of the caller. Returns 0 or an errno. */
static int
add_root(struct bob_sources *s, char *from, const char *dir, int theirs)
{
	struct source_root r = { .from = from, .fd = -1, .dir = strdup(dir),
		.is_theirs = theirs };
	struct source_root *more = realloc(s->root, (s->n + 1) * sizeof(*more));
	struct stat st;
	int sys = 0;
	size_t i;

	if (more != NULL)
		s->root = more;
	if (from == NULL || r.dir == NULL || more == NULL)
		sys = ENOMEM;
	else if (!theirs && stat(dir, &st) < 0)
		sys = errno;
	else if (!theirs && S_ISDIR(st.st_mode) &&
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
		return add_root(s, strndup(spec, (size_t)(eq - spec)), eq + 1,
		    0);
	real = realpath(spec, NULL);
	if (real == NULL && (!s->has_views || *spec != '/'))
		return errno;
	sys = *spec == '/' && (real == NULL || strcmp(real, spec) != 0)
	    ? add_root(s, strdup(spec), spec, s->has_views) : 0;
	if (sys == 0 && real != NULL)
		return add_root(s, real, s->has_views ? real : spec,
		    s->has_views);
	free(real);
	return sys;
}

int
bob_sources_found(const struct bob_sources *s)
{
	/* Directories of the caller existed when they were added. */
	return !s->has_views || s->n == 0 || s->n_view == 0 ||
	    sources_found_in_views(s);
}

const char *
source_root_rest(const struct source_root *r, const char *path)
{
	if (path[0] != '/' && r->from[0] == '/')
		return path;
	if (strncmp(path, r->from, r->n) != 0 ||
	    (path[r->n] != '/' && path[r->n] != '\0'))
		return NULL;
	return path + r->n + strspn(path + r->n, "/");
}

static int
open_below(const struct source_root *r, const char *rest)
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
	if (s != NULL && s->has_views)
		return sources_open_in_views(s, name);
	for (i = 0; s != NULL && i < s->n; i++) {
		const char *rest = source_root_rest(&s->root[i], name);

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
