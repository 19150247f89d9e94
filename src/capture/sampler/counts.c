/* Adds and subtracts counts field by field; see counts.h. */
#include "capture/sampler/counts.h"

#include "core/mem.h"

typedef uint64_t operate_fn(uint64_t a, uint64_t b);

enum { N_SINGLE = 14 }; /* fields that are no arrays */

/* A new field has to be added to operate(), too. */
_Static_assert(sizeof(struct bob_capture_counts) ==
    (N_SINGLE + BOB_N_LOST + BOB_N_DELAYS) * sizeof(uint64_t),
    "each field of struct bob_capture_counts");

static void
operate(struct bob_capture_counts *a, const struct bob_capture_counts *b,
    operate_fn *fn)
{
	size_t i;

	a->taken = fn(a->taken, b->taken);
	a->idle = fn(a->idle, b->idle);
	a->lost = fn(a->lost, b->lost);
	for (i = 0; i < BOB_N_LOST; i++)
		a->lost_by[i] = fn(a->lost_by[i], b->lost_by[i]);
	a->retried = fn(a->retried, b->retried);
	a->repaired = fn(a->repaired, b->repaired);
	a->cut = fn(a->cut, b->cut);
	a->missed = fn(a->missed, b->missed);
	a->stops = fn(a->stops, b->stops);
	a->stopped_ns = fn(a->stopped_ns, b->stopped_ns);
	a->broken = fn(a->broken, b->broken);
	a->unmerged = fn(a->unmerged, b->unmerged);
	a->unread = fn(a->unread, b->unread);
	for (i = 0; i < BOB_N_DELAYS; i++)
		a->delay[i] = fn(a->delay[i], b->delay[i]);
	a->demoted = fn(a->demoted, b->demoted);
	a->inferred = fn(a->inferred, b->inferred);
}

static uint64_t
add_count(uint64_t a, uint64_t b)
{
	return count_add(a, b);
}

static uint64_t
subtract_count(uint64_t a, uint64_t b)
{
	return a - b;
}

void
counts_add(struct bob_capture_counts *sum, const struct bob_capture_counts *c)
{
	operate(sum, c, add_count);
}

void
counts_subtract(struct bob_capture_counts *now,
    const struct bob_capture_counts *before)
{
	operate(now, before, subtract_count);
}
