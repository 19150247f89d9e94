/*
 * The samples of one thread, packed into a lane: a few bytes for each row of
 * the table that they become. Rows are in the order of their times.
 */
#ifndef FORMAT_GECKO_ROWS_H
#define FORMAT_GECKO_ROWS_H

#include <bobbin/model.h>

#include "core/varint.h"
#include "format/gecko/lanes.h"

struct row {
	int64_t at;      /* microseconds */
	uint64_t weight; /* samples */
	uint64_t period; /* microseconds */
	bob_stack stack;
};

struct rows {
	struct lane lane;
	uint64_t n;         /* rows */
	int64_t begin;      /* time of the first */
	struct row last;    /* its weight is not kept up */
	int has_weights;    /* one of them is not 1 */
};

/* An entry is a varint of the time since the row before, with these bits in
 * front: which fields are not as they were, see rows.c. */
#define ROWS_TAG_BITS 3

/* A row, not before the last one. BOB_OK or FATAL. */
int rows_put(struct lanes *s, struct rows *rows, const struct row *row);

/* One more row like the last one, at another time and of weight 1. */
static inline int
rows_repeat(struct lanes *s, struct rows *rows, int64_t at)
{
	uint8_t *p = lane_room(s, &rows->lane);

	if (p == NULL)
		return BOB_FATAL;
	lane_commit(&rows->lane, varint_put(p,
	    (uint64_t)(at - rows->last.at) << ROWS_TAG_BITS));
	rows->last.at = at;
	rows->n++;
	return BOB_OK;
}

struct rows_reader {
	struct lane_reader in;
	struct row row; /* the one that rows_next gave */
};

/* From the front. BOB_OK or FATAL. */
int rows_begin(struct rows_reader *in, struct lanes *s,
    const struct rows *rows);

/* 1, 0 at the end, or FATAL. */
int rows_next(struct rows_reader *in);

#endif
