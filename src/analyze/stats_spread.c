/*
 * How clumped samples are, from batch means. If stretches are much longer than
 * a clump, the difference between neighbouring stretches has twice the variance
 * of one stretch, and that variance includes the clumps.
 */
#include "analyze/stats.h"

/* A stretch of fewer samples says too little by itself. */
#define MIN_SAMPLES 4

/* Degrees of freedom that are assumed if clumps cannot be measured. */
#define FEW_DF 16

void
stat_spread_add(struct stat_spread *s, unsigned stretch, double part)
{
	unsigned i;

	for (i = 0; i < STAT_SCALES; i++) {
		unsigned length = 1u << i;

		s->part[i] += part;
		if ((stretch + 1) % length != 0)
			continue;
		if (stretch >= length) {
			double step = s->part[i] - s->last[i];

			s->sum[i] += step * step;
		}
		s->last[i] = s->part[i];
		s->part[i] = 0;
	}
}

struct stat_clump
stat_spread_clump(const struct stat_spread *s, double variance, double n,
    unsigned n_used)
{
	struct stat_clump c = { 1, FEW_DF };
	int is_first = 1;
	unsigned i;

	if (!(variance > 0))
		return c;
	for (i = 0; i < STAT_SCALES; i++) {
		double count = STAT_STRETCHES >> i;
		double steps = count - 1;
		double clump = s->sum[i] / 2 * count / steps / variance;

		if (n < MIN_SAMPLES * count || n_used < count / 2)
			continue;
		if (!is_first && clump <= c.clump)
			continue;
		is_first = 0;
		c.clump = clump > 1 ? clump : 1;
		/* Neighbouring steps share a stretch, which costs a third of
		 * the degrees of freedom. */
		c.df = steps * 2 / 3;
	}
	return c;
}
