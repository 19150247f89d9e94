/* Bins of time that widen; see the header. */
#include "analyze/strip.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* The first width of a bin: about a millisecond. */
#define FIRST_SHIFT 10u

/* How many widths there are: from all bins to a single one. */
#define N_WIDER 11u

_Static_assert(STRIP_BINS >> (N_WIDER - 1) == 1, "bins need other widths");

/* Returns how many bins are left of n when they are 2^more times as wide. */
static uint32_t
n_wider_bins(uint32_t n, unsigned more)
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
compare_entries(const void *a, const void *b)
{
	const struct strip_entry *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

/* The last entry of a row, during a pass over the entries. */
struct tail {
	uint32_t at; /* entry + 1; 0: none yet */
	uint32_t bin;
};

/* Returns how often bins must be doubled until a and b are the same bin. */
static unsigned
bin_distance(uint32_t a, uint32_t b)
{
	return a == b ? 0 : 32 - (unsigned)__builtin_clz(a ^ b);
}

/*
 * Sets joins[i] to the number of entries that would be joined with the entry
 * before them of the same row, if bins were 2^i times as wide. Samples are
 * nearly in the order of their times, so this finds nearly all entries with the
 * same bin.
 */
static void
count_joins(const struct strip *s, struct tail *tail, size_t *joins)
{
	size_t i;

	memset(joins, 0, N_WIDER * sizeof(*joins));
	for (i = 0; i < s->n; i++) {
		struct tail *t = &tail[s->entry[i].row];

		if (t->at != 0)
			joins[bin_distance(t->bin, s->entry[i].bin)]++;
		*t = (struct tail){ 1, s->entry[i].bin };
	}
	for (i = 1; i < N_WIDER; i++)
		joins[i] += joins[i - 1];
}

/* Makes bins 2^more times as wide. */
static void
strip_widen(struct strip *s, unsigned more)
{
	uint32_t i, n = s->n_bins;
	size_t k;

	s->shift += more;
	for (k = 0; k < s->n; k++)
		s->entry[k].bin >>= more;
	for (i = 0; i < s->rows->n; i++)
		if (s->rows->row[i].key.side == s->side)
			s->rows->row[i].bin >>= more;
	s->n_bins = n_wider_bins(n, more);
	for (i = 0; i < n; i++) {
		uint64_t samples = s->total[i];

		s->total[i] = 0;
		s->total[i >> more] = count_add(s->total[i >> more], samples);
	}
}

/* Joins each entry with the one before it of the same row and bin. */
static void
join_entries(struct strip *s, struct tail *tail)
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

/* Makes room by joining entries, with wider bins if needed. Returns BOB_OK or
 * FATAL. */
static int
strip_shrink(struct strip *s)
{
	size_t size = s->rows->n * sizeof(struct tail), joins[N_WIDER];
	/* NOLINT(clang-analyzer-optin.portability.UnixAPI): entries, of which
	 * there are too many, have rows. */
	struct tail *tail = malloc(size);
	unsigned more = 0;

	if (tail == NULL)
		return err_nomem(s->ctx);
	memset(tail, 0, size);
	count_joins(s, tail, joins);
	while (n_wider_bins(s->n_bins, more) > STRIP_MIN_BINS &&
	    (s->n - joins[more]) * 2 > STRIP_ENTRIES)
		more++;
	if (more > 0)
		strip_widen(s, more);
	/* Fewer joins are not worth a pass. */
	if (joins[more] >= s->n / 8) {
		memset(tail, 0, size);
		join_entries(s, tail);
	}
	/* Crafted times that jump back and forth leave equal entries apart.
	 * Only then sorting is worth it. */
	if (s->n > (size_t)STRIP_MIN_BINS * s->rows->n) {
		qsort(s->entry, s->n, sizeof(*s->entry), compare_entries);
		memset(tail, 0, size);
		join_entries(s, tail);
	}
	free(tail);
	/* The next pass is due when the entries have doubled. */
	s->limit = s->n * 2 > STRIP_ENTRIES ? s->n * 2 : STRIP_ENTRIES;
	return BOB_OK;
}

/* Makes an entry of the samples that a row holds. */
static int
flush_row(struct strip *s, uint32_t id)
{
	struct row *row = &s->rows->row[id];

	if (row->in_bin == 0)
		return BOB_OK;
	assert(row->key.side == s->side);
	if (s->n >= s->limit && strip_shrink(s) < 0)
		return BOB_FATAL;
	assert(row->bin < s->n_bins && s->n_bins <= STRIP_BINS);
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
		if (s->rows->row[i].key.side == s->side && flush_row(s, i) < 0)
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
		strip_widen(s, 1);
	if (bin != row->bin) {
		if (flush_row(s, id) < 0)
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
