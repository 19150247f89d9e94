/*
 * /proc/PID/maps: which files are where in a process.
 *
 * Only mappings of files are kept; paths are bytes of the process's own mount
 * namespace, and hostile: they are opened by proc_open_mapped alone.
 */
#ifndef CAPTURE_PROC_MAPS_H
#define CAPTURE_PROC_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "core/mem.h"

/* Files of one process that are looked at. Ordinary ones have some hundred. */
#define MAPS_MAX_FILES 4096u

/* One file; its mappings are taken together. */
struct map_file {
	uint64_t start, end; /* from the first mapping to the last */
	uint64_t first_end;  /* of the first mapping alone */
	uint64_t first_offset; /* in the file, of the first mapping */
	uint64_t dev, inode;
	const char *path;
	int is_deleted; /* replaced or removed since it was mapped */
	int is_exec;    /* some mapping is executable */
};

struct maps {
	struct map_file *file;
	size_t n_file, cap_file;
	struct arena text;
};

/* Reads the maps of a process. BOB_OK, or FAILED with bob_error.sys set; the
 * maps are empty then. maps_done in either case. */
int maps_read(struct bob_ctx *ctx, struct maps *m, int pid);
void maps_done(struct maps *m);

/* The part of a path behind the last '/'. */
const char *maps_base_name(const char *path);

#endif
