/*
 * How much memory there is. A cgroup limits it by memory.max (version 2) or
 * memory.limit_in_bytes (version 1), in the folder of the group that
 * /proc/self/cgroup names below /sys/fs/cgroup, or in one above that. In a
 * container the folders above are not there, and the limit is at the top.
 */
#include "memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "print/plain.h"

#define TOP "/sys/fs/cgroup"

/* Returns the number in a small file; UINT64_MAX if there is none ("max"). */
static uint64_t
number_in(const char *path)
{
	uint64_t v = UINT64_MAX;
	char text[32];
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return v;
	if (fgets(text, sizeof(text), f) != NULL) {
		/* NOLINT(clang-analyzer-security.ArrayBound): its own
		 * length at most. */
		text[strcspn(text, "\n")] = '\0';
		if (!plain_get_u64(text, &v))
			v = UINT64_MAX;
	}
	(void)fclose(f);
	return v;
}

/* Returns the smallest limit from a group up to the root. */
static uint64_t
limit_of(const char *top, const char *group, const char *file)
{
	char at[PATH_MAX], path[PATH_MAX + 64], *slash;
	uint64_t least = UINT64_MAX, v;

	(void)snprintf(at, sizeof(at), "%s", group);
	for (;;) {
		(void)snprintf(path, sizeof(path), "%s%s/%s", top, at, file);
		v = number_in(path);
		if (v < least)
			least = v;
		slash = strrchr(at, '/');
		if (slash == NULL)
			return least;
		*slash = '\0';
	}
}

/* Returns the limit by a line of /proc/self/cgroup: "0::/a/b" of version 2, or
 * "4:memory:/a/b" of version 1. */
static uint64_t
limit_by(char *line)
{
	char *kind = strchr(line, ':');
	char *group = kind != NULL ? strchr(kind + 1, ':') : NULL;

	if (group == NULL)
		return UINT64_MAX;
	*group++ = '\0';
	/* NOLINT(clang-analyzer-security.ArrayBound): its own
	 * length at most. */
	group[strcspn(group, "\n")] = '\0';
	if (kind[1] == '\0')
		return limit_of(TOP, group, "memory.max");
	return strstr(kind + 1, "memory") == NULL ? UINT64_MAX :
	    limit_of(TOP "/memory", group, "memory.limit_in_bytes");
}

uint64_t
memory_available(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t least = UINT64_MAX, v;
	char line[PATH_MAX];
	FILE *f = fopen("/proc/self/cgroup", "re");

	if (pages > 0 && size > 0)
		least = (uint64_t)pages * (uint64_t)size;
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		v = limit_by(line);
		if (v < least)
			least = v;
	}
	if (f != NULL)
		(void)fclose(f);
	return least == UINT64_MAX ? 0 : least;
}
