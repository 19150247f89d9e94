/* Prefixes of paths. */
#include "pathmap.h"

#include <stdio.h>
#include <string.h>

/* /srv fits /srv/a and /srv, not /srvx; /srv/ fits /srv/a. */
static int
fits(const struct pathmap_rule *r, const char *path, size_t len)
{
	size_t n = r->from_len;

	return n <= len && memcmp(path, r->from, n) == 0 &&
	    (n == 0 || n == len || r->from[n - 1] == '/' || path[n] == '/');
}

int
pathmap_apply(const struct pathmap *m, const char *path, size_t len,
    char *buf, size_t n)
{
	const struct pathmap_rule *best = NULL;
	const char *to = "";
	size_t i, skip = 0;
	int w;

	for (i = 0; m != NULL && i < m->n; i++)
		if (fits(&m->rule[i], path, len) &&
		    (best == NULL || m->rule[i].from_len > best->from_len))
			best = &m->rule[i];
	if (best != NULL) {
		to = best->to;
		skip = best->from_len;
	}
	if (len >= n || memchr(path, '\0', len) != NULL)
		return -1;
	w = snprintf(buf, n, "%s%.*s", to, (int)(len - skip), path + skip);
	return w >= 0 && (size_t)w < n ? 0 : -1;
}
