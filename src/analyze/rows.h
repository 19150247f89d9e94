/*
 * Rows: the sums of a profile, one for each distinct combination of side,
 * stack, track, annotations, status and epoch. They are in the order of their
 * first samples.
 */
#ifndef ANALYZE_ROWS_H
#define ANALYZE_ROWS_H

#include <assert.h>
#include <string.h>

#include <bobbin/model.h>

#include "model/intern.h"

/* The combination of a row: hashed and compared as bytes. */
struct row_key {
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint32_t epoch; /* segment or minute, if the profile is split by it */
	uint8_t status;
	uint8_t flags; /* BOB_RUN_STATUS or 0 */
	uint8_t side;
	uint8_t is_idle; /* it waited for work (model/idle.h) */
	uint8_t zero[4];
};

struct row {
	struct row_key key;
	/* The sums. */
	uint64_t samples;
	uint64_t period_us; /* samples times the period of their segments */
	uint64_t clock_us;  /* the times between samples */
	/* Samples of one bin that the time strip does not have yet. They are
	 * here because the cache line of the row is in use anyway. */
	uint64_t in_bin;
	uint32_t bin;
	uint32_t zero;
};

struct rows {
	struct bob_ctx *ctx;
	uint64_t seed[2];
	struct row *row; /* 0 .. n - 1 */
	uint32_t n;
	size_t cap_row;
	struct intern by_key; /* row + 1 */
};

/* Mixes both halves of the product: the result depends on all bits of a and
 * b. */
static inline uint64_t
rows_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 m = (unsigned __int128)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* A hash of ten instructions, because it is computed for every run. The seeds
 * are random, so that crafted input cannot aim at one slot. */
static inline uint64_t
rows_hash(const struct rows *r, const struct row_key *key)
{
	uint64_t w[3];

	_Static_assert(sizeof(w) == sizeof(*key), "a key is three words");
	memcpy(w, key, sizeof(w));
	return rows_mix(rows_mix(w[0] ^ r->seed[0], w[1] ^ r->seed[1]) ^ w[2],
	    r->seed[0] ^ r->seed[1]);
}

/*
 * With 50,000 stacks in random order, most of the time is spent waiting for
 * memory. So rows are found in three steps, each for a block of runs before the
 * next step: rows_slot gives the slot of a hash, to prefetch; rows_guess gives
 * the row that it probably means (row + 1; 0: none), and rows_guessed its
 * address, to prefetch; rows_find gives the row.
 *
 * (These functions return addresses and do not prefetch themselves, because gcc
 * drops calls of a function that only prefetches.)
 */
static inline const void *
rows_slot(const struct rows *r, uint64_t hash)
{
	return r->n == 0 ? NULL :
	    &r->by_key.slot[(uint32_t)(hash >> 32) & r->by_key.mask];
}

static inline uint32_t
rows_guess(const struct rows *r, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32);

	return r->n == 0 ? 0 : intern_probe(&r->by_key, hash, &at);
}

static inline const void *
rows_guessed(const struct rows *r, uint32_t guess)
{
	return guess == 0 ? NULL : &r->row[guess - 1];
}

void rows_init(struct rows *r, struct bob_ctx *ctx, uint64_t seed);
void rows_done(struct rows *r);

/* Returns the row with this key, new or old; BOB_NO_ID without memory. */
uint32_t rows_of_key(struct rows *r, const struct row_key *key, uint64_t hash);

/* The same, fast if the guess of rows_guess is right. A wrong guess is
 * allowed. */
static inline uint32_t
rows_find(struct rows *r, const struct row_key *key, uint64_t hash,
    uint32_t guess)
{
	assert(guess <= r->n);
	if (guess != 0 && memcmp(&r->row[guess - 1].key, key,
	    sizeof(*key)) == 0)
		return guess - 1;
	return rows_of_key(r, key, hash);
}

#endif
