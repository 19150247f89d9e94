/*
 * Modules and maps of code that are read in a thread of their own (load.h), and
 * handed over when they are ready.
 *
 * One piece of work at a time for each process. It has a copy of what is left
 * of the process's quota, and tells what it has spent: of a file that was given
 * up, all that a file may.
 */
#ifndef CAPTURE_NATIVE_LOADING_H
#define CAPTURE_NATIVE_LOADING_H

#include <stddef.h>
#include <stdint.h>

#include "capture/load.h"
#include "capture/native/elfutils.h"
#include "capture/native/module.h"
#include "capture/native/perfmap.h"
#include "capture/quota.h"
#include "core/error.h"

/* Modules of one piece of work; the others are next. */
#define LOADING_AT_ONCE 64

struct loading_item {
	struct module m; /* its names and its place; the thread reads it */
	struct quota spent;
};

/* Modules that are read, in turn: a step for each. */
struct loading {
	struct load load;
	struct bob_ctx *ctx;
	struct elfutils eu;
	int pid;
	const char *lender; /* that is looked for, or NULL */
	struct quota quota; /* that is left */
	size_t n, n_taken;
	struct loading_item item[LOADING_AT_ONCE];
};

/* For one process, with what is left of its quota. NULL without memory, or
 * without elfutils. */
struct loading *loading_new(int pid, const struct quota *left);

/* The next module to read, by where it is mapped. 1, or 0 when there is no room
 * for it. */
int loading_add(struct loading *l, const struct module *m);

/* Never begun, or done. */
void loading_free(struct loading *l);

/* The next item that is ready, or NULL. Who takes the module out of it clears
 * it. */
struct loading_item *loading_take(struct loading *l);

/* The item that is being read. */
struct loading_item *loading_at(struct loading *l);

/* A look at the map of a process for what it has more than before. */
struct loading_map {
	struct load load;
	struct bob_ctx *ctx;
	int pid;
	struct quota quota, spent;
	struct perfmap more;
};

/* NULL without memory. */
struct loading_map *loading_map_new(int pid, const struct perfmap *m,
    const struct quota *left);

#endif
