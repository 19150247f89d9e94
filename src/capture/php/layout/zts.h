/*
 * Finds the globals of each thread of a ZTS build.
 *
 * PHP has an entry for each thread (struct _tsrm_tls_entry): an array of
 * resources (executor_globals, sapi_globals, the heap and others), and the
 * pthread_t of the thread. The thread finds its entry in two ways:
 *
 *  - in a thread-local variable. Its offset from the thread pointer is fixed if
 *    PHP is the program, but not if PHP is in a library (FrankenPHP, modules of
 *    web servers);
 *  - as a value of pthread_getspecific. These values are in the thread's
 *    descriptor (glibc), or in an array that the descriptor points to (musl).
 *
 * The first time, the descriptor is searched for a pointer to an entry, which
 * is recognised by the thread's own pthread_t. Other threads have theirs at the
 * same offset.
 */
#ifndef CAPTURE_PHP_LAYOUT_ZTS_H
#define CAPTURE_PHP_LAYOUT_ZTS_H

#include <stdint.h>

#include "capture/php/layout/offsets.h"
#include "capture/proc/mem.h"

/* Bytes that are searched: glibc's descriptor has 2304, with 32 keys in it;
 * musl's points to an array of 128 keys. */
#define ZTS_AREA 2304
#define ZTS_LIST 1024

/* Limit of resources of a thread; extensions have some, too. */
#define ZTS_MAX_RESOURCES 1024

struct zts {
	/* Addresses of executor_globals_id and so on; 0: not exported. */
	uint64_t eg_id, sg_id, cg_id;
	int64_t cache_offset; /* of the thread-local variable, from the thread
	                       * pointer; 0: not known */
	/* What was learned: which way leads to entries. */
	enum { ZTS_NONE, ZTS_CACHE, ZTS_KEY, ZTS_LISTED_KEY } way;
	uint32_t first, second; /* offsets into the area and the list */
};

/* Sets *ret to the globals of the thread with this thread pointer. Returns 0;
 * -ENOENT if it runs no PHP; another -errno. */
int zts_find(struct mem *m, struct zts *z, uint64_t tp,
    struct php_globals *ret);

#endif
