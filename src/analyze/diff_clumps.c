/*
 * Measuring how clumped the samples of two recordings are, for every key and
 * node. Both recordings are cut into the same number of stretches. The samples
 * of each key and node in one stretch after the other go to a struct
 * stat_spread. Takes one pass over the time strips, and one over the nodes per
 * stretch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/convert.h>

#include "analyze/diff.h"

/* A row with this share of the samples should occur all over a recording. */
#define HEAVY 0.02

/* One side in stretches. */
struct cut {
	const struct bob_view *v;
	const struct strip *strip;
	double n;                        /* samples in the view */
	double in[STAT_STRETCHES];       /* of each stretch */
	size_t *entry;                   /* of the strip, by stretch */
	size_t end[STAT_STRETCHES + 1];  /* where stretch i ends in it */
	uint8_t of_bin[STRIP_BINS + 1];
	double *node;      /* samples in the current stretch, by node */
	double *key[2];    /* by enum bob_order and key */
	unsigned n_used;   /* stretches with samples */
	int is_measured;
};

/* Everything whose spread is followed. */
struct spreads {
	struct stat_spread *self, *total, *path;
};

static bob_stack
node_of_entry(const struct cut *c, const struct strip_entry *e)
{
	if (e->row >= c->v->n_row || !view_has_bin(c->v, e->bin))
		return VIEW_NO_NODE;
	return c->v->node_of_row[e->row];
}

/* Assigns bins to stretches, which have about the same number of samples each.
 * The middle of a bin decides. */
static void
place_bins(struct cut *c)
{
	double bin[STRIP_BINS + 1] = { 0 }, seen = 0;
	size_t i;

	for (i = 0; i < c->strip->n; i++) {
		const struct strip_entry *e = &c->strip->entry[i];

		if (node_of_entry(c, e) != VIEW_NO_NODE)
			bin[e->bin] += (double)e->samples;
	}
	for (i = 0; i <= STRIP_BINS; i++)
		c->n += bin[i];
	for (i = 0; i <= STRIP_BINS; i++) {
		double at = c->n > 0 ? (seen + bin[i] / 2) / c->n : 0;

		c->of_bin[i] = (uint8_t)fmin(at * STAT_STRETCHES,
		    STAT_STRETCHES - 1);
		c->in[c->of_bin[i]] += bin[i];
		seen += bin[i];
	}
	for (i = 0; i < STAT_STRETCHES; i++)
		c->n_used += c->in[i] > 0;
}

/* Lists the entries of each stretch. */
static int
sort_entries(struct cut *c)
{
	size_t i, at[STAT_STRETCHES + 1] = { 0 };

	c->entry = calloc(c->strip->n + 1, sizeof(*c->entry));
	if (c->entry == NULL)
		return -1;
	for (i = 0; i < c->strip->n; i++)
		if (node_of_entry(c, &c->strip->entry[i]) != VIEW_NO_NODE)
			at[c->of_bin[c->strip->entry[i].bin] + 1]++;
	for (i = 0; i < STAT_STRETCHES; i++) {
		at[i + 1] += at[i];
		c->end[i] = at[i + 1];
	}
	for (i = 0; i < c->strip->n; i++)
		if (node_of_entry(c, &c->strip->entry[i]) != VIEW_NO_NODE)
			c->entry[at[c->of_bin[c->strip->entry[i].bin]]++] = i;
	return 0;
}

/* Where the samples of a row are, in stretches that have samples at all. */
struct place {
	uint32_t n;    /* stretches with samples of it */
	uint32_t last; /* the last of them, counted from 1 */
	uint32_t runs; /* how often it began after a stretch without */
	double samples;
};

/* Adds the entries of one stretch, which is the number-th with samples. */
static void
place_entries(const struct cut *c, size_t from, size_t to, uint32_t number,
    struct place *place)
{
	size_t at;

	for (at = from; at < to; at++) {
		const struct strip_entry *e = &c->strip->entry[c->entry[at]];
		struct place *p = &place[e->row];

		p->samples += (double)e->samples;
		if (e->samples == 0 || p->last == number)
			continue;
		p->runs += p->last + 1 != number || p->n == 0;
		p->n++;
		p->last = number;
	}
}

