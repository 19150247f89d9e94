/*
 * The inside of a comparison. Both sides are views with the same keys and the
 * same grouped stacks (nodes), so a key or node has the same number in both.
 */
#ifndef ANALYZE_DIFF_H
#define ANALYZE_DIFF_H

#include <bobbin/diff.h>

#include "analyze/stats.h"
#include "analyze/view.h"

struct bob_diff {
	struct bob_ctx *ctx;
	struct bob_view *view[2];
	int normalize;
	uint32_t n_key, n_node;
	struct bob_diff_row *row[2]; /* by enum bob_order */
	size_t n_row[2];
	uint32_t *row_of; /* by key: where its row is in row[BOB_BY_TOTAL], + 1;
	                   * 0: it has none */
	struct bob_diff_path *path;
	size_t n_path;
	struct bob_diff_info info;
	double surest; /* smallest q of a row */
	struct bob_verdict verdict;
	char *text; /* of the verdict */
};

/* The clumping of everything that is compared. */
struct diff_clumps {
	struct stat_clump *self, *total; /* by key */
	struct stat_clump *path;         /* by node */
};

/* diff_clumps.c: measures the clumping and sets d->info.order. Returns BOB_OK
 * or FATAL. Call diff_clumps_done in either case. */
int diff_clumps_find(struct bob_diff *d, struct diff_clumps *c);
void diff_clumps_done(struct diff_clumps *c);

/* diff_paths.c: sets d->path. Returns BOB_OK or FATAL. */
int diff_paths_find(struct bob_diff *d, const struct diff_clumps *c,
    const struct bob_diff_opts *o);

/* diff_verdict.c: sets d->verdict. `c` holds the clumping of keys. Returns
 * BOB_OK or FATAL. */
int diff_verdict_find(struct bob_diff *d, const struct diff_clumps *c);

/* Returns the change between two sums, before and after. */
struct bob_change diff_change(const struct bob_diff *d,
    struct bob_sum before, struct bob_sum after, struct stat_clump clump);

/* Changes of one kind, `stride` bytes apart. */
struct diff_tests {
	struct bob_change *first;
	size_t n, stride;
	double min_share; /* smaller ones on both sides are not tested */
	size_t n_tested; /* set by diff_correct */
};

/* Sets q and is_significant of changes, as one family of tests; no q becomes
 * smaller than `least`. Returns BOB_OK or FATAL. */
int diff_correct(const struct bob_diff *d, struct diff_tests *v, size_t n,
    double least);

/* True if there are enough samples for a test. */
int diff_is_tested(const struct bob_change *c);

static inline double
diff_larger_share(const struct bob_change *c)
{
	return c->share_before > c->share_after ? c->share_before
	                                        : c->share_after;
}

/* Compares changes for qsort, in the order of bob_diff_rows. */
int diff_compare(const struct bob_change *a, const struct bob_change *b);

static inline struct bob_sum
diff_self(const struct bob_diff *d, int side, bob_stack node)
{
	const struct bob_view *v = d->view[side];

	return node < v->n_node ? v->self[node] : (struct bob_sum){ 0, 0 };
}

static inline struct bob_sum
diff_total(const struct bob_diff *d, int side, bob_stack node)
{
	const struct bob_view *v = d->view[side];

	return node < v->n_node ? v->total[node] : (struct bob_sum){ 0, 0 };
}

#endif
