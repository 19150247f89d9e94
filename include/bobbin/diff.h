/*
 * Comparing two recordings: what changed, and how certain that is.
 *
 * A profile (bobbin/profile.h) has two sides. Inputs of side 0 are "before",
 * inputs of side 1 are "after".
 *
 *     bob_profile_add(p, "before.rbt", 0);
 *     bob_profile_add(p, "after.rbt", 1);
 *     bob_diff_new(p, NULL, &d);
 *     row = bob_diff_rows(d, BOB_BY_SELF, &n);
 *     for (i = 0; i < n; i++)
 *             ... bob_diff_key(d, row[i].key).text, row[i].self.delta ...
 *     bob_diff_free(d);
 *
 * The comparison is one of shares, so the recordings may differ in length.
 * Samples come in clumps: a slow request is sampled many times in a row. So the
 * error of a difference is measured by how much it varies along the two
 * recordings, not by the number of samples alone. Inputs without an order
 * (folded stacks, pprof) show no clumps, and their samples are assumed to be
 * independent. docs/diff.md has the formulas and simulations of them.
 *
 * Threads: a comparison belongs to the thread of its profile's context.
 */
#ifndef BOBBIN_DIFF_H
#define BOBBIN_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/filter.h>
#include <bobbin/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bob_diff;

/* The unit that shares are computed in. */
enum bob_normalize {
	BOB_NORMALIZE_SAMPLES = 0,
	BOB_NORMALIZE_TIME /* a sample weighs its time */
};

struct bob_diff_opts {
	size_t size;   /* sizeof(struct bob_diff_opts) */
	int normalize; /* enum bob_normalize */
	/* As in struct bob_view_opts. */
	int group;
	const char *annotation;
	uint32_t flags;
	const struct bob_filter *filter;
	/* Paths: the largest depth (0: any), and the smallest share (0 to 1)
	 * that a path must have on one of the sides. Others are left out. */
	uint32_t max_depth;
	double min_share;
	/* Paths with a smaller share on both sides are not tested, so that they
	 * do not weaken the tests of others. */
	double min_tested;
	/* As in struct bob_view_opts. */
	const struct bob_shape *shape;
	size_t n_shapes;
	/* Compares two selections of one side instead: samples of side 0 that
	 * pass this filter are "before", and those that pass `filter` are
	 * "after". NULL: compares the sides. */
	const struct bob_filter *before;
};

/* Compares the two sides of a profile. Returns BOB_OK and sets *ret, or FAILED
 * (BOB_E_USAGE for a bad pattern or grouping). NULL opts: all fields 0. The
 * profile must outlive the result and must not change meanwhile. */
BOB_API int bob_diff_new(struct bob_profile *p,
    const struct bob_diff_opts *opts, struct bob_diff **ret);

/* Frees a comparison with everything that it returned. NULL is allowed. */
BOB_API void bob_diff_free(struct bob_diff *d);

enum bob_change_mark {
	BOB_CHANGE_NONE = 0,
	BOB_CHANGE_NEW, /* no sample before, some after */
	BOB_CHANGE_GONE /* some samples before, none after */
};

/* The largest q of a change that is called significant. If nothing changed,
 * this is also the probability that a comparison calls anything significant. */
#define BOB_SIGNIFICANT 0.05

/* How the share of a key or path changed. */
struct bob_change {
	struct bob_sum before, after;
	double share_before, share_after; /* 0 to 1 */
	double delta;     /* share_after - share_before */
	double low, high; /* 95 % confidence interval of delta */
	/* p is the probability of a delta this large, in either direction, if
	 * nothing changed. q is p corrected for the number of tests: the
	 * expected part of false positives among all changes with a q this
	 * small. Both are 1 if there are too few samples for a test. */
	double p, q;
	/* q is at most BOB_SIGNIFICANT: show a colour. Anything else is noise
	 * until more samples say otherwise: show it in grey. */
	int is_significant;
	double clumping; /* this many samples are worth one independent one */
	/*
	 * How much it grew, as a part of the whole profile before, if the rest
	 * takes as long as it did: delta / (1 - share_after). That is very
	 * uncertain if it has more than half of the profile; then growth is
	 * delta / 0.5. growth_high is the upper end of the 95 % interval.
	 */
	double growth, growth_high;
	int mark; /* enum bob_change_mark */
};

struct bob_diff_row {
	uint32_t key;
	struct bob_change self, total;
};

/*
 * Returns the *ret_n keys that have samples, in the order BOB_BY_SELF or
 * BOB_BY_TOTAL: first significant changes, then the others; within these the
 * largest |delta| first, then the lowest key. BOB_BY_SELF leaves out keys
 * without self samples. NULL if there are none. Valid until bob_diff_free.
 *
 * q corrects for the tests of self and total together, so that both orders
 * answer one question: did anything change?
 */
BOB_API const struct bob_diff_row *bob_diff_rows(const struct bob_diff *d,
    int order, size_t *ret_n);

/*
 * Returns the row of a key; NULL if it has no samples on either side. Keys are
 * those of views (bob_view_new) of the same profile with the same grouping,
 * annotation and flags. So a program that shows views looks up here whether a
 * key changed, by how much (delta, low, high), and in which colour it belongs
 * (is_significant). Valid until bob_diff_free.
 */
