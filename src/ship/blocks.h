/*
 * A segment as blocks of rows, for servers with tables.
 *
 * Invariant: which rows a block has depends on the segment alone. So a block
 * that is made again is the same rows in the same order.
 *
 *     blocks_open(ctx, &src, &how, &b);
 *     while ((r = blocks_next(b, &block)) == BOB_OK)
 *             ... block.stacks, block.samples, block.sums ...
 *     blocks_close(b);
 *
 * A block ends after BLOCK_ROWS rows, and where the date changes (the first
 * BLOCK_DAYS times). All its rows carry the date of its first one, so a server
 * that keeps each date apart takes a block whole or not at all.
 */
#ifndef SHIP_BLOCKS_H
#define SHIP_BLOCKS_H

#include "core/error.h"
#include "ship/rowbinary.h"

#define BLOCK_ROWS 262144u
#define BLOCK_DAYS 64u

/* Frames of a stack that are sent, the innermost, and bytes of a name. */
#define BLOCK_DEPTH 1024u
#define BLOCK_NAME 1024u

/* Bytes of the stacks of one segment, before packing. Stacks share their outer
 * frames in a file, but not in a table: a crafted file of 1 MB may have 10^10
 * frames in its stacks. */
#define BLOCK_STACK_BYTES ((uint64_t)1 << 30)

#define BLOCK_DAY_US ((uint64_t)86400 * 1000000)
#define BLOCK_MINUTE_US ((uint64_t)60 * 1000000)

/* The date of a time, as a server stores it: days since 1970. */
static inline uint16_t
block_day(uint64_t us)
{
	return us / BLOCK_DAY_US < UINT16_MAX ? (uint16_t)(us / BLOCK_DAY_US)
	                                      : UINT16_MAX;
}

/* Minutes since 1970. */
static inline uint32_t
block_minute(uint64_t us)
{
	uint64_t v = us / BLOCK_MINUTE_US;

	return v < UINT32_MAX / 60 ? (uint32_t)v : UINT32_MAX / 60;
}

struct block_source {
	int fd;            /* of the segment; borrowed */
	const char *name;  /* for messages */
	const char *file;  /* the last part of its path */
	uint64_t seg;      /* its number: the beginning of its hash */
	uint64_t size, n_samples; /* as they were when it was sealed */
	const char *service, *host;
	uint64_t t_first, t_last; /* of its samples, in microseconds since
	                           * 1970; 0: not known */
};

struct block_how {
	enum rowbin_packing packing;
	/* Returns 1 if the rows of a block are needed. Others are counted and
	 * not packed. NULL: all are. */
	int (*wants)(void *user, uint32_t blk, uint16_t day);
	/* Returns 1 if the server has this stack, with this date or a later
	 * one. NULL: it has none. */
	int (*has_stack)(void *user, uint64_t id, uint16_t day);
	void *user;
};

/* Packed rows of one table. */
struct block_rows {
	const uint8_t *p; /* NULL: none were wanted */
	size_t n;         /* bytes */
	uint64_t n_rows;
};

/* Pointers are valid until the next call. */
struct block {
	uint32_t blk; /* from 0 */
	uint16_t day; /* days since 1970 */
	uint64_t n_samples; /* sum of their values, modulo 2^64 */
	uint64_t t_first, t_last; /* microseconds since 1970 */
	struct block_rows stacks, samples, sums;
	const uint64_t *stack_ids; /* of the rows in stacks */
};

struct blocks;

/* Returns BOB_OK and sets *ret, or FAILED. What is borrowed must outlive it. */
int blocks_open(struct bob_ctx *ctx, const struct block_source *src,
    const struct block_how *how, struct blocks **ret);

/* Returns BOB_OK and fills *ret; EOF; FATAL. */
int blocks_next(struct blocks *b, struct block *ret);

/* Samples so far that have no date, so that no row can be made of them. */
uint64_t blocks_undated(const struct blocks *b);

/* NULL is allowed. */
void blocks_close(struct blocks *b);

/* The columns of each table, in the order of the rows, for INSERT. */
extern const char blocks_columns_samples[], blocks_columns_stacks[],
    blocks_columns_sums[];

#endif
