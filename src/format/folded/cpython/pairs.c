/* Pairs of a thread and a stack; see the header. */
#include "format/folded/cpython/pairs.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"

void
pairs_init(struct pairs *p, struct bob_ctx *ctx, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->ctx = ctx;
	p->seed = seed;
	p->n = 1;
}

void
pairs_done(struct pairs *p)
{
	free(p->pair);
	free(p->first);
	intern_free(&p->by_pair);
}

static int
is_pair(const struct pair *a, uint64_t thread, bob_stack stack)
{
	return a->thread == thread && a->stack == stack;
}

/* Makes room in first[] for the stack. */
static int
know_stack(struct pairs *p, bob_stack stack)
{
	size_t n = p->n_first;

	if (stack < n)
		return BOB_OK;
	if (MEM_GROW(p->ctx, p, first, (size_t)stack + 1) < 0)
		return BOB_FATAL;
	memset(p->first + n, 0, (p->cap_first - n) * sizeof(*p->first));
	p->n_first = p->cap_first;
	return BOB_OK;
}

static uint32_t
add_pair(struct pairs *p, uint64_t thread, bob_stack stack)
{
	if (MEM_GROW(p->ctx, p, pair, (size_t)p->n + 1) < 0)
		return BOB_NO_ID;
	p->pair[p->n] = (struct pair){ thread, stack };
	return p->n++;
}

/* A pair of a stack that has others. */
static uint32_t
put_other(struct pairs *p, uint64_t thread, bob_stack stack)
{
	struct pair key = { thread, stack };
	uint64_t hash;
	uint32_t at, id;

	if (intern_reserve(p->ctx, &p->by_pair) < 0)
		return BOB_NO_ID;
	hash = XXH3_64bits_withSeed(&key, sizeof(key), p->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&p->by_pair, hash, &at)) != 0)
		if (is_pair(&p->pair[id], thread, stack))
			return id;
	id = add_pair(p, thread, stack);
	if (id != BOB_NO_ID)
		intern_add(&p->by_pair, hash, at, id);
	return id;
}

uint32_t
pairs_put(struct pairs *p, uint64_t thread, bob_stack stack)
{
	uint32_t id;

	/* The same as before: a thread goes on with what it does. */
	if (p->last != 0 && is_pair(&p->pair[p->last], thread, stack))
		return p->last;
	if (know_stack(p, stack) < 0)
		return BOB_NO_ID;
	id = p->first[stack];
	if (id == 0) {
		id = add_pair(p, thread, stack);
		if (id != BOB_NO_ID)
			p->first[stack] = id;
	} else if (!is_pair(&p->pair[id], thread, stack)) {
		id = put_other(p, thread, stack);
	}
	if (id != BOB_NO_ID)
		p->last = id;
	return id;
}
