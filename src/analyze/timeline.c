/* Time lines of views, and confidence intervals of shares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/view.h"

/* Marks the nodes whose stack contains the key. */
static void
mark_inside(const struct bob_view *v, uint32_t key, uint8_t *is)
{
	uint32_t i;

	for (i = 1; i < v->n_node; i++)
		is[i] = is[view_parent(v, i)] || view_key(v, i) == key;
}

/* Returns marks for the rows whose stack contains the key; key 0: for all rows
 * in the view. NULL without memory. */
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

/* Keys of one pass: a bit for each. */
#define KEYS_AT_ONCE 64u

/* Sets in[node] to the keys that its stack contains. */
static void
mark_keys(const struct bob_view *v, const uint32_t *key, size_t n,
    uint64_t *bit, uint64_t *in)
{
	uint32_t i;
	size_t k;

	for (k = 0; k < n; k++)
		if (key[k] != 0 && key[k] < v->n_key)
			bit[key[k]] |= (uint64_t)1 << k;
	for (i = 1; i < v->n_node; i++)
		in[i] = in[view_parent(v, i)] | bit[view_key(v, i)];
	for (k = 0; k < n; k++)
		if (key[k] < v->n_key)
			bit[key[k]] = 0;
}

static void
add_parts(const struct bob_view *v, const struct strip *s, const uint64_t *in,
    uint32_t parts, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct strip_entry *e = &s->entry[i];
		uint64_t part, bits;

		if (e->row >= v->n_row || v->node_of_row[e->row] ==
		    VIEW_NO_NODE || !view_has_bin(v, e->bin))
			continue;
		part = (2 * (uint64_t)e->bin + 1) * parts / (2 * s->n_bins);
		for (bits = in[v->node_of_row[e->row]]; bits != 0;
		    bits &= bits - 1) {
			uint64_t *to = &ret[(unsigned)__builtin_ctzll(bits) *
			    (size_t)parts + part];

			*to = count_add(*to, e->samples);
		}
	}
}

int
bob_view_timelines(struct bob_view *v, const uint32_t *key, size_t n,
    uint32_t parts, uint64_t *ret)
{
	struct strip *s = &v->p->side[v->side].strip;
	uint64_t *bit = calloc(v->n_key, sizeof(*bit));
	uint64_t *in = calloc(v->n_node, sizeof(*in));
	int r = strip_flush(s);
	size_t i, some;

	memset(ret, 0, n * parts * sizeof(*ret));
	if (bit == NULL || in == NULL)
		r = err_nomem(v->p->ctx);
	for (i = 0; r == BOB_OK && i < n; i += some) {
		some = n - i < KEYS_AT_ONCE ? n - i : KEYS_AT_ONCE;
		mark_keys(v, key + i, some, bit, in);
		add_parts(v, s, in, parts, ret + i * parts);
	}
	free(bit);
	free(in);
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
