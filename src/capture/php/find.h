/*
 * Where PHP keeps its state in a process: which file holds it, which version
 * it is, and the addresses of its globals. Works on stripped builds: what is
 * needed is exported for extensions.
 */
#ifndef CAPTURE_PHP_FIND_H
#define CAPTURE_PHP_FIND_H

#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/runtime.h"

struct php_site {
	const struct php_offsets *o;
	int is_zts;
	/* Without threads: the addresses; with threads: where they are behind
	 * a thread's cache. */
	struct php_globals globals;
	/* With threads: where the cache is, counted from the thread
	 * pointer. */
	int64_t cache_offset;
};

/* True when a file may hold PHP by its name. */
int php_is_module(const struct map_file *f);

/* BOB_OK; BOB_EOF: there is no PHP in the process; FAILED. Sets version,
 * flavour and module of the process. */
int php_find(struct process *p, struct php_site *ret);

/* The state of a thread, whose thread pointer is `tp`: 0, or -errno; -ENOENT
 * when it runs no PHP. */
int php_find_thread(struct process *p, const struct php_site *s, uint64_t tp,
    struct php_globals *ret);

#endif
