/*
 * The gate: which keys grew by more than a limit?
 *
 * Only keys whose share, in both sides together, is at least a quarter of the
 * limit are tested: others cannot have grown by it. This choice does not depend
 * on how samples are divided between the sides, so it favours neither answer.
 * Without it, the corrections for thousands of small functions would hide the
 * few that matter.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/diff.h"

#define CANDIDATE 0.25

struct tests {
	struct bob_gate_hit *hit;
	double *p;
	size_t n, cap_hit, cap_p;
};

static int
add_test(struct bob_diff *d, struct tests *t, size_t gate, uint32_t key,
    int order, const struct bob_change *c)
{
	if (MEM_GROW(d->ctx, t, hit, t->n + 1) < 0 ||
	    MEM_GROW(d->ctx, t, p, t->n + 1) < 0)
		return BOB_FATAL;
	t->hit[t->n] = (struct bob_gate_hit){ .gate = gate, .key = key,
		.order = order, .change = *c };
	/* One sided: only growth counts. */
	t->p[t->n++] = c->delta > 0 ? c->p / 2 : 1 - c->p / 2;
	return BOB_OK;
}

static int
is_candidate(const struct bob_diff *d, const struct bob_change *c,
    double limit)
{
	double n = (double)d->info.total[0].samples;
	double m = (double)d->info.total[1].samples;

	return n > 0 && m > 0 && diff_is_tested(c) &&
	    (c->share_before * n + c->share_after * m) / (n + m) >=
	        CANDIDATE * limit;
}

/* True if self equals total, as for leaves and for keys of samples. */
static int
is_self_total(const struct bob_diff_row *row)
{
	return row->self.before.samples == row->total.before.samples &&
	    row->self.after.samples == row->total.after.samples;
}

static int
add_tests(struct bob_diff *d, struct tests *t, const struct bob_gate *gate,
    size_t i, uint8_t *is)
{
	const struct bob_diff_row *row = d->row[BOB_BY_TOTAL];
	size_t k;
	int r = BOB_OK;

	if (gate->pattern != NULL &&
	    bob_view_match(d->view[1], gate->pattern, is) < 0)
		return BOB_FAILED;
	for (k = 0; r == BOB_OK && k < d->n_row[BOB_BY_TOTAL]; k++) {
		if (gate->pattern != NULL && !is[row[k].key])
			continue;
		if (is_candidate(d, &row[k].self, gate->limit))
			r = add_test(d, t, i, row[k].key, BOB_BY_SELF,
			    &row[k].self);
		if (r == BOB_OK && !is_self_total(&row[k]) &&
		    is_candidate(d, &row[k].total, gate->limit))
			r = add_test(d, t, i, row[k].key, BOB_BY_TOTAL,
			    &row[k].total);
	}
	return r;
}

/* Growth of self comes first: it explains the growth of its callers. */
static int
by_growth(const void *x, const void *y)
{
	const struct bob_gate_hit *a = x, *b = y;

	if (a->order != b->order)
		return a->order == BOB_BY_SELF ? -1 : 1;
	if (a->change.growth != b->change.growth)
		return a->change.growth > b->change.growth ? -1 : 1;
	if (a->gate != b->gate)
		return a->gate < b->gate ? -1 : 1;
	return a->key < b->key ? -1 : 1;
}

static int
judge_tests(const struct bob_diff *d, struct tests *t,
    const struct bob_gate *gate, size_t *ret_n)
{
	size_t i, n = 0;

	if (stat_holm(t->p, t->n, t->p) < 0)
		return err_nomem(d->ctx);
	for (i = 0; i < t->n; i++) {
		t->hit[i].p = t->p[i];
		if (t->p[i] <= BOB_GATE_ALPHA && t->hit[i].change.growth_high
		        >= gate[t->hit[i].gate].limit)
			t->hit[n++] = t->hit[i];
	}
	if (n > 1)
		qsort(t->hit, n, sizeof(*t->hit), by_growth);
	*ret_n = n;
	return BOB_OK;
}

int
bob_diff_gate(struct bob_diff *d, const struct bob_gate *gate, size_t n_gates,
    struct bob_gate_hit **ret, size_t *ret_n, size_t *ret_tested)
{
	struct tests t = { 0 };
	uint8_t *is = calloc((size_t)d->n_key + 1, 1);
	size_t i, n = 0;
	int r = is != NULL ? BOB_OK : err_nomem(d->ctx);

	for (i = 0; r == BOB_OK && i < n_gates; i++)
		r = add_tests(d, &t, &gate[i], i, is);
	if (r == BOB_OK)
		r = judge_tests(d, &t, gate, &n);
	if (r == BOB_OK && ret_tested != NULL)
		*ret_tested = t.n;
	free(is);
	free(t.p);
	if (r < 0 || n == 0) {
		free(t.hit);
		t.hit = NULL;
	}
	if (r < 0)
		return err_set_status(d->ctx, BOB_FAILED);
	*ret = t.hit;
	*ret_n = n;
	return BOB_OK;
}

void
bob_gate_hits_free(struct bob_gate_hit *hits)
{
	free(hits);
}
