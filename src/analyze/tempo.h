/*
 * Estimating the period of a trace from its times.
 *
 * Gaps between successive samples of a track are counted by size, in steps of
 * an eighth of an octave. Gaps of the sampler have one size. Gaps in which the
 * process was idle have all sizes, and missed moments give multiples. So the
 * period is the smallest size that has at least half as many gaps as the most
 * frequent size, and at least TEMPO_LEAST.
 *
 * Memory is constant. Gaps of 0 and gaps above TEMPO_LONGEST are ignored.
 */
#ifndef ANALYZE_TEMPO_H
#define ANALYZE_TEMPO_H

#include <stdint.h>

/* The number of gaps that are counted. */
#define TEMPO_ENOUGH 1024
/* Fewer gaps of one size may be chance. */
#define TEMPO_LEAST 8
/* Microseconds: no profiler has a longer period. */
#define TEMPO_LONGEST 10000000

/* Sizes per octave, and sizes in all, up to 2^24 microseconds. */
#define TEMPO_STEPS 8
#define TEMPO_SIZES (22 * TEMPO_STEPS)

/* All zeros: nothing is known. */
struct tempo {
	uint32_t n; /* gaps, up to TEMPO_ENOUGH */
	struct {
		uint32_t n;
		uint64_t sum;
	} size[TEMPO_SIZES];
};

/* Counts a gap in microseconds, unless there are enough. */
void tempo_add(struct tempo *t, uint64_t gap);

/* Returns the period in microseconds; 0 if it cannot be estimated. */
uint64_t tempo_period(const struct tempo *t);

#endif
