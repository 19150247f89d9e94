/*
 * How clumped the samples of keys are over time (bob_view_clumping).
 *
 * For a few keys, nodes are marked with bits, 64 keys per pass. For many keys,
 * all are added up together, block by block, in a number of passes that does
 * not depend on the number of keys.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/view.h"

/* Bins that are compared with each other: enough to tell clumps from chance,
 * few enough for each to hold samples. */
#define BLOCKS 32u

/* Keys that are looked at in one pass. */
#define KEYS_AT_ONCE 64u

/* With this many keys, two passes for each block are fewer than one pass for
 * each KEYS_AT_ONCE keys. */
#define MANY_KEYS (2 * BLOCKS * KEYS_AT_ONCE)

/* Samples of a key in a block: where it is the leaf, and where it is at all. */
struct spread {
	double self, total;
};

/* Bits for up to 64 keys: self is set for the key of a node, total also for the
 * keys of its parents. */
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
		/* NOLINT(clang-analyzer-security.ArrayBound): k is a field
		 * of the first of BLOCKS structs of that size. */
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

/* ---- Many keys --------------------------------------------------------- */

/* The state for adding up all keys, block by block. */
struct all {
	const uint8_t *block;  /* by bin */
	const double *n_block; /* samples, by block */
	double n;              /* samples */
	size_t n_blocks;       /* those with samples */
	uint32_t *entry;       /* numbers of entries, by block */
	size_t end[BLOCKS + 1]; /* where those of a block begin in it */
	struct spread *node;   /* of one block */
	struct spread *key;    /* of one block */
	struct spread *hits;   /* by key: samples */
	struct spread *sum;    /* by key: squared deviations of shares */
};

static void
all_done(struct all *a)
{
	free(a->entry);
	free(a->node);
	free(a->key);
	free(a->hits);
	free(a->sum);
}

static int
is_entry_in(const struct bob_view *v, const struct strip_entry *e)
{
	return e->row < v->n_row && v->node_of_row[e->row] != VIEW_NO_NODE &&
	    view_has_bin(v, e->bin);
}

/* Puts the entries in the order of their blocks, by counting. */
static void
sort_entries(struct all *a, const struct bob_view *v, const struct strip *s)
{
	size_t at[BLOCKS] = { 0 }, i;

	for (i = 0; i < s->n; i++)
		if (is_entry_in(v, &s->entry[i]))
			a->end[a->block[s->entry[i].bin] + 1]++;
	for (i = 0; i < BLOCKS; i++) {
		at[i] = a->end[i];
		a->end[i + 1] += a->end[i];
	}
	for (i = 0; i < s->n; i++)
		if (is_entry_in(v, &s->entry[i]))
			a->entry[at[a->block[s->entry[i].bin]]++] =
			    (uint32_t)i;
}

static int
all_init(struct all *a, const struct bob_view *v, const struct strip *s)
{
	size_t b;

	a->entry = calloc(s->n + 1, sizeof(*a->entry));
	a->node = calloc(v->n_node, sizeof(*a->node));
	a->key = calloc(v->n_key, sizeof(*a->key));
	a->hits = calloc(v->n_key, sizeof(*a->hits));
	a->sum = calloc(v->n_key, sizeof(*a->sum));
	if (a->entry == NULL || a->node == NULL || a->key == NULL ||
	    a->hits == NULL || a->sum == NULL)
		return err_nomem(v->p->ctx);
	for (b = 0; b < BLOCKS; b++) {
		a->n += a->n_block[b];
		a->n_blocks += a->n_block[b] > 0;
	}
	sort_entries(a, v, s);
	return BOB_OK;
}

/* Sets a->key to the samples of each key in a block. */
static void
add_block(struct all *a, const struct bob_view *v, const struct strip *s,
    size_t b)
{
	uint32_t i;
	size_t k;

	memset(a->node, 0, v->n_node * sizeof(*a->node));
	memset(a->key, 0, v->n_key * sizeof(*a->key));
	for (k = a->end[b]; k < a->end[b + 1]; k++) {
		const struct strip_entry *e = &s->entry[a->entry[k]];

		a->node[v->node_of_row[e->row]].self += (double)e->samples;
	}
	for (i = v->n_node - 1; i > 0; i--) {
		struct spread *n = &a->node[i], *to = &a->key[view_key(v, i)];

		n->total += n->self;
		a->node[view_parent(v, i)].total += n->total;
		to->self += n->self;
		if (!v->keys->is_inner[i])
			to->total += n->total;
	}
}

/* n (k / n - p)^2 */
static double
deviation(double n, double k, double hits, double all)
{
	double d = k / n - hits / all;

	return n * d * d;
}

static double
clumping_of(const struct all *a, double hits, double sum)
{
	double p = hits / a->n;

	if (a->n_blocks < 4 || hits <= 0 || hits >= a->n)
		return 1;
	sum /= (double)(a->n_blocks - 1) * p * (1 - p);
	return sum > 1 ? sum : 1;
}

/* The same as clump_some, for any number of keys. */
static int
clump_all(struct bob_view *v, const uint8_t *block, const double *n_block,
    const uint32_t *key, size_t n, double *ret_self, double *ret_total)
{
	const struct strip *s = &v->p->side[v->side].strip;
	struct all a = { .block = block, .n_block = n_block };
	int r = all_init(&a, v, s);
	uint32_t k;
	size_t b, i;

	for (b = 0; r == BOB_OK && b < BLOCKS; b++) {
		add_block(&a, v, s, b);
		for (k = 1; k < v->n_key; k++) {
			a.hits[k].self += a.key[k].self;
			a.hits[k].total += a.key[k].total;
		}
	}
	for (b = 0; r == BOB_OK && b < BLOCKS; b++) {
		if (n_block[b] <= 0)
			continue;
		add_block(&a, v, s, b);
		for (k = 1; k < v->n_key; k++) {
			a.sum[k].self += deviation(n_block[b], a.key[k].self,
			    a.hits[k].self, a.n);
			a.sum[k].total += deviation(n_block[b],
			    a.key[k].total, a.hits[k].total, a.n);
		}
	}
	for (i = 0; r == BOB_OK && i < n; i++) {
		k = key[i] < v->n_key ? key[i] : 0;
		ret_self[i] = clumping_of(&a, a.hits[k].self, a.sum[k].self);
		ret_total[i] = clumping_of(&a, a.hits[k].total,
		    a.sum[k].total);
	}
	all_done(&a);
	return r;
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
	if (n >= MANY_KEYS)
		return clump_all(v, block, n_block, key, n, ret_self,
		    ret_total);
	for (i = 0; r == BOB_OK && i < n; i += some) {
		some = n - i < KEYS_AT_ONCE ? n - i : KEYS_AT_ONCE;
		r = clump_some(v, block, n_block, key + i, some, ret_self + i,
		    ret_total + i);
	}
	return r;
}
