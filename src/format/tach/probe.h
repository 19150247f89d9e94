/*
 * What kind of TACH file this is. The version number does not tell: several
 * layouts say 1. A layout is plausible when the offsets, the compression and
 * the counts that it finds are possible in a file of this size; where several
 * are, both tables must end exactly where they must.
 *
 * Linear in the size of the tables; nothing is allocated.
 */
#ifndef FORMAT_TACH_PROBE_H
#define FORMAT_TACH_PROBE_H

#include "format/tach/stats.h"
#include "format/tach/tach.h"

struct spool;

struct tach_file {
	struct spool *spool;
	uint64_t size;
	int dialect; /* enum tach_dialect */
	int is_swapped;
	struct tach_head head;
	uint32_t n_strings, n_frames; /* as the footer has them */
	uint64_t frames_end; /* where the frame table must end */
	int has_block;       /* of statistics, from there to the footer */
	int has_stats;       /* in the block, and they make sense */
	struct tach_stats stats;
};

/*
 * Fills *ret from a spool that is filled. `dialect`: the one to assume, or -1
 * to find out. BOB_OK, or FATAL with the error.
 */
int tach_probe(struct bob_ctx *ctx, struct spool *spool, int dialect,
    struct tach_file *ret);

/* complain.c: warnings about what does not touch the samples. BOB_OK or
 * FATAL. */
int tach_complain(struct bob_ctx *ctx, const struct tach_file *f);

#endif
