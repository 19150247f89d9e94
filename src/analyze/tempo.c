/* Estimating the period of a trace from gaps; see the header. */
#include "analyze/tempo.h"

/* Neighbouring sizes that count as the same size, because a sampler is
 * sometimes late. */
#define NEAR 1
/* How many larger sizes may be the period instead of the smallest one that is
 * frequent enough: all are less than twice as long. */
#define REACH 6

/* Returns the size of a gap. Below 2^3 us each microsecond is a size. */
static unsigned
gap_size(uint64_t gap)
{
	unsigned octave = 63 - (unsigned)__builtin_clzll(gap);

	if (octave < 3)
		return (unsigned)gap;
	return (octave - 2) * TEMPO_STEPS +
	    (unsigned)(gap >> (octave - 3)) - TEMPO_STEPS;
}

void
tempo_add(struct tempo *t, uint64_t gap)
{
	unsigned i;

	if (gap == 0 || gap > TEMPO_LONGEST || t->n >= TEMPO_ENOUGH)
		return;
	i = gap_size(gap);
	t->n++;
	t->size[i].n++;
	t->size[i].sum += gap;
}

/* Returns the number of gaps of about this size, and sets *sum to their sum. */
static uint32_t
gaps_about(const struct tempo *t, unsigned i, uint64_t *sum)
{
	unsigned k = i < NEAR ? 0 : i - NEAR;
	uint32_t n = 0;

	for (*sum = 0; k <= i + NEAR && k < TEMPO_SIZES; k++) {
		n += t->size[k].n;
		*sum += t->size[k].sum;
	}
	return n;
}

/* Returns the size with the most gaps, of from..to; the smallest of equal
 * ones. */
static unsigned
most_frequent(const struct tempo *t, unsigned from, unsigned to)
{
	unsigned i, best = from;
	uint64_t sum;

	for (i = from; i <= to && i < TEMPO_SIZES; i++)
		if (gaps_about(t, i, &sum) > gaps_about(t, best, &sum))
			best = i;
	return best;
}

uint64_t
tempo_period(const struct tempo *t)
{
	uint64_t sum;
	uint32_t most = gaps_about(t, most_frequent(t, 0, TEMPO_SIZES - 1),
	    &sum);
	unsigned i = 0;

	if (most < TEMPO_LEAST)
		return 0;
	while (gaps_about(t, i, &sum) < TEMPO_LEAST ||
	    2 * gaps_about(t, i, &sum) < most)
		i++;
	i = most_frequent(t, i, i + REACH);
	most = gaps_about(t, i, &sum);
	/* NOLINT(clang-analyzer-core.DivideZero): it is at least that of the i
	 * before, which is TEMPO_LEAST or more. */
	return (sum + most / 2) / most;
}
