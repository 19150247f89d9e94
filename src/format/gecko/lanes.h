/*
 * Many byte streams in one temporary file: each lane is filled at its end and
 * later read front to back, as often as needed. Lanes are kept in memory until
 * all of them together are too much; then their owner spills every one of them
 * to a file without a name. So thousands of lanes cost one file, and memory
 * does not depend on how much they hold.
 *
 *     p = lane_room(s, lane);         LANE_ROOM bytes, or NULL
 *     lane_commit(lane, p + used);    an entry that is never taken apart
 *     if (lanes_are_full(s))
 *             lane_spill(s, lane) for each, then lanes_spilled(s);
 *
 *     lanes_rewind(s);
 *     lane_reader_begin(&in, s, lane);
 *     while ((r = lane_more(&in)) > 0)
 *             ... take an entry from in.p, which is before in.end ...
 */
#ifndef FORMAT_GECKO_LANES_H
#define FORMAT_GECKO_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "core/mem.h"
#include "core/output.h"
#include "core/varint.h"

/* The longest entry. */
#define LANE_ROOM ((size_t)48)

struct lane_chunk {
	struct lane_chunk *next;
	size_t cap, n;
	uint8_t bytes[];
};

/* A stretch of the file. */
struct lane_extent {
	uint64_t start, end;
};

struct lane {
	struct lane_chunk *first, *last;
	struct lane_extent *extent;
	size_t cap_extent, n_extent;
};

struct lanes {
	struct bob_ctx *ctx;
	size_t limit;     /* bytes in memory above which to spill */
	size_t used;      /* bytes in memory */
	struct out *file; /* NULL: nothing was spilled yet */
};

struct lane_reader {
	struct lanes *lanes;
	const struct lane *lane;
	const uint8_t *p, *end; /* what is at hand, in buf */
	uint8_t *buf;
	size_t i_extent;        /* the next one to read, ... */
	uint64_t at;            /* ... and from where in it */
	const struct lane_chunk *chunk; /* behind all extents */
	size_t i_chunk;
};

void lanes_init(struct lanes *s, struct bob_ctx *ctx, size_t limit);
void lanes_done(struct lanes *s);
void lane_done(struct lane *l);

int lane_grow(struct lanes *s, struct lane *l);

/* Room for an entry, or NULL when memory is out. */
static inline uint8_t *
lane_room(struct lanes *s, struct lane *l)
{
	if ((l->last == NULL || l->last->cap - l->last->n < LANE_ROOM) &&
	    lane_grow(s, l) < 0)
		return NULL;
	return l->last->bytes + l->last->n;
}

static inline void
lane_commit(struct lane *l, const uint8_t *end)
{
	l->last->n = (size_t)(end - l->last->bytes);
}

static inline int
lanes_are_full(const struct lanes *s)
{
	return s->used > s->limit;
}

/* Moves what a lane holds in memory to the file. BOB_OK or FATAL. */
int lane_spill(struct lanes *s, struct lane *l);

/* Every lane was spilled. */
static inline void
lanes_spilled(struct lanes *s)
{
	s->used = 0;
}

/* All is written: reading begins. BOB_OK or FATAL. */
int lanes_rewind(struct lanes *s);

/* Reads from the front; the reader begins as zeros, may be used for one lane
 * after the other, and is freed once. BOB_OK or FATAL. */
int lane_reader_begin(struct lane_reader *in, struct lanes *s,
    const struct lane *l);
void lane_reader_done(struct lane_reader *in);

int lane_refill(struct lane_reader *in);

/* 1 when a whole entry is at hand, 0 at the end, or FATAL. */
static inline int
lane_more(struct lane_reader *in)
{
	return in->end - in->p >= (ptrdiff_t)LANE_ROOM ? 1 : lane_refill(in);
}

/* The next number of an entry. They are our own, and whole. */
static inline uint64_t
lane_get(struct lane_reader *in)
{
	uint64_t v = 0;

	(void)varint_get(&in->p, in->end, &v);
	return v;
}

#endif
