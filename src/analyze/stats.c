/* Student's t, comparison of two shares, corrections for many tests. */
#include "analyze/stats.h"

#include <math.h>
#include <stdlib.h>

/* With fewer samples than this in both shares together, the exact test is
 * used. */
#define FEW 20

/* ---- Student's t ------------------------------------------------------- */

/* The continued fraction of the incomplete beta function (Lentz's way of
 * evaluating it); converges quickly for x < (a + 1) / (a + b + 2). */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;
	int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) *
		    (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) *
		    (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

/* The regularised incomplete beta function. */
static double
beta_inc(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double
stat_t_tail(double t, double df)
{
	if (t < 0)
		return 1 - stat_t_tail(-t, df);
	/* Above this t and the normal distribution agree to nine digits, and
	 * lgamma is no longer exact. */
	if (!(df < 1e8))
		return 0.5 * erfc(t / sqrt(2));
	return 0.5 * beta_inc(df / 2, 0.5, df / (df + t * t));
}

double
stat_t_quantile(double tail, double df)
{
	double low = 0, high = 1;
	int i;

	while (stat_t_tail(high, df) > tail && high < 1e12)
		high *= 2;
	for (i = 0; i < 100 && high - low > 1e-12 * high; i++) {
		double mid = (low + high) / 2;

		if (stat_t_tail(mid, df) > tail)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/*
 * The quantile for the 95 % interval. It is needed for every row, so from 12
 * degrees of freedom on it is computed by an expansion in powers of 1 / df
 * around the normal quantile, which is exact to five digits there.
 */
static double
interval_quantile(double df)
{
	static const double c[] = { 1.959963984540054, 2.372271230299,
		2.822498615740, 2.555849679508, 1.589534053394 };
	double t = 0;
	size_t i;

	if (df < 12)
		return stat_t_quantile(0.025, df);
	for (i = sizeof(c) / sizeof(c[0]); i-- > 0;)
		t = t / df + c[i];
	return t;
}

/* ---- Two shares -------------------------------------------------------- */

static double
share(const struct stat_share *s)
{
	return s->k / s->n;
}

static double
effective(const struct stat_share *s)
{
	return s->n / s->clump;
}

static double
variance(const struct stat_share *s)
{
	return share(s) * (1 - share(s)) / effective(s);
}

/* Welch and Satterthwaite's: of a sum of two estimated variances. */
static double
joint_df(const struct stat_share *a, const struct stat_share *b)
{
	double va = variance(a), vb = variance(b);
	double below = va * va / a->df + vb * vb / b->df;

	return below > 0 ? (va + vb) * (va + vb) / below : INFINITY;
}

/* How far Wilson's interval reaches below (-1) or above (1) a share. */
static double
reach(const struct stat_share *s, double z, double sign)
{
	double n = effective(s), p = share(s), zz = z * z / n;
	double end = (p + zz / 2 + sign * z *
	    sqrt(p * (1 - p) / n + zz / (4 * n))) / (1 + zz);

	end = end < 0 ? 0 : end > 1 ? 1 : end;
	return fabs(end - p);
}

/*
 * Of x + y rare events, x where there are n places and y where there are m:
 * how likely is a division at least as uneven when all places are alike? The
 * division itself counts half (mid-p).
 */
static double
exact_p(double x, double y, double n, double m)
{
	double all = x + y, low = 0, at = 0;
	double one = log(n / (n + m)), other = log(m / (n + m));
	size_t k;

	for (k = 0; (double)k <= x; k++) {
		double i = (double)k;
		double p = exp(lgamma(all + 1) - lgamma(i + 1) -
		    lgamma(all - i + 1) + i * one + (all - i) * other);

		low += at;
		at = p;
	}
	low += at / 2;
	return fmin(1, 2 * fmin(low, fmax(0, 1 - low)));
}

static double
score_p(const struct stat_share *a, const struct stat_share *b)
{
	double n = effective(a), m = effective(b);
	double p = (share(a) * n + share(b) * m) / (n + m);
	double v = p * (1 - p) * (1 / n + 1 / m);

	if (v <= 0)
		return 1;
	return fmin(1, 2 * stat_t_tail(fabs(share(b) - share(a)) / sqrt(v),
	    joint_df(a, b)));
}

/* Effective counts are no integers: they are rounded for the exact test. */
static double
p_value(const struct stat_share *a, const struct stat_share *b)
{
	double n = effective(a), m = effective(b);
	double x = round(share(a) * n), y = round(share(b) * m);
	double not_x = round((1 - share(a)) * n);
	double not_y = round((1 - share(b)) * m);

	if (x + y < FEW)
		return exact_p(x, y, n, m);
	if (not_x + not_y < FEW)
		return exact_p(not_x, not_y, n, m);
	return score_p(a, b);
}

struct stat_delta
stat_compare(const struct stat_share *a, const struct stat_share *b)
{
	struct stat_delta d = { 0, -1, 1, 1 };
	double z;

	if (!(a->n > 0) || !(b->n > 0))
		return d;
	z = interval_quantile(joint_df(a, b));
	d.delta = share(b) - share(a);
	d.low = d.delta - hypot(reach(b, z, -1), reach(a, z, 1));
	d.high = d.delta + hypot(reach(b, z, 1), reach(a, z, -1));
	d.low = fmax(d.low, -1);
	d.high = fmin(d.high, 1);
	d.p = p_value(a, b);
	return d;
}

/* ---- Many tests -------------------------------------------------------- */

struct ranked {
	double p;
	size_t i;
};

static int
by_p(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return a->i < b->i ? -1 : 1;
}

static struct ranked *
rank(const double *p, size_t n)
{
	struct ranked *r = calloc(n > 0 ? n : 1, sizeof(*r));
	size_t i;

	if (r == NULL)
		return NULL;
	for (i = 0; i < n; i++)
		r[i] = (struct ranked){ p[i], i };
	qsort(r, n, sizeof(*r), by_p);
	return r;
}

int
stat_fdr(const double *p, size_t n, double *ret)
{
	struct ranked *r = rank(p, n);
	double q = 1;
	size_t i;

	if (r == NULL)
		return -1;
	for (i = n; i > 0; i--) {
		q = fmin(q, r[i - 1].p * (double)n / (double)i);
		ret[r[i - 1].i] = q;
	}
	free(r);
	return 0;
}

int
stat_holm(const double *p, size_t n, double *ret)
{
	struct ranked *r = rank(p, n);
	double worst = 0;
	size_t i;

	if (r == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		worst = fmax(worst, fmin(1, r[i].p * (double)(n - i)));
		ret[r[i].i] = worst;
	}
	free(r);
	return 0;
}
