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
};

struct rows {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct row *row; /* 0 .. n - 1 */
	uint32_t n;
	uint32_t *of_stack; /* by stack: its last row + 1, to be tried first */
	size_t cap_row, cap_of_stack;
	struct intern by_key; /* row + 1 */
};

void rows_init(struct rows *r, struct bob_ctx *ctx, uint64_t seed);
void rows_done(struct rows *r);

/* The row with the key of *key, new or old; BOB_NO_ID without memory. */
uint32_t rows_find(struct rows *r, const struct row *key);

#endif