BOB_API const struct bob_diff_row *bob_diff_row(const struct bob_diff *d,
    uint32_t key);

/* A call path. Its children are the paths of what it calls. Path 0 is the root;
 * its total is that of the whole profile. No path has a smaller q than the
 * surest row: if no function changed, no path did. */
struct bob_diff_path {
	uint32_t key, parent, depth;
	uint32_t first_child, next_sibling; /* 0: none */
	struct bob_sum self_before, self_after;
	struct bob_change total; /* with paths below that are left out */
};

/* Returns the *ret_n paths. A parent comes before its children. The children
 * of a parent are linked in order of their change, largest first. Valid until
 * bob_diff_free. */
BOB_API const struct bob_diff_path *bob_diff_paths(const struct bob_diff *d,
    size_t *ret_n);

/* As bob_view_key, for keys of rows and paths. */
BOB_API struct bob_key bob_diff_key(const struct bob_diff *d, uint32_t key);

/* What is known about the order of the samples of a side. */
enum bob_diff_order {
	BOB_DIFF_ORDERED = 0, /* known: clumps are measured */
	BOB_DIFF_NO_ORDER,    /* the format does not store it */
	BOB_DIFF_SORTED       /* the samples of each stack are together, so
	                       * the order means nothing */
};

struct bob_diff_info {
	struct bob_sum total[2]; /* before, after */
	int order[2];            /* enum bob_diff_order */
	/* Number of tests of each kind. q of self and of total is corrected
	 * for those of both. */
	size_t n_tested_self, n_tested_total, n_tested_paths;
	struct bob_times times[2]; /* of what is compared */
};

BOB_API struct bob_diff_info bob_diff_info(const struct bob_diff *d);

/* ---- The verdict ------------------------------------------------------- */

/*
 * What a person wants to know first. All outputs and screens say it in the
 * words of `text`.
 */
struct bob_verdict {
	size_t n_keys;    /* with samples on either side */
	size_t n_changed; /* of these, by self or by total, significantly */
	/* The key that changed most: by self, unless a key with all that it
	 * calls changed by half as much again, or grew while this one shrank.
	 * 0 if nothing changed. */
	uint32_t key;
	int order; /* BOB_BY_SELF or BOB_BY_TOTAL: what changed */
	/* A change of the largest key that would have been found nine times in
	 * ten, as a share (0.02: 2 points). 1 if there are too few samples. */
	double findable;
	/* A sentence or two, in UTF-8 unless names are not. Names are those of
	 * the input: make them safe. Valid until bob_diff_free. */
	const char *text;
};

BOB_API struct bob_verdict bob_diff_verdict(const struct bob_diff *d);

/* ---- Pages and pictures ------------------------------------------------ */

/* Everything is borrowed during the call. */
struct bob_diff_output {
	size_t size;    /* sizeof(struct bob_diff_output) */
	const char *to; /* format: html or flamegraph */
	const struct bob_target *output;
	const struct bob_option *options; /* of the format */
	size_t n_options;
	const char *name[2]; /* of before and after; NULL: not told */
};

/* Writes a comparison as a page or picture. It must group by frames, not by
 * properties of samples. It draws all its paths, with what was found here: what
 * is not significant is grey. Returns BOB_OK, or FAILED (BOB_E_USAGE for a
 * format that shows no comparisons, or for an option of it). */
BOB_API int bob_diff_write(const struct bob_diff *d,
    const struct bob_diff_output *o);

/* ---- The gate ---------------------------------------------------------- */

/* A limit on growth, for continuous integration. */
struct bob_gate {
	double limit;        /* largest allowed growth, such as 0.05 */
	const char *pattern; /* of keys, as in bob_view_match; NULL: all */
};

/* A key that grew too much. */
struct bob_gate_hit {
	size_t gate;  /* index of the gate */
	uint32_t key;
	int order;    /* BOB_BY_SELF or BOB_BY_TOTAL: what grew */
	double p;     /* corrected for all tests of all gates (Holm) */
	struct bob_change change;
};

/* The accepted probability of a false alarm, over all tests of one call. */
#define BOB_GATE_ALPHA 0.01

/*
 * Finds the keys that grew more than a gate allows. Two conditions must hold:
 * p (one-sided, corrected) is at most BOB_GATE_ALPHA, and growth_high reaches
 * the limit. Keys whose self grew come before those whose total grew; within
 * these the largest growth comes first.
 *
 * Returns BOB_OK and sets *ret and *ret_n: *ret is NULL if there are none, else
 * free it with bob_gate_hits_free. *ret_tested, unless NULL, is set to the
 * number of tests. Returns FAILED on failure (BOB_E_USAGE for a bad pattern).
 */
BOB_API int bob_diff_gate(struct bob_diff *d, const struct bob_gate *gate,
    size_t n_gates, struct bob_gate_hit **ret, size_t *ret_n,
    size_t *ret_tested);
BOB_API void bob_gate_hits_free(struct bob_gate_hit *hits);

#ifdef __cplusplus
}
#endif
#endif
