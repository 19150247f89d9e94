/* Makes rows and sums of all that info.c has gathered. */
#include "info.h"

#include <stdlib.h>
#include <string.h>

#include <bobbin/convert.h>

#include "print/plain.h"

static int
by_pid(const void *a, const void *b)
{
	const struct info_pid *p = a, *q = b;

	if (p->is_known != q->is_known)
		return p->is_known - q->is_known;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static int
by_pid_samples(const void *a, const void *b)
{
	const struct info_pid *p = a, *q = b;

	if (p->n_samples != q->n_samples)
		return p->n_samples > q->n_samples ? -1 : 1;
	return by_pid(a, b);
}

/* Tracks that share a pid become one row. */
static int
sum_pids(struct info *x)
{
	size_t i, n = 0;

	x->pids = calloc(x->cap_of_track + 1, sizeof(*x->pids));
	if (x->pids == NULL)
		return -1;
	for (i = 0; i < x->cap_of_track; i++) {
		const struct bob_track *t = bob_track_get(x->dict,
		    (bob_tid)i);

		if (x->of_track[i] == 0)
			continue;
		x->pids[n++] = (struct info_pid){ .pid = t->pid,
			.n_samples = x->of_track[i],
			.is_known = (t->flags & BOB_TRACK_PID) != 0 };
	}
	qsort(x->pids, n, sizeof(*x->pids), by_pid);
	for (i = 0; i < n; i++) {
		struct info_pid *last = &x->pids[x->n_pids];

		if (x->n_pids > 0 && by_pid(&x->pids[i], last - 1) == 0)
			last[-1].n_samples = plain_add(last[-1].n_samples,
			    x->pids[i].n_samples);
		else
			x->pids[x->n_pids++] = x->pids[i];
	}
	/* A trace without any pid has no list of them. */
	if (x->n_pids == 1 && !x->pids[0].is_known)
		x->n_pids = 0;
	qsort(x->pids, x->n_pids, sizeof(*x->pids), by_pid_samples);
	return 0;
}

static int
by_thread_samples(const void *a, const void *b)
{
	const struct info_thread *p = a, *q = b;

	if (p->n_samples != q->n_samples)
		return p->n_samples > q->n_samples ? -1 : 1;
	if (p->who.interp != q->who.interp)
		return p->who.interp < q->who.interp ? -1 : 1;
	return p->who.tid < q->who.tid ? -1 : p->who.tid > q->who.tid;
}

/* Each track with a thread is a row. */
static int
sum_threads(struct info *x)
{
	size_t i;

	x->threads = calloc(x->cap_of_track + 1, sizeof(*x->threads));
	if (x->threads == NULL)
		return -1;
	for (i = 0; i < x->cap_of_track; i++) {
		const struct bob_track *t = bob_track_get(x->dict,
		    (bob_tid)i);

		if (x->of_track[i] == 0 || (t->flags & BOB_TRACK_TID) == 0)
			continue;
		x->threads[x->n_threads++] = (struct info_thread){ *t,
			x->of_track[i] };
	}
	qsort(x->threads, x->n_threads, sizeof(*x->threads),
	    by_thread_samples);
	return 0;
}

static void
sum_status(struct info *x)
{
	unsigned status, bit;

	for (status = 0; status < 256; status++) {
		x->n_status = plain_add(x->n_status, x->of_status[status]);
		for (bit = 0; bit < INFO_STATUS_BITS; bit++)
			if ((status >> bit & 1) != 0)
				x->of_bit[bit] = plain_add(x->of_bit[bit],
				    x->of_status[status]);
	}
}

struct pair_count {
	struct bob_pair pair;
	uint64_t n_samples;
};

static int
by_pair(const void *a, const void *b)
{
	const struct bob_pair *p = &((const struct pair_count *)a)->pair;
	const struct bob_pair *q = &((const struct pair_count *)b)->pair;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return p->value < q->value ? -1 : p->value > q->value;
}

static int
by_key_samples(const void *a, const void *b)
{
	const struct info_key *p = a, *q = b;

	if (p->n_samples != q->n_samples)
		return p->n_samples > q->n_samples ? -1 : 1;
	return p->key < q->key ? -1 : p->key > q->key;
}

/* How many pairs the sampled sets hold, together. */
static size_t
count_pairs(const struct info *x)
{
	size_t total = 0, n, i;

	for (i = 1; i < x->cap_of_annot; i++) {
		if (x->of_annot[i] == 0)
			continue;
		(void)bob_annot_get(x->dict, (bob_annot)i, &n);
		total += n;
	}
	return total;
}

static void
fill_pairs(const struct info *x, struct pair_count *to)
{
	size_t n, i, k;

	for (i = 1; i < x->cap_of_annot; i++) {
		const struct bob_pair *v;

		if (x->of_annot[i] == 0)
			continue;
		v = bob_annot_get(x->dict, (bob_annot)i, &n);
		for (k = 0; k < n; k++)
			*to++ = (struct pair_count){ v[k], x->of_annot[i] };
	}
}

static int
sum_keys(struct info *x)
{
	size_t n = count_pairs(x), i;
	struct pair_count *all = calloc(n + 1, sizeof(*all));

	x->keys = calloc(n + 1, sizeof(*x->keys));
	if (all == NULL || x->keys == NULL) {
		free(all);
		return -1;
	}
	fill_pairs(x, all);
	qsort(all, n, sizeof(*all), by_pair);
	for (i = 0; i < n; i++) {
		struct info_key *k;

		if (i == 0 || all[i].pair.key != all[i - 1].pair.key)
			x->keys[x->n_keys++].key = all[i].pair.key;
		k = &x->keys[x->n_keys - 1];
		k->n_samples = plain_add(k->n_samples, all[i].n_samples);
		k->n_values += k->n_values == 0 ||
		    by_pair(&all[i], &all[i - 1]) != 0;
	}
	free(all);
	qsort(x->keys, x->n_keys, sizeof(*x->keys), by_key_samples);
	return 0;
}

/* True if the format has segments; only those can be closed or not. */
static int
has_segments(const char *format)
{
	const struct bob_format_info *f = format != NULL
	    ? bob_format_named(format) : NULL;

	return f != NULL && (f->caps & BOB_CAP_SEGMENTS) != 0;
}

int
info_sum(struct info *x, const struct bob_reader *in)
{
	if (info_keep_segment(x) < 0 || sum_pids(x) < 0 ||
	    sum_threads(x) < 0 || sum_keys(x) < 0)
		return -1;
	info_label_pids(x);
	sum_status(x);
	x->format = bob_reader_format(in);
	x->dialect = bob_reader_dialect(in);
	x->has_ends = has_segments(x->format);
	x->bytes_in = bob_reader_bytes_in(in);
	x->bytes_unpacked = bob_reader_bytes_unpacked(in);
	x->is_incomplete = bob_reader_is_incomplete(in);
	x->n_stats = bob_reader_stats(in, x->stats, INFO_MAX_STATS);
	if (x->n_stats > INFO_MAX_STATS)
		x->n_stats = INFO_MAX_STATS;
	x->n_facts = bob_reader_facts(in, x->facts, INFO_MAX_FACTS);
	if (x->n_facts > INFO_MAX_FACTS)
		x->n_facts = INFO_MAX_FACTS;
	return 0;
}

int
info_fact(const struct info *x, const char *name, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < x->n_facts; i++) {
		if (strcmp(x->facts[i].name, name) != 0)
			continue;
		*ret = x->facts[i].value;
		return 1;
	}
	return 0;
}
