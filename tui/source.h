/*
 * A source file with what each of its lines got. Paths in traces are foreign:
 * only regular files are read, below directories that the user named, and no
 * more than SOURCE_MAX bytes of them.
 */
#ifndef TUI_SOURCE_H
#define TUI_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/source.h>

#include "table.h"

#define SOURCE_MAX (8 << 20)
#define SOURCE_MAX_LINES 1000000

struct source_line {
	const char *p;
	size_t n;
	uint64_t self[2], total[2]; /* before, after */
	uint32_t key; /* the heaviest one on this line, or 0 */
};

struct source {
	char *text;
	struct source_line *line; /* from line 1 */
	size_t n;
	struct cursor c;
	char path[4096];
	int is_cut; /* the file is longer than what was read */
};

/* Reads what a trace calls `path`, from the directories that the user named. 0,
 * or -1 with the reason in err (n bytes). */
int source_read(struct source *s, const struct bob_sources *from,
    const char *path, char *err, size_t n);
void source_done(struct source *s);

#endif
