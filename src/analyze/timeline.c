/* Samples over time, and how evenly they are spread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/view.h"

/* Bins that are compared with each other: enough to tell clumps from chance,
 * few enough for each to hold samples. */
#define BLOCKS 32u

/* Keys that are looked at in one pass. */
#define KEYS_AT_ONCE 64u

/* Marks nodes that the key is in, from the root to them. */
static void
mark_inside(const struct bob_view *v, uint32_t key, uint8_t *is)
{
	uint32_t i;

	for (i = 1; i < v->n_node; i++)
		is[i] = is[view_parent(v, i)] || view_key(v, i) == key;
}

/* Which rows the key is in; key 0: which rows are in the view. */
static uint8_t *
mark_rows(const struct bob_view *v, uint32_t key)
{
	uint8_t *is = calloc(v->n_node, 1);
	uint8_t *is_row = calloc((size_t)v->n_row + 1, 1);
	uint32_t i;

	if (is != NULL && is_row != NULL) {
		if (key != 0)
			mark_inside(v, key, is);
		for (i = 0; i < v->n_row; i++)
			is_row[i] = v->node_of_row[i] != VIEW_NO_NODE &&
			    (key == 0 || is[v->node_of_row[i]]);
	} else {
		free(is_row);
		is_row = NULL;
	}
	free(is);
	return is_row;
}

/* Adds up the entries of rows that are marked. */
static void
add_entries(const struct bob_view *v, const struct strip *s,
    const uint8_t *is_row, uint64_t *bins)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct strip_entry *e = &s->entry[i];

		if (e->row < v->n_row && is_row[e->row])
			bins[e->bin] = count_add(bins[e->bin], e->samples);
	}
}

static int
fill_bins(struct bob_view *v, const struct strip *s, uint32_t key,
    uint64_t *bins)
{
	uint8_t *is_row;
	uint32_t b;

	if (key == 0 && !v->lacks_rows && v->n_row == v->p->rows.n) {
		memcpy(bins, s->total, s->n_bins * sizeof(*bins));
	} else {
		is_row = mark_rows(v, key);
		if (is_row == NULL)
			return err_nomem(v->p->ctx);
		add_entries(v, s, is_row, bins);
		free(is_row);
	}
	for (b = 0; b < s->n_bins; b++)
		if (!view_has_bin(v, b))
			bins[b] = 0;
	return BOB_OK;
}

int
bob_view_timeline(struct bob_view *v, uint32_t key, struct bob_timeline *ret)
{
	struct strip *s = &v->p->side[v->side].strip;
	int r = strip_flush(s);
	uint64_t *bins;

	if (r < 0)
		return r;
	bins = calloc((size_t)s->n_bins + 1, sizeof(*bins));
	if (bins == NULL)
		return err_nomem(v->p->ctx);
	r = fill_bins(v, s, key, bins);
	if (r < 0) {
		free(bins);
		return r;
	}
	free(v->bins);
	v->bins = bins;
	*ret = (struct bob_timeline){ strip_width(s), bins, s->n_bins };
	return BOB_OK;
}

/* Samples of a key in a block: where it is the leaf, and where it is at all. */
struct spread {
	double self, total;
};

/* Which of up to 64 keys a node ends with and has in it, as bits. */
struct marks {
	uint64_t self, total;
};

static void
mark_nodes(const struct bob_view *v, const uint64_t *bit, struct marks *m)
{
	uint32_t i;

	for (i = 1; i < v->n_node; i++) {
		m[i].self = bit[view_key(v, i)];
		m[i].total = m[view_parent(v, i)].total | m[i].self;
	}
}

static void
add_marks(struct spread *to, struct marks m, double samples)
{
	for (; m.total != 0; m.total &= m.total - 1) {
		unsigned k = (unsigned)__builtin_ctzll(m.total);

		to[k].total += samples;
		if (m.self >> k & 1)
			to[k].self += samples;
	}
}

/*
 * The variance of shares between blocks, over that of independent samples:
 * sum n_b (p_b - p)^2 / ((B - 1) p (1 - p)).
 */
