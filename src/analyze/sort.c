/* Tables of a view: its keys, heaviest first. */
#include <stdlib.h>
#include <string.h>

#include "analyze/view.h"

static uint64_t
row_weight(const struct bob_row *r, int order)
{
	switch (order) {
	case BOB_BY_SELF: return r->self.samples;
	case BOB_BY_TOTAL: return r->total.samples;
	case BOB_BY_SELF_TIME: return r->self.time_us;
	default: return r->total.time_us;
	}
}

static int
compare_rows(const struct bob_row *x, const struct bob_row *y, int order)
{
	uint64_t a = row_weight(x, order), b = row_weight(y, order);

	if (a != b)
		return a > b ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int
by_self(const void *a, const void *b)
{
	return compare_rows(a, b, BOB_BY_SELF);
}

static int
by_total(const void *a, const void *b)
{
	return compare_rows(a, b, BOB_BY_TOTAL);
}

static int
by_self_time(const void *a, const void *b)
{
	return compare_rows(a, b, BOB_BY_SELF_TIME);
}

static int
by_total_time(const void *a, const void *b)
{
	return compare_rows(a, b, BOB_BY_TOTAL_TIME);
}

void
view_sort(struct bob_row *row, size_t n, int order)
{
	static int (*const by[])(const void *, const void *) = {
		by_self, by_total, by_self_time, by_total_time,
	};

	if (n > 1)
		qsort(row, n, sizeof(*row), by[order]);
}

const struct bob_row *
bob_view_rows(struct bob_view *v, int order, size_t *ret_n)
{
	int is_self = order == BOB_BY_SELF || order == BOB_BY_SELF_TIME;
	struct bob_row *to;
	size_t n = 0;
	uint32_t i;

	if (order < 0 || order > BOB_BY_TOTAL_TIME)
		order = BOB_BY_SELF;
	if (v->sorted[order] == NULL) {
		to = calloc(v->n_key, sizeof(*to));
		if (to == NULL) {
			(void)err_nomem(v->p->ctx);
			*ret_n = 0;
			return NULL;
		}
		for (i = 1; i < v->n_key; i++)
			if ((is_self ? v->row[i].self.samples :
			    v->row[i].total.samples) > 0)
				to[n++] = v->row[i];
		view_sort(to, n, order);
		v->sorted[order] = to;
		v->n_sorted[order] = n;
	}
	*ret_n = v->n_sorted[order];
	return v->sorted[order];
}
