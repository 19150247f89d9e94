/* Tallies by stack, track and annotations; see the header. */
#include "model/tally.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"
#include "model/weights.h"

/* The first four fields of an entry are its key. */
#define KEY_SIZE offsetof(struct tally_entry, samples)

void
tally_init(struct tally *t, struct bob_ctx *ctx, uint64_t seed, unsigned by)
{
	memset(t, 0, sizeof(*t));
	t->ctx = ctx;
	t->seed = seed;
	t->by = by;
	t->n = 1;
	t->period = WEIGHTS_DEFAULT_PERIOD;
}

void
tally_done(struct tally *t)
{
	MEM_DROP(t->ctx, t, entry);
	intern_free(&t->by_key);
	memset(t, 0, sizeof(*t));
}

void
tally_segment(struct tally *t, uint64_t period_us)
{
	t->period = period_us == 0 ? WEIGHTS_DEFAULT_PERIOD : period_us;
}

/* The entry with this key, new or old; 0 when memory is out. */
static uint32_t
tally_find(struct tally *t, const struct tally_entry *key)
{
	uint64_t hash;
	uint32_t at, id;

	/* Often the same as before: a thread goes on with what it does. */
	if (t->last != 0 &&
	    memcmp(&t->entry[t->last], key, KEY_SIZE) == 0)
		return t->last;
	if (intern_reserve(t->ctx, &t->by_key) < 0)
		return 0;
	hash = XXH3_64bits_withSeed(key, KEY_SIZE, t->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&t->by_key, hash, &at)) != 0)
		if (memcmp(&t->entry[id], key, KEY_SIZE) == 0)
			return t->last = id;
	if (MEM_TAKE(t->ctx, t, entry, (size_t)t->n + 1) < 0)
		return 0;
	t->entry[t->n] = *key;
	intern_add(&t->by_key, hash, at, t->n);
	return t->last = t->n++;
}

static int
tally_count(struct tally *t, const struct tally_entry *key, uint64_t samples,
    uint64_t time_us)
{
	uint32_t id = tally_find(t, key);

	if (id == 0)
		return BOB_FATAL;
	t->entry[id].samples = count_add(t->entry[id].samples, samples);
	t->entry[id].time_us = count_add(t->entry[id].time_us, time_us);
	t->samples = count_add(t->samples, samples);
	t->time_us = count_add(t->time_us, time_us);
	return BOB_OK;
}

int
tally_add(struct tally *t, const struct bob_run *v, size_t n)
{
	struct tally_entry key = { 0 };
	int r = BOB_OK;
	size_t i;

	for (i = 0; r == BOB_OK && i < n; i++) {
		key.stack = v[i].stack;
		if (t->by & TALLY_TRACKS)
			key.track = v[i].track;
		if (t->by & TALLY_ANNOTATIONS)
			key.annot = v[i].annot;
		r = tally_count(t, &key, v[i].count,
		    count_mul(v[i].count, t->period));
	}
	return r;
}

int
tally_join(struct tally *t, const struct tally *from,
    const bob_stack *stack_map, const bob_tid *track_map,
    const bob_annot *annot_map)
{
	struct tally_entry key = { 0 };
	int r = BOB_OK;
	uint32_t i;

	for (i = 1; r == BOB_OK && i < from->n; i++) {
		const struct tally_entry *e = &from->entry[i];

		key.stack = stack_map[e->stack];
		if (t->by & TALLY_TRACKS)
			key.track = track_map[e->track];
		if (t->by & TALLY_ANNOTATIONS)
			key.annot = annot_map[e->annot];
		r = tally_count(t, &key, e->samples, e->time_us);
	}
	return r;
}
