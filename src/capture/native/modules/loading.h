/*
 * Reads modules and perf maps in threads of their own (capture/load.h), which
 * hand them over when they are ready.
 *
 * A process has one such thread at a time for each. The thread has a copy of
 * what is left of the process's quota, and reports what it has spent. A file
 * that was given up is charged as the most that a file may cost.
 */
#ifndef CAPTURE_NATIVE_MODULES_LOADING_H
#define CAPTURE_NATIVE_MODULES_LOADING_H

#include <stddef.h>
#include <stdint.h>

#include "capture/load.h"
#include "capture/native/modules/elfutils.h"
#include "capture/native/modules/module.h"
#include "capture/native/modules/perfmap.h"
#include "capture/quota.h"
#include "core/error.h"

/* Limit of modules that one thread reads; the next thread reads the others. */
#define LOADING_AT_ONCE 64

struct loading_item {
	struct module m; /* path and mapping are set; the thread reads it */
	struct quota spent;
};

/* Modules that a thread reads one after the other; each is a step of `load`. */
struct loading {
	struct load load;
	struct bob_ctx *ctx;
	struct elfutils eu;
	int pid;
	const char *lender; /* symbol that is looked up, or NULL */
	struct quota quota; /* what is left */
	size_t n, n_taken;
	struct loading_item item[LOADING_AT_ONCE];
};

/* Returns NULL if memory is out or elfutils is missing. */
struct loading *loading_new(int pid, const struct quota *left);

/* Adds a module to read. Returns 1; 0 if there is no room for it. */
int loading_add(struct loading *l, const struct module *m);

/* Only for one whose thread was never started, or is done. */
void loading_free(struct loading *l);

/* Returns the next item that is ready, or NULL. A caller that takes the module
 * clears it. */
struct loading_item *loading_take(struct loading *l);

/* Returns the item that is being read, or NULL. */
struct loading_item *loading_at(struct loading *l);

/* Reads what the perf map of a process has more than before. */
struct loading_map {
	struct load load;
	struct bob_ctx *ctx;
	int pid;
	struct quota quota, spent;
	struct perfmap more;
};

/* Returns NULL if memory is out. */
struct loading_map *loading_map_new(int pid, const struct perfmap *m,
    const struct quota *left);

#endif
