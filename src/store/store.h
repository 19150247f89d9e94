/*
 * Private parts of a store (bobbin/store.h).
 *
 *     store.c        the directory and its segments
 *     seal.c         sealing one
 *     sealer.c       sealing in a thread
 *     contents.c     what is in a segment
 *     index_*.c      the file that says so
 *     miss.c         which segments a question needs
 *     place.c        names in a folder
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <bobbin/store.h>

#include "store/index.h"

struct segment {
	char *name;         /* below the directory */
	struct index index; /* with an empty head if it is not sealed */
};

struct bob_store {
	struct bob_ctx *ctx;
	char *path;
	int folder; /* held open */
	struct segment *segment; /* by name */
	size_t n, cap_segment;
};

#endif
