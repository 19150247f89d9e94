/* File ids to ours; see the header. */
#include "format/rbt/idmap.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* An id this far beyond twice the ids in use is not from a counting writer;
 * the constant keeps small files on the fast path. */
#define DENSE_SLACK 4096

static uint64_t
far_hash(const struct idmap *m, uint64_t id)
{
	return XXH3_64bits_withSeed(&id, sizeof(id), m->seed);
}

static int
far_set(struct bob_ctx *ctx, struct idmap *m, uint64_t id, uint32_t v)
{
	uint64_t h = far_hash(m, id);
	uint32_t at = (uint32_t)(h >> 32), e;

	if (intern_reserve(ctx, &m->far) < 0)
		return BOB_FATAL;
	while ((e = intern_probe(&m->far, h, &at)) != 0)
		if (m->far_key[e] == id) {
			m->far_value[e] = v;
			return BOB_OK;
		}
	e = m->far.used + 1;
	if (MEM_TAKE(ctx, m, far_key, (size_t)e + 1) < 0 ||
	    MEM_TAKE(ctx, m, far_value, (size_t)e + 1) < 0)
		return BOB_FATAL;
	m->far_key[e] = id;
	m->far_value[e] = v;
	intern_add(&m->far, h, at, e);
	return BOB_OK;
}

uint32_t
idmap_get_far(const struct idmap *m, uint64_t id)
{
	uint64_t h;
	uint32_t at, e;

	if (m->far.used == 0)
		return IDMAP_NONE;
	h = far_hash(m, id);
	at = (uint32_t)(h >> 32);
	while ((e = intern_probe(&m->far, h, &at)) != 0)
		if (m->far_key[e] == id)
			return m->far_value[e];
	return IDMAP_NONE;
}

int
idmap_set(struct bob_ctx *ctx, struct idmap *m, uint64_t id, uint32_t v)
{
	m->ctx = ctx;
	if (id >= m->n_dense) {
		size_t n = m->n_dense;

		/* Once one id is far the array stops growing, otherwise it
		 * would grow past that id and hide it. */
		if (m->far.used != 0 ||
		    id > 2 * (uint64_t)m->n_set + DENSE_SLACK)
			return far_set(ctx, m, id, v);
		if (MEM_TAKE(ctx, m, dense, (size_t)id + 1) < 0)
			return BOB_FATAL;
		m->n_dense = m->cap_dense;
		memset(m->dense + n, 0xff,
		    (m->n_dense - n) * sizeof(*m->dense));
	}
	m->n_set += m->dense[id] == IDMAP_NONE;
	m->dense[id] = v;
	if (id >= m->top)
		m->top = (size_t)id + 1;
	return BOB_OK;
}

void
idmap_clear(struct idmap *m)
{
	/* The cost is that of what was set, not of the largest segment ever
	 * seen: a file may have a million small ones behind it. */
	if (m->top > 0)
		memset(m->dense, 0xff, m->top * sizeof(*m->dense));
	m->n_set = m->top = 0;
	if (m->far.used > 0)
		intern_free(&m->far);
}

void
idmap_free(struct idmap *m)
{
	MEM_DROP(m->ctx, m, dense);
	MEM_DROP(m->ctx, m, far_key);
	MEM_DROP(m->ctx, m, far_value);
	intern_free(&m->far);
}
