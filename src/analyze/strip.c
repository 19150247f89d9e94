/* Bins of time that widen; see the header. */
#include "analyze/strip.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* A bin at the beginning: about a millisecond. */
#define FIRST_SHIFT 10u

void
strip_init(struct strip *s, struct rows *rows, int side)
{
	memset(s, 0, sizeof(*s));
	s->ctx = rows->ctx;
	s->rows = rows;
	s->side = (uint8_t)side;
	s->shift = FIRST_SHIFT;
}

void
strip_done(struct strip *s)
{
	free(s->entry);
}

static int
compare(const void *a, const void *b)
{
	const struct strip_entry *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

/*
 * Joins each entry with the one before it of its row, when that has the same
 * bin; last[] is by row, zeroed. Samples come in the order of their times, or
 * nearly, so that this finds nearly all.
 */
static void
join(struct strip *s, uint32_t *last)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		struct strip_entry e = s->entry[i];
		uint32_t *at = &last[e.row];

		if (*at != 0 && s->entry[*at - 1].bin == e.bin) {
			s->entry[*at - 1].samples =
			    count_add(s->entry[*at - 1].samples, e.samples);
		} else {
			s->entry[n] = e;
			*at = (uint32_t)++n;
		}
	}
	s->n = n;
}

/* Doubles the width of bins. */
static void
widen(struct strip *s)
{
	uint32_t r;
	size_t i;

	s->shift++;
	for (i = 0; i < s->n; i++)
		s->entry[i].bin /= 2;
	for (r = 0; r < s->rows->n; r++)
		if (s->rows->row[r].key.side == s->side)
			s->rows->row[r].bin /= 2;
	s->n_bins = (s->n_bins + 1) / 2;
}

/* Makes room by joining, in wider bins if need be. BOB_OK or FATAL. */
static int
shrink(struct strip *s)
{
	size_t size = s->rows->n * sizeof(uint32_t);
	uint32_t *last = malloc(size);

	if (last == NULL)
		return err_nomem(s->ctx);
	memset(last, 0, size);
	join(s, last);
	while (s->n_bins > STRIP_MIN_BINS && s->n * 2 > STRIP_ENTRIES) {
		widen(s);
		memset(last, 0, size);
		join(s, last);
	}
	/* Crafted times that jump to and fro leave entries that join cannot
	 * see: only then is it worth sorting. */
	if (s->n > (size_t)STRIP_MIN_BINS * s->rows->n) {
		qsort(s->entry, s->n, sizeof(*s->entry), compare);
		memset(last, 0, size);
		join(s, last);
	}
	free(last);
	return BOB_OK;
}

/* Makes an entry of what a row holds back. */
static int
flush(struct strip *s, uint32_t id)
{
	struct row *row = &s->rows->row[id];

	if (row->in_bin == 0)
		return BOB_OK;
	if (s->n >= STRIP_ENTRIES && s->n == s->cap_entry && shrink(s) < 0)
		return BOB_FATAL;
	if (MEM_GROW(s->ctx, s, entry, s->n + 1) < 0)
		return BOB_FATAL;
	s->entry[s->n++] = (struct strip_entry){ id, row->bin, row->in_bin };
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
		widen(s);
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
