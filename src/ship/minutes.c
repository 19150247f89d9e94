/* Sums per minute of the rows of a block; see blocks_inside.h. */
#include "ship/blocks_inside.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define KEY_SIZE offsetof(struct minute, id)

const char blocks_columns_sums[] = "day,service,kind,period,seg,blk,minute,"
    "route,idle,stack,value";

void
minutes_init(struct minutes *m, struct bob_ctx *ctx, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
	m->seed = seed;
	m->n = 1;
}

void
minutes_done(struct minutes *m)
{
	if (m->ctx == NULL)
		return;
	MEM_DROP(m->ctx, m, sum);
	intern_free(&m->by_key);
}

void
minutes_begin(struct minutes *m)
{
	intern_free(&m->by_key);
	m->by_key = (struct intern){ 0 };
	m->n = 1;
	m->last = 0;
}

/* Returns the sum with this key, new or old; 0 without memory. */
static uint32_t
find(struct minutes *m, const struct minute *key)
{
	uint64_t hash;
	uint32_t at, i;

	if (m->last != 0 && memcmp(&m->sum[m->last], key, KEY_SIZE) == 0)
		return m->last;
	if (intern_reserve(m->ctx, &m->by_key) < 0)
		return 0;
	hash = XXH3_64bits_withSeed(key, KEY_SIZE, m->seed);
	at = (uint32_t)(hash >> 32);
	while ((i = intern_probe(&m->by_key, hash, &at)) != 0)
		if (memcmp(&m->sum[i], key, KEY_SIZE) == 0)
			return m->last = i;
	if (MEM_TAKE(m->ctx, m, sum, (size_t)m->n + 1) < 0)
		return 0;
	m->sum[m->n] = *key;
	intern_add(&m->by_key, hash, at, m->n);
	return m->last = m->n++;
}

int
minutes_add(struct minutes *m, uint64_t ts, const struct minute *like,
    uint64_t value)
{
	struct minute key = *like;
	uint32_t i;

	key.minute = block_minute(ts);
	i = find(m, &key);
	if (i == 0)
		return BOB_FATAL;
	m->sum[i].value += value;
	return BOB_OK;
}

int
minutes_write(struct blocks *b)
{
	struct rowbin *w = &b->sums;
	size_t service = block_name_length(strlen(b->src.service));
	struct bob_bytes route;
	uint32_t i;
	uint8_t *p;

	for (i = 1; i < b->minutes.n; i++) {
		const struct minute *s = &b->minutes.sum[i];

		p = rowbin_room(w, 2);
		(void)put_u16(p, b->block.day);
		w->n += 2;
		rowbin_string(w, b->src.service, service);
		p = rowbin_room(w, 21);
		*p++ = s->kind;
		p = put_u32(p, s->period);
		p = put_u64(p, b->src.seg);
		p = put_u32(p, b->block.blk);
		(void)put_u32(p, s->minute * 60);
		w->n += 21;
		route = bob_str_get(b->dict, s->route);
		rowbin_string(w, route.p, block_name_length(route.n));
		p = rowbin_room(w, 17);
		*p++ = s->is_idle;
		(void)put_u64(put_u64(p, s->id), s->value);
		w->n += 17;
		rowbin_end_row(w);
	}
	return w->r;
}
