/* States of threads, by hash; see the header. */
#include "format/tach/threads.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"

void
threads_done(struct tach_threads *t)
{
	MEM_DROP(t->ctx, t, v);
	intern_free(&t->by_id);
}

static uint64_t
hash(const struct tach_threads *t, uint64_t tid, uint32_t interp)
{
	uint64_t key[2] = { tid, interp };

	return XXH3_64bits_withSeed(key, sizeof(key), t->seed);
}

uint32_t
threads_find(const struct tach_threads *t, uint64_t tid, uint32_t interp)
{
	uint64_t h = hash(t, tid, interp);
	uint32_t at = (uint32_t)(h >> 32), id;

	if (t->n == 0)
		return 0;
	while ((id = intern_probe(&t->by_id, h, &at)) != 0)
		if (t->v[id - 1].tid == tid && t->v[id - 1].interp == interp)
			return id - 1;
	return t->n;
}

int
threads_add(struct tach_threads *t, const struct tach_thread *thread)
{
	uint64_t h = hash(t, thread->tid, thread->interp);
	uint32_t at = (uint32_t)(h >> 32);

	if (t->n >= BOB_MAX_IDS)
		return err_set(t->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "tach: more threads than 32-bit ids can count");
	if (intern_reserve(t->ctx, &t->by_id) < 0 ||
	    MEM_TAKE(t->ctx, t, v, (size_t)t->n + 1) < 0)
		return BOB_FATAL;
	while (intern_probe(&t->by_id, h, &at) != 0)
		;
	t->v[t->n] = *thread;
	intern_add(&t->by_id, h, at, ++t->n);
	return BOB_OK;
}
