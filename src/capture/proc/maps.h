/*
 * /proc/PID/maps: what is where in a process.
 *
 * struct maps keeps mappings of files only; maps_each gives all of them. Paths
 * are bytes of the process's own mount namespace, and hostile: they are opened
 * by proc_open_mapped alone.
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
 * another value than BOB_OK, which is returned. FAILED with bob_error.sys when
 * they cannot be read. */
int maps_each(struct bob_ctx *ctx, int pid,
    int (*fn)(void *user, const struct map_line *l), void *user);

/* True, and the length of the path without it, when the kernel says that the
 * file was removed. */
int maps_is_deleted(const char *path, size_t *ret_len);

/* A file as one number, never 0; another file may have the same. */
static inline uint64_t
maps_file_key(uint64_t dev, uint64_t inode, uint64_t start)
{
	uint64_t key = ptrmap_mix(ptrmap_mix(dev, inode), start);

	return key != 0 ? key : 1;
}

/* Memory without a name that processes share: the kernel maps it as a file. */
int maps_is_shared_memory(const struct map_line *l);

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
	struct ptrmap file_of; /* by device and inode */
};

/* Reads the maps of a process. BOB_OK, or FAILED with bob_error.sys set; the
 * maps are empty then. maps_done in either case. */
int maps_read(struct bob_ctx *ctx, struct maps *m, int pid);
void maps_done(struct maps *m);

/* The part of a path behind the last '/'. */
const char *maps_base_name(const char *path);

#endif
