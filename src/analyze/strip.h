/*
 * The time strip of one side: how many samples each row got in each bin of
 * time, for time lines, for the choice of a range, and to see how evenly
 * samples are spread.
 *
 * Bins are doubled in width, so that there are at most STRIP_BINS of them and
 * memory stays bounded by rows: when the entries become more than STRIP_ENTRIES
 * bins are joined in pairs, down to STRIP_MIN_BINS.
 */
#ifndef ANALYZE_STRIP_H
#define ANALYZE_STRIP_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/rows.h"

#define STRIP_BINS 1024u
#define STRIP_MIN_BINS 32u
#define STRIP_ENTRIES ((size_t)1 << 20)

struct strip_entry {
	uint32_t row, bin;
	uint64_t samples;
};

struct strip {
	struct bob_ctx *ctx;
	struct rows *rows;
	uint8_t side;   /* whose rows these are */
	unsigned shift; /* a bin is 2^shift microseconds wide */
	uint32_t n_bins;
	struct strip_entry *entry;
	size_t n, cap_entry;
	size_t limit;               /* from so many on they are joined */
	uint64_t total[STRIP_BINS]; /* of all entries, by bin */
};

void strip_init(struct strip *s, struct rows *rows, int side);
void strip_done(struct strip *s);

/* Samples of a row at a place, from 0 on. BOB_OK or FATAL. */
int strip_add(struct strip *s, uint32_t row, uint64_t at, uint64_t samples);

/* Makes entries of what rows still hold back: before the strip is looked at.
 * BOB_OK or FATAL. */
int strip_flush(struct strip *s);

/* The bin of a place, as bins are now. */
static inline uint64_t
strip_bin(const struct strip *s, uint64_t at)
{
	return at >> s->shift;
}

/* How wide a bin is. */
static inline uint64_t
strip_width(const struct strip *s)
{
	return (uint64_t)1 << s->shift;
}

#endif
