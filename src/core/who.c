/* The rights of another user; see the header. */
#include "core/who.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* Returns the rest of the line that begins with a key; NULL if there is none,
 * or if it is cut. */
static const char *
status_line(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p != NULL && strchr(p + strlen(key), '\n') != NULL
	    ? p + strlen(key) : NULL;
}

/* Reads the next number of a line. Returns 1, sets *ret and moves *p behind it;
 * 0 if there is none. */
static int
next_number(const char **p, uint64_t *ret)
{
	*p += strspn(*p, "\t ");
	if (**p < '0' || **p > '9')
		return 0;
	for (*ret = 0; **p >= '0' && **p <= '9'; (*p)++)
		*ret = *ret * 10 + (uint64_t)(**p - '0');
	return 1;
}

/* Reads the fourth number of a line: real, effective, saved, file system. */
static int
fourth_number(const char *line, uint64_t *ret)
{
	int i, is_there = line != NULL;

	for (i = 0; is_there && i < 4; i++)
		is_there = next_number(&line, ret);
	return is_there;
}

int
who_parse(struct who *w, const char *status)
{
	const char *groups = status_line(status, "\nGroups:"), *p = groups;
	uint64_t id;
	size_t n = 0;

	memset(w, 0, sizeof(*w));
	if (!fourth_number(status_line(status, "\nUid:"), &w->uid) ||
	    !fourth_number(status_line(status, "\nGid:"), &w->gid) ||
	    groups == NULL)
		return -EINVAL;
	while (next_number(&p, &id))
		n++;
	w->group = malloc((n + 1) * sizeof(*w->group));
	if (w->group == NULL)
		return -ENOMEM;
	while (w->n_group < n && next_number(&groups, &id))
		w->group[w->n_group++] = id;
	return 0;
}

void
who_done(struct who *w)
{
	free(w->group);
	memset(w, 0, sizeof(*w));
}

int
who_is_same(const struct who *a, const struct who *b)
{
	return a->uid == b->uid && a->gid == b->gid &&
	    a->reads_all == b->reads_all && a->n_group == b->n_group &&
	    (a->n_group == 0 || memcmp(a->group, b->group,
	        a->n_group * sizeof(*a->group)) == 0);
}

/* True if the file has an access control list, or that is unknown. */
static int
may_have_list(int fd)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) >= 0 ||
	    (errno != ENODATA && errno != EOPNOTSUPP);
}

static int
is_of(const struct who *w, uint64_t gid)
{
	size_t i;

	if (w->gid == gid)
		return 1;
	for (i = 0; i < w->n_group; i++)
		if (w->group[i] == gid)
			return 1;
	return 0;
}

int
who_may(const struct who *w, int fd, unsigned what)
{
	struct stat st;
	unsigned mode;

	if (fstat(fd, &st) < 0)
		return 0;
	if (w->reads_all)
		return 1;
	mode = (unsigned)st.st_mode;
	if (st.st_uid == w->uid)
		return (mode >> 6 & what) == what;
	if (may_have_list(fd))
		return 0;
	if (is_of(w, st.st_gid))
		mode >>= 3;
	return (mode & what) == what;
}