static double
clumping(const double *n, const double *k, size_t stride)
{
	double all = 0, hits = 0, sum = 0, p;
	size_t b, blocks = 0;

	for (b = 0; b < BLOCKS; b++) {
		all += n[b];
		hits += k[b * stride];
		blocks += n[b] > 0;
	}
	if (blocks < 4 || hits <= 0 || hits >= all)
		return 1;
	p = hits / all;
	for (b = 0; b < BLOCKS; b++) {
		double d;

		if (n[b] <= 0)
			continue;
		d = k[b * stride] / n[b] - p;
		sum += n[b] * d * d;
	}
	sum /= (double)(blocks - 1) * p * (1 - p);
	return sum > 1 ? sum : 1;
}

/* Blocks with about as many samples each: that of each bin. */
static void
find_blocks(const struct strip *s, const uint64_t *bins, uint8_t *block)
{
	double all = 0, seen = 0;
	uint32_t i;

	for (i = 0; i < s->n_bins; i++)
		all += (double)bins[i];
	for (i = 0; i < s->n_bins; i++) {
		double middle = seen + (double)bins[i] / 2;

		block[i] = (uint8_t)(all > 0 ? middle / all * BLOCKS : 0);
		if (block[i] >= BLOCKS)
			block[i] = BLOCKS - 1;
		seen += (double)bins[i];
	}
}

static int
clump_some(struct bob_view *v, const uint8_t *block, const double *n_block,
    const uint32_t *key, size_t n, double *ret_self, double *ret_total)
{
	const struct strip *s = &v->p->side[v->side].strip;
	struct spread *spread = calloc(BLOCKS * KEYS_AT_ONCE, sizeof(*spread));
	struct marks *m = calloc(v->n_node, sizeof(*m));
	uint64_t *bit = calloc(v->n_key, sizeof(*bit));
	size_t i;

	if (spread == NULL || m == NULL || bit == NULL) {
		free(spread);
		free(m);
		free(bit);
		return err_nomem(v->p->ctx);
	}
	for (i = 0; i < n; i++)
		if (key[i] < v->n_key)
			bit[key[i]] |= (uint64_t)1 << i;
	mark_nodes(v, bit, m);
	for (i = 0; i < s->n; i++) {
		const struct strip_entry *e = &s->entry[i];

		if (e->row < v->n_row &&
		    v->node_of_row[e->row] != VIEW_NO_NODE &&
		    view_has_bin(v, e->bin))
			add_marks(&spread[block[e->bin] * KEYS_AT_ONCE],
			    m[v->node_of_row[e->row]], (double)e->samples);
	}
	for (i = 0; i < n; i++) {
		size_t stride = KEYS_AT_ONCE * sizeof(*spread) /
		    sizeof(double);

		ret_self[i] = clumping(n_block, &spread[i].self, stride);
		ret_total[i] = clumping(n_block, &spread[i].total, stride);
	}
	free(spread);
	free(m);
	free(bit);
	return BOB_OK;
}

int
bob_view_clumping(struct bob_view *v, const uint32_t *key, size_t n,
    double *ret_self, double *ret_total)
{
	const struct strip *s = &v->p->side[v->side].strip;
	uint8_t block[STRIP_BINS + 1] = { 0 };
	double n_block[BLOCKS] = { 0 };
	struct bob_timeline t;
	uint32_t b;
	size_t i, some;
	int r = bob_view_timeline(v, 0, &t);

	if (r < 0)
		return r;
	find_blocks(s, t.samples, block);
	for (b = 0; b < t.n; b++)
		n_block[block[b]] += (double)t.samples[b];
	for (i = 0; r == BOB_OK && i < n; i += some) {
		some = n - i < KEYS_AT_ONCE ? n - i : KEYS_AT_ONCE;
		r = clump_some(v, block, n_block, key + i, some, ret_self + i,
		    ret_total + i);
	}
	return r;
}

struct bob_share
bob_share_of(double k, double n, double clumped)
{
	const double z = 1.959963984540054;
	struct bob_share s = { 0, 0, 1 };
	double m, middle, half;

	if (n <= 0)
		return s;
	s.share = k / n;
	m = n / (clumped > 1 ? clumped : 1);
	if (m < 1)
		m = 1;
	middle = (s.share + z * z / (2 * m)) / (1 + z * z / m);
	half = z / (1 + z * z / m) *
	    sqrt(s.share * (1 - s.share) / m + z * z / (4 * m * m));
	s.low = middle - half > 0 && k > 0 ? middle - half : 0;
	s.high = middle + half < 1 && k < n ? middle + half : 1;
	return s;
}
