/*
 * Rows: the sums of a profile, one for each distinct combination of side,
 * stack, track, annotations, status and epoch. They stay in the order in which
 * the first sample of each came.
 */
#ifndef ANALYZE_ROWS_H
#define ANALYZE_ROWS_H

#include <bobbin/model.h>

#include "model/intern.h"

struct row {
	/* The key: compared as bytes. */
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint32_t epoch; /* segment or minute, when split by it */
	uint8_t status;
	uint8_t flags; /* BOB_RUN_STATUS or 0 */
	uint8_t side;
	uint8_t zero[5];
	/* The sums. */
	uint64_t samples;
	uint64_t period_us; /* samples times the period of their segments */
	uint64_t clock_us;  /* the times between samples */
	/* What the time strip has not got yet: samples of one bin. It is
	 * here because a row is one cache line, and at hand. */
	uint64_t in_bin;
	uint32_t bin;
	uint32_t zero_too;
};

struct rows {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct row *row; /* 0 .. n - 1 */
	uint32_t n;
	size_t cap_row;
	struct intern by_key; /* row + 1 */
	/* Rows + 1 that may be meant, tried before hashing in earnest. Who
	 * aims at one place of it gets no more than the table's speed. */
	uint32_t *guess;
	uint32_t guess_mask;
};

static inline uint32_t
rows_guess_at(const struct rows *r, bob_stack stack, bob_tid track,
    bob_annot annot)
{
	uint64_t h = (uint64_t)stack * 0x9e3779b97f4a7c15u +
	    (uint64_t)track * 0xc2b2ae3d27d4eb4fu +
	    (uint64_t)annot * 0x165667b19e3779f9u;

	return (uint32_t)(h >> 32) & r->guess_mask;
}

/*
 * Rows are found one by one but fetched ahead: where the guess about a run is,
 * and which row that is, to be prefetched some runs before they are needed.
 * (Addresses, because gcc takes a function that only prefetches for one that
 * does nothing, and drops the call.)
 */
static inline const void *
rows_guess(const struct rows *r, const struct bob_run *run)
{
	return &r->guess[rows_guess_at(r, run->stack, run->track,
	    run->annot)];
}

static inline const void *
rows_guessed(const struct rows *r, const struct bob_run *run)
{
	uint32_t id = r->guess[rows_guess_at(r, run->stack, run->track,
	    run->annot)];

	return &r->row[id - (id != 0)];
}

void rows_init(struct rows *r, struct bob_ctx *ctx, uint64_t seed);
void rows_done(struct rows *r);

/* The row with the key of *key, new or old; BOB_NO_ID without memory. */
uint32_t rows_find(struct rows *r, const struct row *key);

#endif
