/*
 * What differs between two profiles, and how sure one can be of it.
 *
 * A profile (bobbin/profile.h) has two sides: inputs added to side 0 are
 * before, those added to side 1 after.
 *
 *     bob_profile_add(p, "before.rbt", 0);
 *     bob_profile_add(p, "after.rbt", 1);
 *     bob_diff_new(p, NULL, &d);
 *     row = bob_diff_rows(d, BOB_BY_SELF, &n);
 *     for (i = 0; i < n; i++)
 *             ... bob_diff_key(d, row[i].key).text, row[i].self.delta ...
 *     bob_diff_free(d);
 *
 * Shares are compared, so that recordings of different length can be. Errors
 * take into account that samples come in clumps: how much the difference of a
 * share varies along the two recordings decides, not the bare number of
 * samples. Inputs without an order (folded stacks, pprof) show no clumps;
 * their samples are taken for independent. docs/diff.md has the formulas and
 * what simulations say about them.
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

/* What a share is a share of. */
enum bob_normalize {
	BOB_NORMALIZE_SAMPLES = 0,
	BOB_NORMALIZE_TIME /* samples weigh the time that they took */
};

struct bob_diff_opts {
	size_t size;   /* sizeof(struct bob_diff_opts) */
	int normalize; /* enum bob_normalize */
	int group;     /* as in struct bob_view_opts, also the next three */
	const char *annotation;
	uint32_t flags;
	const struct bob_filter *filter;
	/* Paths: how deep (0: any), and which share (0 .. 1) one must have on
	 * either side to be looked at. */
	uint32_t max_depth;
	double min_share;
};

/* BOB_OK and *ret, or FAILED. The profile must not change as long as the
 * result lives. NULL opts: all fields 0. */
BOB_API int bob_diff_new(struct bob_profile *p,
    const struct bob_diff_opts *opts, struct bob_diff **ret);
BOB_API void bob_diff_free(struct bob_diff *d);

enum bob_change_mark {
	BOB_CHANGE_NONE = 0,
	BOB_CHANGE_NEW, /* not in a single sample before */
	BOB_CHANGE_GONE /* not in a single sample after */
};

/* How the share of something changed. */
struct bob_change {
	struct bob_sum before, after;
	double share_before, share_after; /* 0 .. 1 */
	double delta;     /* share_after - share_before */
	double low, high; /* the 95 % interval of delta */
	/* The chance of a delta as large, up or down, when nothing changed;
	 * then, corrected for the number of tests, the part of false ones
	 * among all changes with a q this small. Both are 1 when there are
	 * too few samples to tell anything. */
	double p, q;
	double clumping; /* so many samples are worth an independent one */
	/*
	 * What it gained in parts of the whole profile before, if everything
	 * else takes as long as it did: delta / (1 - share_after). Where it
	 * has more than half of the profile that is very uncertain and
	 * delta / 0.5 stands for it. And its end of the interval.
	 */
	double growth, growth_high;
	int mark; /* enum bob_change_mark */
};

struct bob_diff_row {
	uint32_t key;
	struct bob_change self, total;
};

/*
 * Keys that have any samples, BOB_BY_SELF or BOB_BY_TOTAL: significant changes
 * (q at most 0.05) first, then by size, largest first, of equal ones the
 * lowest key. By self, keys without self are left out. Valid as long as d;
 * NULL for none.
 */
BOB_API const struct bob_diff_row *bob_diff_rows(const struct bob_diff *d,
    int order, size_t *ret_n);

/* A call path: what is called is a child. Path 0 is everything. */
struct bob_diff_path {
	uint32_t key, parent, depth;
	uint32_t first_child, next_sibling; /* 0: none */
	struct bob_sum self_before, self_after; /* paths left out are in the
	                                         * total of their parent */
	struct bob_change total;
};

/* Parents come before their children; of one parent the largest change is
 * first. Valid as long as d. */
BOB_API const struct bob_diff_path *bob_diff_paths(const struct bob_diff *d,
    size_t *ret_n);

/* As bob_view_key, for keys of rows and paths. */
BOB_API struct bob_key bob_diff_key(const struct bob_diff *d, uint32_t key);

enum bob_diff_order {
	BOB_DIFF_ORDERED = 0, /* clumps are measured */
	BOB_DIFF_NO_ORDER,    /* the format knows no order */
	BOB_DIFF_SORTED       /* the samples of each stack are together */
};

struct bob_diff_info {
	struct bob_sum total[2]; /* before, after */
	int order[2];            /* enum bob_diff_order */
	/* How many comparisons q is about. */
	size_t n_tested_self, n_tested_total, n_tested_paths;
};

BOB_API struct bob_diff_info bob_diff_info(const struct bob_diff *d);

/* ---- The gate ---------------------------------------------------------- */

/* What must not grow. */
struct bob_gate {
	double limit;        /* growth, as 0.05 */
	const char *pattern; /* of keys, as bob_view_match; NULL: all */
};

struct bob_gate_hit {
	size_t gate;  /* which one */
	uint32_t key;
	int order;    /* BOB_BY_SELF or BOB_BY_TOTAL: what grew */
	double p;     /* corrected for all tests of all gates (Holm) */
	struct bob_change change;
};

/* The chance of a false alarm that a call accepts, over all its tests. */
#define BOB_GATE_ALPHA 0.01

/*
 * The keys that have grown by the limit of a gate: growth is certain (p, one
 * sided and corrected, is at most BOB_GATE_ALPHA), and the 95 % interval of
 * the growth reaches the limit. What grew by itself comes before its callers,
 * the largest growth first; *ret is NULL for none, else free it with
 * bob_gate_hits_free. *ret_tested, unless NULL, is the
 * number of tests. BOB_OK, or FAILED (BOB_E_USAGE for a bad pattern).
 */
BOB_API int bob_diff_gate(struct bob_diff *d, const struct bob_gate *gate,
    size_t n_gates, struct bob_gate_hit **ret, size_t *ret_n,
    size_t *ret_tested);
BOB_API void bob_gate_hits_free(struct bob_gate_hit *hits);

#ifdef __cplusplus
}
#endif
#endif
