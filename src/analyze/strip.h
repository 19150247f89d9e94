/*
 * The time strip of one side: how many samples each row got in each bin of
 * time, for time lines, for the choice of a range, and to see how evenly
 * samples are spread. Without times, bins are of samples in their order.
 *
 * Bins are doubled in width, so that there are at most STRIP_BINS of them and
 * memory stays bounded by rows: when the entries become more than STRIP_ENTRIES
 * bins are joined in pairs, down to STRIP_MIN_BINS.
 */
#ifndef ANALYZE_STRIP_H
#define ANALYZE_STRIP_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

#define STRIP_BINS 1024u
#define STRIP_MIN_BINS 64u
#define STRIP_ENTRIES ((size_t)2 << 20)

struct strip_entry {
	uint32_t row, bin;
	uint64_t samples;
};

struct strip {
	struct bob_ctx *ctx;
	uint64_t width; /* of a bin: microseconds or samples */
	uint32_t n_bins;
	struct strip_entry *entry;
	size_t n, cap_entry;
	uint32_t *last; /* by row: its latest entry + 1 */
	size_t cap_last;
};

void strip_init(struct strip *s, struct bob_ctx *ctx);
void strip_done(struct strip *s);

/* Samples of a row at a place, from 0 on. BOB_OK or FATAL. */
int strip_add(struct strip *s, uint32_t row, uint64_t at, uint64_t samples);

/* The bin of a place, as bins are now. */
static inline uint64_t
strip_bin(const struct strip *s, uint64_t at)
{
	return at / s->width;
}

#endif