/*
 * Returns 1 if all samples of each heavy row are next to each other: then
 * samples were sorted by stack before they were written, and their order means
 * nothing. A few samples cannot tell: they hardly fill a stretch. -1 without
 * memory.
 */
static int
is_sorted(const struct cut *c)
{
	struct place *place = calloc((size_t)c->v->n_row + 1, sizeof(*place));
	int n_heavy = 0, n_whole = 0;
	uint32_t used = 0;
	size_t i, at = 0;

	if (place == NULL)
		return -1;
	for (i = 0; i < STAT_STRETCHES; i++) {
		used += c->end[i] > at;
		place_entries(c, at, c->end[i], used, place);
		at = c->end[i];
	}
	for (i = 0; i < c->v->n_row; i++) {
		double share = place[i].samples / c->n;

		if (share < HEAVY)
			continue;
		n_heavy++;
		n_whole += place[i].runs <= 2 &&
		    place[i].n <= share * used + 2;
	}
	free(place);
	return n_heavy > 1 && n_whole == n_heavy;
}

static int
cut_open(struct cut *c, struct bob_diff *d, int side)
{
	const struct bob_view *v = d->view[side];
	struct side *of = &v->p->side[v->side];
	int sorted;

	c->v = v;
	c->strip = &of->strip;
	c->node = calloc(d->n_node, sizeof(*c->node));
	c->key[0] = calloc(d->n_key, sizeof(*c->key[0]));
	c->key[1] = calloc(d->n_key, sizeof(*c->key[1]));
	if (c->node == NULL || c->key[0] == NULL || c->key[1] == NULL)
		return err_nomem(d->ctx);
	if (!(of->caps & BOB_CAP_ORDER)) {
		d->info.order[side] = BOB_DIFF_NO_ORDER;
		return BOB_OK;
	}
	if (strip_flush(&of->strip) < 0)
		return BOB_FATAL;
	place_bins(c);
	if (sort_entries(c) < 0 || (sorted = is_sorted(c)) < 0)
		return err_nomem(d->ctx);
	d->info.order[side] = sorted ? BOB_DIFF_SORTED : BOB_DIFF_ORDERED;
	c->is_measured = !sorted;
	return BOB_OK;
}

static void
cut_close(struct cut *c)
{
	free(c->entry);
	free(c->node);
	free(c->key[0]);
	free(c->key[1]);
}

/* Sets node[] and key[] to the samples in a stretch. */
static void
cut_add_up(struct cut *c, const struct bob_diff *d, size_t stretch)
{
	const struct keys *keys = c->v->keys;
	size_t i = stretch > 0 ? c->end[stretch - 1] : 0;
	uint32_t k;

	memset(c->node, 0, d->n_node * sizeof(*c->node));
	memset(c->key[0], 0, d->n_key * sizeof(*c->key[0]));
	memset(c->key[1], 0, d->n_key * sizeof(*c->key[1]));
	for (; i < c->end[stretch]; i++) {
		const struct strip_entry *e = &c->strip->entry[c->entry[i]];
		bob_stack node = c->v->node_of_row[e->row];

		c->node[node] += (double)e->samples;
		c->key[BOB_BY_SELF][view_key(c->v, node)] +=
		    (double)e->samples;
	}
	for (k = d->n_node - 1; k > 0; k--) {
		c->node[view_parent(c->v, k)] += c->node[k];
		if (!keys->is_inner[k])
			c->key[BOB_BY_TOTAL][view_key(c->v, k)] += c->node[k];
	}
}

/* Returns what a stretch adds to a share, minus what it would add without
 * variation. */
static double
excess(const struct cut *c, size_t stretch, double k, uint64_t all)
{
	if (!c->is_measured)
		return 0;
	return k / c->n - c->in[stretch] / c->n * ((double)all / c->n);
}

