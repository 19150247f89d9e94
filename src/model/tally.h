/*
 * Tallies: samples and time of each combination of stack, track and
 * annotations, for outputs that add up but keep processes, threads or requests
 * separate. Memory grows with distinct combinations only.
 *
 *     tally_init(&t, sink->ctx, dict->seed, TALLY_TRACKS);
 *     tally_segment(&t, segment->period_us);
 *     tally_add(&t, runs, n);
 *     ...
 *     for (i = 1; i < t.n; i++)
 *             ... t.entry[i] ...
 *
 * The time of a sample is the period of its segment; an unknown period (0)
 * counts as 10 ms. Sums saturate at BOB_MAX_COUNT.
 */
#ifndef MODEL_TALLY_H
#define MODEL_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "model/intern.h"

/* What is kept separate besides stacks. */
enum tally_by { TALLY_TRACKS = 1 << 0, TALLY_ANNOTATIONS = 1 << 1 };

struct tally_entry {
	bob_stack stack;
	bob_tid track;   /* 0 without TALLY_TRACKS */
	bob_annot annot; /* 0 without TALLY_ANNOTATIONS */
	uint32_t zero;
	uint64_t samples, time_us;
};

struct tally {
	struct bob_ctx *ctx;
	uint64_t seed;
	unsigned by; /* enum tally_by */
	struct tally_entry *entry; /* 1 .. n - 1, in order of appearance */
	size_t cap_entry;
	uint32_t n;
	uint32_t last; /* the entry that was used last; 0: none */
	struct intern by_key;
	uint64_t period;
	uint64_t samples, time_us; /* of all entries */
};

/* `seed` must be unknown to the author of the input; by: enum tally_by. */
void tally_init(struct tally *t, struct bob_ctx *ctx, uint64_t seed,
    unsigned by);
void tally_done(struct tally *t);

/* Sets the period of samples that are added from now on. */
void tally_segment(struct tally *t, uint64_t period_us);

/* Adds n runs. Returns BOB_OK or FATAL. */
int tally_add(struct tally *t, const struct bob_run *v, size_t n);

/* Adds all entries of `from`, which has the same `by`. The maps give the ids in
 * t by id of `from`; a map may be NULL if its kind is not kept separate.
 * Returns BOB_OK or FATAL. */
int tally_join(struct tally *t, const struct tally *from,
    const bob_stack *stack_map, const bob_tid *track_map,
    const bob_annot *annot_map);

#endif
