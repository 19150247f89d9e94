/* Directories of source, inside; see bobbin/source.h. */
#ifndef CORE_SOURCES_H
#define CORE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/source.h>

#include "core/who.h"

/* A name that a trace may use for the directory. */
struct source_root {
	char *from;
	size_t n;   /* without slashes at its end */
	char *dir;  /* of a file: its path */
	int fd;     /* of a directory, else -1 */
	int is_theirs; /* a directory of the process, not of ours */
};

/* How a process sees files. */
struct source_view {
	int root;          /* its root directory, O_PATH */
	uint64_t dev, ino; /* of that */
	uint64_t mounts;   /* the number of its mount namespace */
	struct who who;
};

/* Processes of more users and containers than this have hardly one source. */
#define SOURCES_MAX_VIEWS 16

struct bob_sources {
	struct source_root *root; /* the longest first */
	size_t n;
	int is_live;              /* only what all views show */
	struct source_view *view;
	size_t n_view;
	int is_shut;              /* a view is missing: nothing is shown */
};

/* One more view, taken over, unless there is one that is the same. 0, or
 * -errno; then nothing is shown any more. */
int sources_see(struct bob_sources *s, struct source_view *v);
void source_view_done(struct source_view *v);

/* Opens the file at `path` as all views have it; as bob_sources_open. */
int sources_open_live(const struct bob_sources *s, const char *path);

/* What is left of a path below the root, or NULL: it is not below it. /srv
 * fits /srv/a and /srv, not /srvx. */
const char *source_root_rest(const struct source_root *r, const char *path);

#endif
