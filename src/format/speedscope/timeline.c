/* Timelines with a bound; see the header. */
#include "format/speedscope/timeline.h"

#include <stdlib.h>

static int
compare_stacks(const void *pa, const void *pb)
{
	const struct timeline_entry *a = pa, *b = pb;

	return (a->stack > b->stack) - (a->stack < b->stack);
}

/* Sums up the equal stacks of entries [from, to), which are moved to `at`.
 * Returns where they end. */
static size_t
sum_window(struct timeline *t, size_t from, size_t to, size_t at)
{
	size_t i, start = at;

	qsort(t->entry + from, to - from, sizeof(*t->entry), compare_stacks);
	for (i = from; i < to; i++) {
		if (at > start && t->entry[at - 1].stack == t->entry[i].stack)
			t->entry[at - 1].weight = count_add(
			    t->entry[at - 1].weight, t->entry[i].weight);
		else
			t->entry[at++] = t->entry[i];
	}
	return at;
}

int
timeline_add(struct bob_ctx *ctx, struct timeline *t, bob_stack stack,
    uint64_t weight, uint64_t samples)
{
	if (t->window != 0 && t->weight >= t->window_end) {
		t->n = t->n_settled = sum_window(t, t->n_settled, t->n,
		    t->n_settled);
		t->window_end = count_add(t->weight, t->window);
	}
	t->weight = count_add(t->weight, weight);
	t->samples = count_add(t->samples, samples);
	if (t->n > t->n_settled && t->entry[t->n - 1].stack == stack) {
		t->entry[t->n - 1].weight = count_add(
		    t->entry[t->n - 1].weight, weight);
		return BOB_OK;
	}
	if (MEM_GROW(ctx, t, entry, t->n + 1) < 0)
		return BOB_FATAL;
	t->entry[t->n++] = (struct timeline_entry){ stack, weight };
	return BOB_OK;
}

/* One pass: windows of this length over all entries. */
static void
sum_windows(struct timeline *t)
{
	size_t i, from = 0, at = 0;
	uint64_t sum = 0;

	for (i = 0; i < t->n; i++) {
		sum = count_add(sum, t->entry[i].weight);
		if (sum < t->window && i + 1 < t->n)
			continue;
		at = sum_window(t, from, i + 1, at);
		from = i + 1;
		sum = 0;
	}
	t->n = t->n_settled = at;
	t->window_end = count_add(t->weight, t->window);
}

void
timeline_coarsen(struct timeline *t, size_t n)
{
	if (t->window == 0 && t->n > 0)
		t->window = t->weight / t->n + 1;
	while (t->n > n) {
		/* There are that many stacks: sorting is worth it only when
		 * there may be many equal ones. */
		if (t->window >= t->weight && t->n <= 2 * t->n_settled)
			return;
		if (t->window < t->weight)
			t->window *= 2;
		sum_windows(t);
	}
}

void
timeline_done(struct timeline *t)
{
	free(t->entry);
}
