/* Tables of keys; see the header. */
#include "table.h"

#include <stdlib.h>

void
table_clear(struct table *t)
{
	t->n = 0;
}

void
table_done(struct table *t)
{
	free(t->item);
	t->item = NULL;
	t->n = t->cap = 0;
}

int
table_add(struct table *t, const struct item *item)
{
	if (t->n == t->cap) {
		size_t cap = t->cap > 0 ? 2 * t->cap : 256;
		struct item *p = realloc(t->item, cap * sizeof(*p));

		if (p == NULL)
			return -1;
		t->item = p;
		t->cap = cap;
	}
	t->item[t->n++] = *item;
	return 0;
}

/* What a row is sorted by, and its place before. */
struct ranked {
	double by;
	size_t at;
};

static int
by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->by != y->by)
		return x->by > y->by ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static double
rank_of(const struct item *i, int by_delta, const uint64_t total[2])
{
	double d;

	if (!by_delta)
		return (double)i->w[1];
	d = (total[1] > 0 ? (double)i->w[1] / (double)total[1] : 0) -
	    (total[0] > 0 ? (double)i->w[0] / (double)total[0] : 0);
	return d < 0 ? -d : d;
}

void
table_sort(struct table *t, int by_delta, const uint64_t total[2])
{
	struct ranked *rank;
	struct item *item;
	int is_sorted = 1;
	size_t i;

	for (i = 1; is_sorted && i < t->n; i++)
		is_sorted = rank_of(&t->item[i - 1], by_delta, total) >=
		    rank_of(&t->item[i], by_delta, total);
	if (is_sorted)
		return;
	rank = calloc(t->n, sizeof(*rank));
	item = calloc(t->n, sizeof(*item));
	/* Without memory, rows stay in the order in which they were added. */
	for (i = 0; rank != NULL && item != NULL && i < t->n; i++)
		rank[i] = (struct ranked){ rank_of(&t->item[i], by_delta,
		    total), i };
	if (rank != NULL && item != NULL) {
		qsort(rank, t->n, sizeof(*rank), by_rank);
		for (i = 0; i < t->n; i++)
			item[i] = t->item[rank[i].at];
		free(t->item);
		t->item = item;
		t->cap = t->n;
		item = NULL;
	}
	free(rank);
	free(item);
}

uint64_t
table_most(const struct table *t)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->item[i].w[1] > most)
			most = t->item[i].w[1];
	return most;
}

int
table_find(struct table *t, uint32_t key)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (t->item[i].key == key) {
			t->c.at = i;
			return 1;
		}
	}
	return 0;
}

uint32_t
table_key(const struct table *t)
{
	return t->c.at < t->n ? t->item[t->c.at].key : 0;
}
