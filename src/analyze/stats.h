/*
 * Statistics of shares: how certain it is that a share of the samples has
 * grown. Pure functions of numbers, without profiles.
 *
 * Samples of a program are not independent: a slow request is sampled many
 * times in a row. A share of n samples in clumps of c is as uncertain as one of
 * n / c independent samples. All functions use these effective numbers. The
 * size of clumps is itself an estimate with degrees of freedom, so quantiles
 * are those of Student's t, not of the normal distribution.
 */
#ifndef ANALYZE_STATS_H
#define ANALYZE_STATS_H

#include <stddef.h>

/* Student's t with df degrees of freedom (INFINITY: the normal distribution):
 * the probability of a value above t; and the t that is exceeded with the
 * probability `tail`, 0 < tail <= 0.5. */
double stat_t_tail(double t, double df);
double stat_t_quantile(double tail, double df);

/* k of n samples that come in clumps. */
struct stat_share {
	double k, n;
	double clump; /* at least 1 */
	double df;    /* of clump; INFINITY: it is exact */
};

/* The share of b minus the share of a. */
struct stat_delta {
	double delta;     /* difference of the shares */
	double low, high; /* its 95 % interval */
	double p;         /* probability of a difference this large, in either
	                   * direction, if nothing has changed */
};

/* Compares two shares: Newcombe's hybrid of Wilson's score intervals, and the
 * score test of two proportions, or an exact test (mid-p) for small counts. If
 * a side is empty, p is 1. */
struct stat_delta stat_compare(const struct stat_share *a,
    const struct stat_share *b);

struct stat_clump {
	double clump, df;
};

/* The number of stretches that a recording is cut into, and of scales: on each
 * further scale, pairs of stretches are joined. */
#define STAT_STRETCHES 128u
#define STAT_SCALES 4u

/*
 * Measures how much a difference of two shares varies along the recordings,
 * from its parts in STAT_STRETCHES successive stretches. Set it to zeros, add
 * the part of each stretch in turn, then call stat_spread_clump. A part is what
 * the stretch contributes to the difference of the shares, minus what it would
 * contribute without variation.
 *
 * Parts are compared with their neighbours, not with the mean, and the two
 * recordings are measured together. So the phases of a program (it loads, it
 * works, it writes), which come at about the same places in both, cancel;
 * clumps do not. Short stretches give more neighbours and a better estimate,
 * long ones see longer clumps. So several lengths are tried, and the largest
 * variance counts. Clumps up to about a hundredth of the recording are measured
 * fully.
 */
struct stat_spread {
	double part[STAT_SCALES], last[STAT_SCALES], sum[STAT_SCALES];
};

void stat_spread_add(struct stat_spread *s, unsigned stretch, double part);

/* Returns the clumping. `variance` is that of the difference with independent
 * samples; n is the number of samples on the smaller side, n_used the number of
 * its stretches that have samples. */
struct stat_clump stat_spread_clump(const struct stat_spread *s,
    double variance, double n, unsigned n_used);

/*
 * Correct the p values of n tests; ret may be p. stat_fdr gives Benjamini and
 * Hochberg's q: the expected share of false positives among all tests with a q
 * this small. stat_holm gives Holm's p: the probability of any false positive.
 * Return 0; -1 without memory.
 */
int stat_fdr(const double *p, size_t n, double *ret);
int stat_holm(const double *p, size_t n, double *ret);

#endif