static void
follow_stretch(const struct bob_diff *d, const struct cut *c, struct spreads *s,
    size_t i)
{
	unsigned at = (unsigned)i;
	uint32_t k;

	for (k = 1; k < d->n_key; k++) {
		struct bob_row a = bob_view_row(d->view[0], k);
		struct bob_row b = bob_view_row(d->view[1], k);

		stat_spread_add(&s->self[k], at,
		    excess(&c[1], i, c[1].key[BOB_BY_SELF][k], b.self.samples) -
		    excess(&c[0], i, c[0].key[BOB_BY_SELF][k], a.self.samples));
		stat_spread_add(&s->total[k], at,
		    excess(&c[1], i, c[1].key[BOB_BY_TOTAL][k],
		        b.total.samples) -
		    excess(&c[0], i, c[0].key[BOB_BY_TOTAL][k],
		        a.total.samples));
	}
	for (k = 1; k < d->n_node; k++)
		stat_spread_add(&s->path[k], at,
		    excess(&c[1], i, c[1].node[k],
		        diff_total(d, 1, k).samples) -
		    excess(&c[0], i, c[0].node[k],
		        diff_total(d, 0, k).samples));
}

/* The variance of a share of independent samples. */
static double
plain_variance(const struct cut *c, uint64_t samples)
{
	double p;

	if (!c->is_measured)
		return 0;
	p = (double)samples / c->n;
	return p * (1 - p) / c->n;
}

static struct stat_clump
clump_of(const struct cut *c, const struct stat_spread *s, uint64_t before,
    uint64_t after)
{
	const struct cut *small = &c[0];

	if (!c[0].is_measured || (c[1].is_measured && c[1].n < c[0].n))
		small = &c[1];
	return stat_spread_clump(s, plain_variance(&c[0], before) +
	    plain_variance(&c[1], after), small->n, small->n_used);
}

static void
conclude_clumps(const struct bob_diff *d, const struct cut *c,
    const struct spreads *s, struct diff_clumps *ret)
{
	uint32_t k;

	for (k = 1; k < d->n_key; k++) {
		struct bob_row a = bob_view_row(d->view[0], k);
		struct bob_row b = bob_view_row(d->view[1], k);

		ret->self[k] = clump_of(c, &s->self[k], a.self.samples,
		    b.self.samples);
		ret->total[k] = clump_of(c, &s->total[k], a.total.samples,
		    b.total.samples);
	}
	for (k = 1; k < d->n_node; k++)
		ret->path[k] = clump_of(c, &s->path[k],
		    diff_total(d, 0, k).samples, diff_total(d, 1, k).samples);
}

static int
measure_clumps(const struct bob_diff *d, struct cut *c, struct diff_clumps *ret)
{
	struct spreads s;
	size_t i;
	int side, r = BOB_OK;

	s.self = calloc(d->n_key, sizeof(*s.self));
	s.total = calloc(d->n_key, sizeof(*s.total));
	s.path = calloc(d->n_node, sizeof(*s.path));
	if (s.self == NULL || s.total == NULL || s.path == NULL)
		r = err_nomem(d->ctx);
	for (i = 0; r == BOB_OK && i < STAT_STRETCHES; i++) {
		for (side = 0; side < 2; side++)
			if (c[side].is_measured)
				cut_add_up(&c[side], d, i);
		follow_stretch(d, c, &s, i);
	}
	if (r == BOB_OK)
		conclude_clumps(d, c, &s, ret);
	free(s.self);
	free(s.total);
	free(s.path);
	return r;
}

/* Assumes independent samples. */
static void
assume_independent(struct stat_clump *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = (struct stat_clump){ 1, INFINITY };
}

int
diff_clumps_find(struct bob_diff *d, struct diff_clumps *ret)
{
	struct cut c[2] = { 0 };
	int r;

	ret->self = calloc(d->n_key, sizeof(*ret->self));
	ret->total = calloc(d->n_key, sizeof(*ret->total));
	ret->path = calloc(d->n_node, sizeof(*ret->path));
	if (ret->self == NULL || ret->total == NULL || ret->path == NULL)
		return err_nomem(d->ctx);
	assume_independent(ret->self, d->n_key);
	assume_independent(ret->total, d->n_key);
	assume_independent(ret->path, d->n_node);
	r = cut_open(&c[0], d, 0);
	if (r == BOB_OK)
		r = cut_open(&c[1], d, 1);
	if (r == BOB_OK && (c[0].is_measured || c[1].is_measured))
		r = measure_clumps(d, c, ret);
	cut_close(&c[0]);
	cut_close(&c[1]);
	return r;
}

void
diff_clumps_done(struct diff_clumps *c)
{
	free(c->self);
	free(c->total);
	free(c->path);
}
