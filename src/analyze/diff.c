/* Comparing the two sides of a profile, key by key; see bobbin/diff.h. */
#include "analyze/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With fewer independent samples on both sides together, no division of them
 * is significant. */
#define MIN_TESTED 6

/* If the rest of the profile is a smaller share, growth is computed with this
 * one. */
#define MIN_REST 0.5

static double
share_of(const struct bob_diff *d, struct bob_sum part, struct bob_sum whole)
{
	double n = (double)(d->normalize == BOB_NORMALIZE_TIME ? whole.time_us
	                                                       : whole.samples);
	double k = (double)(d->normalize == BOB_NORMALIZE_TIME ? part.time_us
	                                                       : part.samples);

	return n > 0 ? fmin(k / n, 1) : 0;
}

/* A share of time is as certain as the same share of the samples. */
static struct stat_share
stat_share_of(double share, struct bob_sum whole, struct stat_clump clump)
{
	double n = (double)whole.samples;

	return (struct stat_share){ share * n, n, clump.clump, clump.df };
}

static void
set_growth(struct bob_change *c)
{
	double rest = fmax(1 - c->share_after, MIN_REST);

	c->growth = c->delta / rest;
	c->growth_high = c->high / rest;
}

struct bob_change
diff_change(const struct bob_diff *d, struct bob_sum before,
    struct bob_sum after, struct stat_clump clump)
{
	const struct bob_sum *whole = d->info.total;
	struct bob_change c = { .before = before, .after = after,
		.clumping = clump.clump, .q = 1 };
	struct stat_share a, b;
	struct stat_delta delta;

	c.share_before = share_of(d, before, whole[0]);
	c.share_after = share_of(d, after, whole[1]);
	a = stat_share_of(c.share_before, whole[0], clump);
	b = stat_share_of(c.share_after, whole[1], clump);
	delta = stat_compare(&a, &b);
	c.delta = c.share_after - c.share_before;
	c.low = delta.low;
	c.high = delta.high;
	c.p = delta.p;
	set_growth(&c);
	if (before.samples == 0 && after.samples > 0)
		c.mark = BOB_CHANGE_NEW;
	else if (after.samples == 0 && before.samples > 0)
		c.mark = BOB_CHANGE_GONE;
	if (!diff_is_tested(&c))
		c.p = 1;
	return c;
}

int
diff_is_tested(const struct bob_change *c)
{
	/* NOLINT(clang-analyzer-security.ArrayBound): a field of one of n
	 * structs, see change_at. */
	return ((double)c->before.samples + (double)c->after.samples) /
	    c->clumping >= MIN_TESTED;
}

static struct bob_change *
change_at(const struct diff_tests *t, size_t i)
{
	return (struct bob_change *)(void *)((char *)t->first + i * t->stride);
}

/* Puts p of all tests into p, or takes q of all tests from p. Returns how many
 * there are. */
static size_t
each_test(struct diff_tests *v, size_t n, double *p, int takes, double least)
{
	size_t i, k, m = 0, before;

	for (i = 0; i < n; i++) {
		before = m;
		for (k = 0; k < v[i].n; k++) {
			struct bob_change *c = change_at(&v[i], k);

			if (!diff_is_tested(c) ||
			    diff_larger_share(c) < v[i].min_share)
				continue;
			if (takes) {
				c->q = fmax(p[m], least);
				c->is_significant = c->q <= BOB_SIGNIFICANT;
			} else {
				p[m] = c->p;
			}
			m++;
		}
		v[i].n_tested = m - before;
	}
	return m;
}

int
diff_correct(const struct bob_diff *d, struct diff_tests *v, size_t n,
    double least)
{
	size_t i, m = 0;
	double *p;
	int r;

	for (i = 0; i < n; i++)
		m += v[i].n;
	p = calloc(m > 0 ? m : 1, sizeof(*p));
	if (p == NULL)
		return err_nomem(d->ctx);
	m = each_test(v, n, p, 0, least);
	r = stat_fdr(p, m, p) < 0 ? err_nomem(d->ctx) : BOB_OK;
	if (r == BOB_OK)
		(void)each_test(v, n, p, 1, least);
	free(p);
	return r;
}

int
diff_compare(const struct bob_change *a, const struct bob_change *b)
{
	if (a->is_significant != b->is_significant)
		return a->is_significant ? -1 : 1;
	if (fabs(a->delta) != fabs(b->delta))
		return fabs(a->delta) > fabs(b->delta) ? -1 : 1;
	return 0;
}

static int
by_self(const void *x, const void *y)
{
	const struct bob_diff_row *a = x, *b = y;
	int r = diff_compare(&a->self, &b->self);

	return r != 0 ? r : a->key < b->key ? -1 : 1;
}

static int
by_total(const void *x, const void *y)
{
	const struct bob_diff_row *a = x, *b = y;
	int r = diff_compare(&a->total, &b->total);

	return r != 0 ? r : a->key < b->key ? -1 : 1;
}

/* The keys that have samples on either side. */
static size_t
pick_rows(const struct bob_diff *d, const struct diff_clumps *c,
    struct bob_diff_row *to)
{
	uint32_t key;
	size_t n = 0;

	for (key = 1; key < d->n_key; key++) {
		struct bob_row a = bob_view_row(d->view[0], key);
		struct bob_row b = bob_view_row(d->view[1], key);

		if (a.total.samples == 0 && b.total.samples == 0)
			continue;
		to[n].key = key;
		to[n].self = diff_change(d, a.self, b.self, c->self[key]);
		to[n++].total = diff_change(d, a.total, b.total,
		    c->total[key]);
	}
	return n;
}

