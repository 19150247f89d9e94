/*
 * Statistics of shares: how sure one can be that a part of the samples has
 * grown. Pure functions of numbers; nothing here knows about profiles.
 *
 * Samples of a program are not independent: a slow request is seen many times
 * in a row. A share of n samples that come in clumps of c is as uncertain as
 * one of n / c independent samples, and everything here works with these
 * effective numbers. How large clumps are is itself an estimate, with degrees
 * of freedom, which is why quantiles are Student's and not the normal ones.
 */
#ifndef ANALYZE_STATS_H
#define ANALYZE_STATS_H

#include <stddef.h>

/* The chance of Student's t with df degrees of freedom (INFINITY: of a normal
 * number) to be above t, and the t above which it is with a chance of 0 <
 * tail <= 0.5. */
double stat_t_tail(double t, double df);
double stat_t_quantile(double tail, double df);

/* k of n samples that come in clumps. */
struct stat_share {
	double k, n;
	double clump; /* at least 1 */
	double df;    /* of clump; INFINITY: it is known */
};

/* b's share against a's. */
struct stat_delta {
	double delta;     /* difference of the shares */
	double low, high; /* its 95 % interval */
	double p;         /* chance of as large a difference, in either
	                   * direction, when nothing has changed */
};

/* Newcombe's hybrid of Wilson's score intervals, and the score test of two
 * proportions; an exact test (mid-p) where counts are small. When a side is
 * empty, nothing is known: p is 1. */
struct stat_delta stat_compare(const struct stat_share *a,
    const struct stat_share *b);

struct stat_clump {
	double clump, df;
};

/* Stretches that recordings are cut into, and how often they are joined in
 * pairs. */
#define STAT_STRETCHES 128u
#define STAT_SCALES 4u

/*
 * How much a difference of two shares varies by itself, from its parts in
 * STAT_STRETCHES stretches that follow each other: zero it, add each part in
 * turn, then ask. A part is what the stretch contributes to the difference of
 * the shares, less what it would when nothing varied.
 *
 * Parts are compared with their neighbours, not with their mean, and those of
 * two recordings come together: the phases of a program (it loads, it works,
 * it writes) come at about the same places in both and cancel, unlike clumps.
 * Short stretches give more neighbours and a better estimate, long ones see
 * longer clumps, so that several lengths are tried and the largest variance
 * counts. Clumps up to about a hundredth of the recording are seen in full.
 */
struct stat_spread {
	double part[STAT_SCALES], last[STAT_SCALES], sum[STAT_SCALES];
};

void stat_spread_add(struct stat_spread *s, unsigned stretch, double part);

/* `variance` is that of the difference when samples are independent, n the
 * number of samples on the smaller side, n_used of its stretches that have
 * any. */
struct stat_clump stat_spread_clump(const struct stat_spread *s,
    double variance, double n, unsigned n_used);

/*
 * Corrections for n tests at once, from p to ret, which may be the same
 * array: Benjamini and Hochberg's q (the share of false ones among all that
 * have a q this small), and Holm's p (the chance that any is false). 0, or -1
 * without memory.
 */
int stat_fdr(const double *p, size_t n, double *ret);
int stat_holm(const double *p, size_t n, double *ret);

#endif
