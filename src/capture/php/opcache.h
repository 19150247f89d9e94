/*
 * opcache's memory: the functions that it keeps for all requests, and what its
 * compiler makes of them for the processor.
 *
 * PHP has it before it runs a script, but not yet when we attach to one that
 * we have started ourselves. And while the compiler writes, its code cannot be
 * run and looks like the rest. So who finds no code looks again, less and less
 * often.
 */
#ifndef CAPTURE_PHP_OPCACHE_H
#define CAPTURE_PHP_OPCACHE_H

#include <stdint.h>

#include "core/error.h"

struct opcache {
	uint64_t start, end; /* equal: there is none */
	int has_jit;
	uint64_t t_look, wait_us;
};

/* Looks if it is time to; the first two times it is. */
void opcache_look(struct opcache *o, struct bob_ctx *ctx, int pid,
    uint64_t now_us);

#endif
