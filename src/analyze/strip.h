/*
 * The time strip of one side: how many samples each row has in each bin of
 * time. It is used for time lines, for ranges of time, and to measure how
 * clumped samples are.
 *
 * Invariants:
 * 1. There are at most STRIP_BINS bins. When a time does not fit, bins become
 *    twice as wide.
 * 2. Memory is bounded by the number of rows: above STRIP_ENTRIES entries, bins
 *    are joined in pairs, down to STRIP_MIN_BINS.
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
	uint8_t side;   /* 0 or 1: only rows of this side are added */
	unsigned shift; /* a bin is 2^shift microseconds wide */
	uint32_t n_bins;
	struct strip_entry *entry;
	size_t n, cap_entry;
	size_t limit;               /* join entries when n reaches it */
	uint64_t total[STRIP_BINS]; /* of all entries, by bin */
};

void strip_init(struct strip *s, struct rows *rows, int side);
void strip_done(struct strip *s);

/* Adds samples of a row at the time `at`, in microseconds. Returns BOB_OK or
 * FATAL. */
int strip_add(struct strip *s, uint32_t row, uint64_t at, uint64_t samples);

/* Makes entries of samples that rows still hold (struct row). Call it before
 * reading the strip. Returns BOB_OK or FATAL. */
int strip_flush(struct strip *s);

/* Returns the bin of a time, with the present width. */
static inline uint64_t
strip_bin(const struct strip *s, uint64_t at)
{
	return at >> s->shift;
}

/* Returns the width of a bin in microseconds. */
static inline uint64_t
strip_width(const struct strip *s)
{
	return (uint64_t)1 << s->shift;
}

#endif