/* Self and total answer one question, so they are one family of tests. */
static int
correct_rows(struct bob_diff *d, struct bob_diff_row *row, size_t n)
{
	struct diff_tests v[] = {
		{ .first = &row->self, .n = n, .stride = sizeof(*row) },
		{ .first = &row->total, .n = n, .stride = sizeof(*row) },
	};
	size_t i;
	int r = diff_correct(d, v, 2, 0);

	d->info.n_tested_self = v[0].n_tested;
	d->info.n_tested_total = v[1].n_tested;
	d->surest = 1;
	for (i = 0; i < n; i++)
		d->surest = fmin(d->surest, fmin(row[i].self.q,
		    row[i].total.q));
	return r;
}

static int
make_rows(struct bob_diff *d, const struct diff_clumps *c)
{
	struct bob_diff_row *self, *total;
	size_t i, n, n_self = 0;

	self = d->row[BOB_BY_SELF] = calloc(d->n_key, sizeof(*self));
	total = d->row[BOB_BY_TOTAL] = calloc(d->n_key, sizeof(*total));
	d->row_of = calloc(d->n_key, sizeof(*d->row_of));
	if (self == NULL || total == NULL || d->row_of == NULL)
		return err_nomem(d->ctx);
	n = pick_rows(d, c, total);
	if (correct_rows(d, total, n) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (total[i].self.before.samples > 0 ||
		    total[i].self.after.samples > 0)
			self[n_self++] = total[i];
	qsort(self, n_self, sizeof(*self), by_self);
	qsort(total, n, sizeof(*total), by_total);
	for (i = 0; i < n; i++)
		d->row_of[total[i].key] = (uint32_t)i + 1;
	d->n_row[BOB_BY_SELF] = n_self;
	d->n_row[BOB_BY_TOTAL] = n;
	return BOB_OK;
}

static int
open_views(struct bob_diff *d, struct bob_profile *p,
    const struct bob_diff_opts *o)
{
	struct bob_view_opts v = { .size = sizeof(v), .group = o->group,
		.annotation = o->annotation, .flags = o->flags,
		.shape = o->shape, .n_shapes = o->n_shapes };
	int side;

	for (side = 0; side < 2; side++) {
		v.side = o->before != NULL ? 0 : side;
		v.filter = side == 0 && o->before != NULL ? o->before
		                                          : o->filter;
		if (bob_view_new(p, &v, &d->view[side]) < 0)
			return BOB_FAILED;
		d->info.total[side] = bob_view_total(d->view[side]);
	}
	/* The second view also has the stacks that hiding made for the
	 * first. */
	d->n_key = d->view[1]->n_key;
	d->n_node = d->view[1]->n_node;
	return BOB_OK;
}

static int
diff_sides(struct bob_diff *d, const struct bob_diff_opts *o)
{
	struct diff_clumps c = { 0 };
	int r = diff_clumps_find(d, &c);

	if (r == BOB_OK)
		r = make_rows(d, &c);
	if (r == BOB_OK)
		r = diff_paths_find(d, &c, o);
	if (r == BOB_OK)
		r = diff_verdict_find(d, &c);
	diff_clumps_done(&c);
	return r;
}

static int
add_up_times(struct bob_diff *d, struct bob_profile *p,
    const struct bob_diff_opts *o)
{
	int i, r = BOB_OK;

	for (i = 0; r == BOB_OK && i < 2; i++) {
		d->info.times[i].size = sizeof(d->info.times[i]);
		r = bob_profile_times(p, d->view[i]->side, i == 0 &&
		    o->before != NULL ? o->before : o->filter,
		    &d->info.times[i]);
	}
	return r;
}

int
bob_diff_new(struct bob_profile *p, const struct bob_diff_opts *opts,
    struct bob_diff **ret)
{
	struct bob_diff_opts o = { 0 };
	struct bob_diff *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return err_nomem(p->ctx), BOB_FAILED;
	if (opts != NULL)
		memcpy(&o, opts, opts->size < sizeof(o) ? opts->size :
		    sizeof(o));
	d->ctx = p->ctx;
	d->normalize = o.normalize;
	if (open_views(d, p, &o) < 0 || diff_sides(d, &o) < 0 ||
	    add_up_times(d, p, &o) < 0) {
		bob_diff_free(d);
		return err_set_status(p->ctx, BOB_FAILED);
	}
	*ret = d;
	return BOB_OK;
}

void
bob_diff_free(struct bob_diff *d)
{
	if (d == NULL)
		return;
	bob_view_free(d->view[0]);
	bob_view_free(d->view[1]);
	free(d->row[0]);
	free(d->row[1]);
	free(d->row_of);
	free(d->text);
	free(d->path);
	free(d);
}

const struct bob_diff_row *
bob_diff_rows(const struct bob_diff *d, int order, size_t *ret_n)
{
	int i = order == BOB_BY_SELF ? BOB_BY_SELF : BOB_BY_TOTAL;

	*ret_n = d->n_row[i];
	return d->n_row[i] > 0 ? d->row[i] : NULL;
}

const struct bob_diff_row *
bob_diff_row(const struct bob_diff *d, uint32_t key)
{
	if (key >= d->n_key || d->row_of[key] == 0)
		return NULL;
	return &d->row[BOB_BY_TOTAL][d->row_of[key] - 1];
}

struct bob_verdict
bob_diff_verdict(const struct bob_diff *d)
{
	return d->verdict;
}

const struct bob_diff_path *
bob_diff_paths(const struct bob_diff *d, size_t *ret_n)
{
	*ret_n = d->n_path;
	return d->path;
}

struct bob_key
bob_diff_key(const struct bob_diff *d, uint32_t key)
{
	return bob_view_key(d->view[1], key);
}

struct bob_diff_info
bob_diff_info(const struct bob_diff *d)
{
	return d->info;
}
