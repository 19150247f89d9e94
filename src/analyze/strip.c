/* Bins of time that widen; see the header. */
#include "analyze/strip.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* A bin at the beginning: about a millisecond. */
#define FIRST_SHIFT 10u

/* Bins can be widened as often as makes one of them, and not at all. */
#define N_WIDER 11u

_Static_assert(STRIP_BINS >> (N_WIDER - 1) == 1, "bins need other widths");

/* How many n bins are when they are 2^more times as wide. */
static uint32_t
wider(uint32_t n, unsigned more)
{
	return (n + (1u << more) - 1) >> more;
}

void
strip_init(struct strip *s, struct rows *rows, int side)
{
	memset(s, 0, sizeof(*s));
	s->ctx = rows->ctx;
	s->rows = rows;
	s->side = (uint8_t)side;
	s->shift = FIRST_SHIFT;
	s->limit = STRIP_ENTRIES;
}

void
strip_done(struct strip *s)
{
	MEM_DROP_BIG(s->ctx, s, entry);
}

static int
compare(const void *a, const void *b)
{
	const struct strip_entry *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

/* The newest entry of a row, while entries are walked. */
struct tail {
	uint32_t at; /* entry + 1; 0: none yet */
	uint32_t bin;
};

/* By how much bins must be widened for two of them to be one. */
static unsigned
distance(uint32_t a, uint32_t b)
{
	return a == b ? 0 : 32 - (unsigned)__builtin_clz(a ^ b);
}

/*
 * How many entries would be joined with the one before them of their row, if
 * bins were 2^i times as wide: joins[i]. Samples come in the order of their
 * times, or nearly, so that this finds nearly all that have the same bin.
 */
static void
count_joins(const struct strip *s, struct tail *tail, size_t *joins)
{
	size_t i;

	memset(joins, 0, N_WIDER * sizeof(*joins));
	for (i = 0; i < s->n; i++) {
		struct tail *t = &tail[s->entry[i].row];

		if (t->at != 0)
			joins[distance(t->bin, s->entry[i].bin)]++;
		*t = (struct tail){ 1, s->entry[i].bin };
	}
	for (i = 1; i < N_WIDER; i++)
		joins[i] += joins[i - 1];
}

/* Makes bins 2^more times as wide. */
static void
widen(struct strip *s, unsigned more)
{
	uint32_t i, n = s->n_bins;
	size_t k;

	s->shift += more;
	for (k = 0; k < s->n; k++)
		s->entry[k].bin >>= more;
	for (i = 0; i < s->rows->n; i++)
		if (s->rows->row[i].key.side == s->side)
			s->rows->row[i].bin >>= more;
	s->n_bins = wider(n, more);
	for (i = 0; i < n; i++) {
		uint64_t samples = s->total[i];

		s->total[i] = 0;
		s->total[i >> more] = count_add(s->total[i >> more], samples);
	}
}

/* Joins each entry with the one before it of its row that has the same bin. */
static void
join(struct strip *s, struct tail *tail)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		struct strip_entry e = s->entry[i];
		struct tail *t = &tail[e.row];

		if (t->at != 0 && t->bin == e.bin) {
			s->entry[t->at - 1].samples =
			    count_add(s->entry[t->at - 1].samples, e.samples);
		} else {
			s->entry[n] = e;
			*t = (struct tail){ (uint32_t)++n, e.bin };
		}
	}
	s->n = n;
}

/* Makes room by joining, in wider bins if need be. BOB_OK or FATAL. */
static int
shrink(struct strip *s)
{
	size_t size = s->rows->n * sizeof(struct tail), joins[N_WIDER];
	struct tail *tail = malloc(size);
	unsigned more = 0;

	if (tail == NULL)
		return err_nomem(s->ctx);
	memset(tail, 0, size);
	count_joins(s, tail, joins);
	while (wider(s->n_bins, more) > STRIP_MIN_BINS &&
	    (s->n - joins[more]) * 2 > STRIP_ENTRIES)
		more++;
	if (more > 0)
		widen(s, more);
	/* Less is not worth a pass: they may wait. */
	if (joins[more] >= s->n / 8) {
		memset(tail, 0, size);
		join(s, tail);
	}
	/* Crafted times that jump to and fro leave entries that join cannot
	 * see: only then is it worth sorting. */
	if (s->n > (size_t)STRIP_MIN_BINS * s->rows->n) {
		qsort(s->entry, s->n, sizeof(*s->entry), compare);
		memset(tail, 0, size);
		join(s, tail);
	}
	free(tail);
	/* The work is for what has come since. */
	s->limit = s->n * 2 > STRIP_ENTRIES ? s->n * 2 : STRIP_ENTRIES;
	return BOB_OK;
}

/* Makes an entry of what a row holds back. */
static int
flush(struct strip *s, uint32_t id)
{
	struct row *row = &s->rows->row[id];

	if (row->in_bin == 0)
		return BOB_OK;
	if (s->n >= s->limit && shrink(s) < 0)
		return BOB_FATAL;
	if (MEM_GROW_BIG(s->ctx, s, entry, s->n + 1) < 0)
		return BOB_FATAL;
	s->entry[s->n++] = (struct strip_entry){ id, row->bin, row->in_bin };
	s->total[row->bin] = count_add(s->total[row->bin], row->in_bin);
	row->in_bin = 0;
	return BOB_OK;
}

int
strip_flush(struct strip *s)
{
	uint32_t i;

	for (i = 0; i < s->rows->n; i++)
		if (s->rows->row[i].key.side == s->side && flush(s, i) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

int
strip_add(struct strip *s, uint32_t id, uint64_t at, uint64_t samples)
{
	struct row *row = &s->rows->row[id];
	uint64_t bin;

	/* Half of the range, so that the width itself cannot overflow. */
	if (at > UINT64_MAX / 2)
		at = UINT64_MAX / 2;
	while ((bin = strip_bin(s, at)) >= STRIP_BINS)
		widen(s, 1);
	if (bin != row->bin) {
		if (flush(s, id) < 0)
			return BOB_FATAL;
		/* Making room may have widened the bins. */
		bin = strip_bin(s, at);
		row->bin = (uint32_t)bin;
	}
	row->in_bin = count_add(row->in_bin, samples);
	if (bin >= s->n_bins)
		s->n_bins = (uint32_t)bin + 1;
	return BOB_OK;
}
