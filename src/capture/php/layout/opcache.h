/*
 * The shared memory of opcache: functions that it keeps for all requests, and
 * machine code of its JIT.
 *
 * PHP maps it before it runs a script, but a process that we have just started
 * may not have done so yet. And while the JIT writes, its code is not
 * executable and looks like the rest. So as long as no executable part is
 * found, the mappings are read again, at growing intervals.
 */
#ifndef CAPTURE_PHP_LAYOUT_OPCACHE_H
#define CAPTURE_PHP_LAYOUT_OPCACHE_H

#include <stdint.h>

#include "core/error.h"

struct opcache {
	uint64_t start, end; /* equal: not found */
	int has_jit;
	uint64_t t_look, wait_us;
};

/* Reads the mappings, if it is time to. The first two calls always do. */
void opcache_look(struct opcache *o, struct bob_ctx *ctx, int pid,
    uint64_t now_us);

#endif
