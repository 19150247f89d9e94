/* The folder that most paths are in; see the header. */
#include "folder.h"

#include <string.h>

/* Folders of each path that are looked at. */
#define MAX_LEVELS 16

/* Shorter folders are not worth a line. */
#define MIN_FOLDER 6

size_t
folder_add(struct bob_bytes *v, size_t n, struct bob_bytes path)
{
	if (n < FOLDER_PATHS && path.n > 1 && path.p[0] == '/')
		v[n++] = path;
	return n;
}

size_t
folder_skip(struct bob_bytes folder, struct bob_bytes path)
{
	return folder.n > 0 && path.n > folder.n &&
	    memcmp(path.p, folder.p, folder.n) == 0 ? folder.n : 0;
}

static size_t
paths_below(const struct bob_bytes *v, size_t n, struct bob_bytes folder)
{
	size_t found = 0, i;

	for (i = 0; i < n; i++)
		found += folder_skip(folder, v[i]) > 0;
	return found;
}

/* The folder of a path or of a folder; n is 0 if there is none. */
static struct bob_bytes
parent(struct bob_bytes path)
{
	if (path.n > 0)
		path.n--;
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	return path;
}

struct bob_bytes
folder_find(const struct bob_bytes *v, size_t n)
{
	struct bob_bytes best = { 0 }, at;
	size_t most = 0, i, level, found;

	for (i = 0; i < n; i++) {
		at = parent(v[i]);
		for (level = 0; level < MAX_LEVELS && at.n >= MIN_FOLDER;
		     level++, at = parent(at)) {
			found = paths_below(v, n, at);
			if (found < 2 || found * at.n <= most)
				continue;
			most = found * at.n;
			best = at;
		}
	}
	return best;
}
