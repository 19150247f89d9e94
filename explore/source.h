/*
 * A source file with the weights of its lines. Paths in traces are foreign:
 * only regular files below directories that the user named are read, and at
 * most SOURCE_MAX bytes.
 */
#ifndef EXPLORE_SOURCE_H
#define EXPLORE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/source.h>

#include "tui/cursor.h"

#define SOURCE_MAX (8 << 20)
#define SOURCE_MAX_LINES 1000000

struct source_line {
	const char *p;
	size_t n;
	uint64_t self[2], total[2]; /* before, after */
	uint32_t key; /* the heaviest one on this line, or 0 */
};

struct source_file {
	char *text;
	struct source_line *line; /* from line 1 */
	size_t n;
	struct cursor c;
	char path[4096];
	int is_cut; /* the file is longer; only its beginning was read */
};

/* Reads the file that a trace calls `path`, from the directories that the user
 * named. Returns 0; -1 with the reason in err (n bytes). */
int source_read(struct source_file *s, const struct bob_sources *from,
    const char *path, char *err, size_t n);
void source_done(struct source_file *s);

#endif
