/*
 * A target: where segments are shipped to. Each kind of server is a const
 * table; target.c lists them, and nothing else names them.
 *
 * A target ships one whole segment, as often as it is told to, and says what
 * became of its samples. Shipping a segment that is there already changes
 * nothing.
 */
#ifndef SHIP_TARGET_H
#define SHIP_TARGET_H

#include <bobbin/ship.h>

#include "ship/url.h"

/* Why a call has failed: what to do next. */
enum ship_why {
	SHIP_FINE = 0,
	SHIP_BUSY,    /* nothing happened, or it is unknown what: try again
	               * later */
	SHIP_SETUP,   /* tables or rights are missing: somebody must act */
	SHIP_REFUSED, /* the server does not take this, and will never do */
	SHIP_LOCAL    /* the fault is here: the segment, memory, a limit */
};

/* Samples of a segment, by what became of them. */
struct send_result {
	enum ship_why why;
	unsigned retry_after_s; /* what the server asked for; 0: nothing */
	uint64_t acknowledged, expired, undated;
	uint64_t bytes_sent;
	int has_sent; /* something went out: after a failure it is unknown
	               * what is there */
};

struct block_source;

struct target_ops {
	/* The newest segment first: the server refuses what is old. */
	int newest_first;
	/* Returns BOB_OK and sets *ret, or FAILED. Sends nothing. */
	int (*open)(struct bob_ctx *ctx, const struct bob_target_opts *opts,
	    void **ret);
	/* Returns BOB_OK when all samples of the segment are accounted for, or
	 * FAILED. *ret is filled in either case; after SHIP_LOCAL its counts
	 * are those of the part that could be read. */
	int (*send)(void *state, const struct block_source *src,
	    struct send_result *ret);
	void (*close)(void *state);
};

const struct target_ops *target_ops_of(enum ship_kind kind);

#endif
