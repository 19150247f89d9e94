/*
 * Pairs of a thread and a stack, numbered as they come: equal pairs have one
 * number. Memory depends on distinct pairs alone.
 */
#ifndef FORMAT_FOLDED_CPYTHON_PAIRS_H
#define FORMAT_FOLDED_CPYTHON_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "model/intern.h"

struct pair {
	uint64_t thread;
	uint64_t stack; /* a bob_stack; wide, because pairs are hashed */
};

struct pairs {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct pair *pair; /* by number */
	size_t cap_pair;
	uint32_t n;    /* numbers 1 .. n - 1 are given; 0 is none */
	uint32_t last; /* that was asked for */
	/* By stack: the number of its first pair. Only others are hashed: most
	 * stacks are seen in one thread. */
	uint32_t *first;
	size_t cap_first, n_first;
	struct intern by_pair;
};

/* `seed` is not to be known to whoever makes up the pairs. */
void pairs_init(struct pairs *p, struct bob_ctx *ctx, uint64_t seed);
void pairs_done(struct pairs *p);

/* The number of a pair, or BOB_NO_ID when memory is out. */
uint32_t pairs_put(struct pairs *p, uint64_t thread, bob_stack stack);

#endif
