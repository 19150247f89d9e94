/*
 * Where each thread of a ZTS build has its state.
 *
 * PHP gives each of its threads an entry: a list of resources (the executor's
 * globals, those of the server, the heap and so on) by number, and the number
 * of the thread that it belongs to. The thread finds it in a variable of its
 * own, whose place is fixed in programs, and not in libraries that are loaded
 * later (FrankenPHP, modules of web servers); and in all of them under a key
 * of pthread_getspecific. What it has under its keys lies in its descriptor,
 * to which its thread pointer leads (glibc), or where that points to (musl).
 * An entry is known by the thread's own number in it, so it is looked for
 * there; once one is found, those of other threads are at the same place.
 */
#ifndef CAPTURE_PHP_ZTS_H
#define CAPTURE_PHP_ZTS_H

#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/proc/mem.h"

/* What is looked through: glibc's descriptor has 2304 bytes, with 32 keys in
 * it; musl's points to a list of 128. */
#define ZTS_AREA 2304
#define ZTS_LIST 1024

/* Resources of a thread; extensions have some, too. */
#define ZTS_MAX_RESOURCES 1024

struct zts {
	/* Addresses of the numbers of resources; 0: not exported. */
	uint64_t eg_id, sg_id, cg_id;
	int64_t cache_offset; /* of the variable, from the thread pointer; 0:
	                       * not known */
	/* What was learned: which of the ways leads to entries. */
	enum { ZTS_NONE, ZTS_CACHE, ZTS_KEY, ZTS_LISTED_KEY } way;
	uint32_t first, second; /* offsets into the area and the list */
};

/* The state of a thread, whose thread pointer is `tp`: 0, or -errno; -ENOENT
 * when it runs no PHP. */
int zts_find(struct mem *m, struct zts *z, uint64_t tp,
    struct php_globals *ret);

#endif
