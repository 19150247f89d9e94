/*
 * Decoding the files of a live TACH writer without the library: PATH.part,
 * which has records without tables, and its journal, which has the names.
 */
#ifndef UNIT_TACH_PART_H
#define UNIT_TACH_PART_H

#include "format/tach/journal.h"
#include "support.h"

struct tach_part {
	struct buf file;
	struct buf records;   /* unpacked, up to the end of samples */
	struct journal j;
	int has_journal;
	unsigned n_frames;    /* of zstd, that are whole */
	uint64_t n_samples;   /* by tach_part_walk, as the next */
	int is_cut;           /* the last record is not whole */
};

/* One sample; frames are numbers, innermost first. */
typedef void tach_part_fn(void *user, uint64_t tid, uint64_t t,
    unsigned status, const uint32_t *frames, size_t depth);

/* Loads both, or what there is of them. Numbers are this machine's. */
void tach_part_load(struct bob_ctx *ctx, const char *path,
    struct tach_part *ret);

/* Gives all samples to fn, which may be NULL. Fails the test when a frame has
 * no name. */
void tach_part_walk(struct tach_part *p, tach_part_fn *fn, void *user);

void tach_part_free(struct tach_part *p);

#endif
