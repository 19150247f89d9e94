/*
 * Weights: the weight of each stack, for outputs that only add up.
 *
 * If all segments have one period, the weight is the number of samples. With
 * several periods, the weight is the time, in units of the greatest common
 * divisor of all periods that have samples, so that it is a whole number.
 * Memory grows with the number of stacks only, not with segments or periods. An
 * unknown period (0) counts as 10 ms. Sums saturate at BOB_MAX_COUNT.
 *
 *     weights_segment(&w, segment->period_us);
 *     weights_add(&w, runs, n);
 *     ...
 *     for (s = 0; s < w.n; s++)
 *             if ((v = weights_of(&w, s)) > 0)
 *                     ...
 */
#ifndef MODEL_WEIGHTS_H
#define MODEL_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "core/error.h"

#define WEIGHTS_DEFAULT_PERIOD 10000 /* microseconds */

struct weights {
	struct bob_ctx *ctx;
	uint64_t *samples; /* by stack id */
	uint64_t *time_us; /* by stack id; NULL while there is one period */
	size_t n;          /* stacks 0 .. n - 1 have entries */
	size_t cap_samples, cap_time_us;
	uint64_t period;   /* of the segment being added */
	/* Of all periods that have samples; 0: there are none yet. */
	uint64_t gcd, min_period, max_period;
};

void weights_init(struct weights *w, struct bob_ctx *ctx);
void weights_done(struct weights *w);

/* Sets the period of samples that are added from now on. */
void weights_segment(struct weights *w, uint64_t period_us);

/* Adds n runs. Returns BOB_OK or FATAL. */
int weights_add(struct weights *w, const struct bob_run *v, size_t n);

/* Adds all weights of `from`; map[s] is the id of its stack s in w. Returns
 * BOB_OK or FATAL. */
int weights_join(struct weights *w, const struct weights *from,
    const bob_stack *map);

/* Returns the unit of weights_of in microseconds; 0: samples. */
uint64_t weights_unit_us(const struct weights *w);

/* Returns the weight of stack s < w->n; 0 if it has none. */
uint64_t weights_of(const struct weights *w, bob_stack s);

#endif
