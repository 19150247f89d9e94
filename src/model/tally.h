/*
 * Tallies: how much each combination of stack, track and annotations got, for
 * outputs that add up but tell processes, threads or requests apart. Memory
 * depends on distinct combinations alone.
 *
 *     tally_init(&t, sink->ctx, dict->seed, TALLY_TRACKS);
 *     tally_segment(&t, segment->period_us);
 *     tally_add(&t, runs, n);
 *     ...
 *     for (i = 1; i < t.n; i++)
 *             ... t.entry[i] ...
 *
 * A sample weighs the period of its segment; an unknown period (0) is taken
 * for 10 ms. Sums saturate at BOB_MAX_COUNT.
 */
#ifndef MODEL_TALLY_H
#define MODEL_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "model/intern.h"

/* What is told apart besides stacks. */
enum tally_by { TALLY_TRACKS = 1 << 0, TALLY_ANNOTATIONS = 1 << 1 };

struct tally_entry {
	bob_stack stack;
	bob_tid track;   /* 0 unless told apart */
	bob_annot annot; /* 0 unless told apart */
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
	uint32_t last; /* that was added to */
	struct intern by_key;
	uint64_t period;
	uint64_t samples, time_us; /* of all */
};

/* `seed` is not to be known to whoever makes up the input. */
void tally_init(struct tally *t, struct bob_ctx *ctx, uint64_t seed,
    unsigned by);
void tally_done(struct tally *t);

/* What is added from here on was sampled every period_us. */
void tally_segment(struct tally *t, uint64_t period_us);

/* BOB_OK or FATAL, as for the next. */
int tally_add(struct tally *t, const struct bob_run *v, size_t n);

/* Adds what `from`, which tells the same apart, has gathered; the maps give
 * our ids for its own, and may be NULL for what is not told apart. */
int tally_join(struct tally *t, const struct tally *from,
    const bob_stack *stack_map, const bob_tid *track_map,
    const bob_annot *annot_map);

#endif
