/* The inside of struct bob_sources; see bobbin/source.h. */
#ifndef CORE_SOURCES_H
#define CORE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/source.h>

#include "core/who.h"

/* One "DIR" or "FROM=DIR". */
struct source_root {
	char *from; /* how the trace calls it */
	size_t n;   /* length of from, without slashes at its end */
	char *dir;  /* its path here */
	int fd;     /* of a directory; -1: a file, or is_theirs */
	int is_theirs; /* looked up below the root of each process */
};

/* How a process sees files. */
struct source_view {
	int root;          /* its root directory, O_PATH */
	uint64_t dev, ino; /* of that */
	uint64_t mounts;   /* the number of its mount namespace */
	struct who who;    /* its user */
};

/* Processes of more users and containers hardly share their source. */
#define SOURCES_MAX_VIEWS 16

struct bob_sources {
	struct source_root *root; /* the longest `from` first */
	size_t n;
	int has_views;              /* made by bob_sources_new_processes */
	struct source_view *view;
	size_t n_view;
	int is_shut;              /* a view could not be added: open nothing */
};

/* Adds a view unless an equal one is there. Owns *v, on failure too. Returns 0
 * or -errno; after that no file is opened any more. */
int sources_see(struct bob_sources *s, struct source_view *v);
void source_view_done(struct source_view *v);

/* Opens the file at `path` if all views have the same one. Returns as
 * bob_sources_open. */
int sources_open_in_views(const struct bob_sources *s, const char *path);

/* True if a view has one of the directories, or may have it. */
int sources_found_in_views(const struct bob_sources *s);

/* Returns the rest of a path below r->from; NULL if it is not below it. The
 * root /srv has /srv/a and /srv, not /srvx. Relative paths are below each
 * absolute root. */
const char *source_root_rest(const struct source_root *r, const char *path);

#endif
