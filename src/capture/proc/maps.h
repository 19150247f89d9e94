/*
 * The mappings of a process, from /proc/PID/maps.
 *
 * struct maps keeps mapped files only; maps_each() gives all mappings. Paths
 * are those of the process's own mount namespace, and hostile: only
 * proc_open_mapped() may open them.
 */
#ifndef CAPTURE_PROC_MAPS_H
#define CAPTURE_PROC_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/ptrmap.h"
#include "core/mem.h"

/* One mapping, as the kernel lists it. */
struct map_line {
	uint64_t start, end;
	uint64_t offset;  /* in the file */
	uint64_t dev, inode; /* 0: no file */
	const char *path; /* "[stack]" and the like; "" for none */
	int is_exec;
};

/* Calls fn for each mapping, in the order of addresses, until it returns
 * another value than BOB_OK, which is returned. FAILED with bob_error.sys if
 * they cannot be read. */
int maps_each(struct bob_ctx *ctx, int pid,
    int (*fn)(void *user, const struct map_line *l), void *user);

/* Returns 1 and sets *ret_len to the length without " (deleted)" if the file
 * was removed; else 0. */
int maps_is_deleted(const char *path, size_t *ret_len);

/* Returns a key for a file, never 0. Two files may have the same. */
static inline uint64_t
maps_file_key(uint64_t dev, uint64_t inode, uint64_t start)
{
	uint64_t key = ptrmap_mix(ptrmap_mix(dev, inode), start);

	return key != 0 ? key : 1;
}

/* True for anonymous shared memory, which the kernel lists as a file. */
int maps_is_shared_memory(const struct map_line *l);

/* Limit of files of one process; usual ones have some hundred. */
#define MAPS_MAX_FILES 4096u

/* A mapped file, with all its mappings. */
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
	struct ptrmap file_of; /* by device and inode */
};

/* Reads the files of a process. Returns BOB_OK, or FAILED with bob_error.sys
 * set; then the maps are empty. Call maps_done() in either case. */
int maps_read(struct bob_ctx *ctx, struct maps *m, int pid);
void maps_done(struct maps *m);

/* Returns the part of a path behind the last '/'. */
const char *maps_base_name(const char *path);

#endif
