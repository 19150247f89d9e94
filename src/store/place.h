/*
 * A name in a folder that is held open. Files of a store are opened by their
 * name in that folder alone: no link is followed.
 */
#ifndef STORE_PLACE_H
#define STORE_PLACE_H

#include <stdint.h>

struct place {
	int folder; /* a descriptor of it */
	const char *name;
};

/* Opens a regular file for reading. Returns a descriptor, or -1 and errno:
 * ENOENT also if it is no regular file. */
int place_open_file(const struct place *at, uint64_t *ret_size);

/* Opens a folder below another: "" or "web1/". Returns a descriptor, or -1 and
 * errno. */
int place_open_folder(int root, const char *path);

/* Returns the name with a suffix, or NULL without memory. The caller frees
 * it. */
char *place_name_with(const char *name, const char *suffix);

#endif
