/* Bins of time that widen; see the header. */
#include "analyze/strip.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "pipeline/memo.h"

/* A bin at the beginning: a millisecond, or as many samples. */
#define FIRST_WIDTH 1000u

void
strip_init(struct strip *s, struct bob_ctx *ctx)
{
	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->width = FIRST_WIDTH;
}

void
strip_done(struct strip *s)
{
	free(s->entry);
	free(s->last);
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
 * bin. Samples come in the order of their times, or nearly, so that this
 * finds nearly all.
 */
static void
join(struct strip *s)
{
	size_t i, n = 0;

	if (s->last != NULL)
		memset(s->last, 0, s->cap_last * sizeof(*s->last));
	for (i = 0; i < s->n; i++) {
		struct strip_entry e = s->entry[i];
		uint32_t *last = &s->last[e.row];

		if (*last != 0 && s->entry[*last - 1].bin == e.bin) {
			s->entry[*last - 1].samples =
			    count_add(s->entry[*last - 1].samples, e.samples);
		} else {
			s->entry[n] = e;
			*last = (uint32_t)++n;
		}
	}
	s->n = n;
}

/* Doubles the width of bins. */
static void
widen(struct strip *s)
{
	size_t i;

	s->width *= 2;
	for (i = 0; i < s->n; i++)
		s->entry[i].bin /= 2;
	s->n_bins = (s->n_bins + 1) / 2;
}

/* Makes room by joining bins; returns how often they were doubled. */
static unsigned
shrink(struct strip *s)
{
	unsigned doubled = 0;

	while (s->n_bins > STRIP_MIN_BINS && s->n * 2 > STRIP_ENTRIES) {
		widen(s);
		doubled++;
		join(s);
	}
	/* Crafted times that jump to and fro leave entries that join cannot
	 * see: only then is it worth sorting. */
	if (s->n > STRIP_MIN_BINS * s->cap_last) {
		qsort(s->entry, s->n, sizeof(*s->entry), compare);
		join(s);
	}
	return doubled;
}

static int
append(struct strip *s, uint32_t row, uint32_t bin, uint64_t samples)
{
	if (s->n >= STRIP_ENTRIES && s->n == s->cap_entry)
		bin >>= shrink(s);
	if (MEMO_GROW(s->ctx, s, last, (size_t)row + 1) < 0 ||
	    MEM_GROW(s->ctx, s, entry, s->n + 1) < 0)
		return BOB_FATAL;
	s->entry[s->n] = (struct strip_entry){ row, bin, samples };
	s->last[row] = (uint32_t)++s->n;
	if (bin >= s->n_bins)
		s->n_bins = bin + 1;
	return BOB_OK;
}

int
strip_add(struct strip *s, uint32_t row, uint64_t at, uint64_t samples)
{
	struct strip_entry *e;
	int widened = 0;

	/* Half of the range, so that the width itself cannot overflow. */
	if (at > UINT64_MAX / 2)
		at = UINT64_MAX / 2;
	while (at / s->width >= STRIP_BINS) {
		widen(s);
		widened = 1;
	}
	if (widened)
		join(s);
	if (row < s->cap_last && s->last[row] != 0) {
		e = &s->entry[s->last[row] - 1];
		if (e->bin == at / s->width) {
			e->samples = count_add(e->samples, samples);
			return BOB_OK;
		}
	}
	return append(s, row, (uint32_t)(at / s->width), samples);
}
