/*
 * The time line: how many samples there were and how many of them the heaviest
 * keys had, as spark lines, each relative to its own maximum.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "print/plain.h"
#include "print/msg.h"

#define N_STRIPS 8 /* rows below the time line, at most */

/* Narrower ones have no errors, and shorter strips, for the names. */
#define WIDE 80

/* Columns of a strip, when the width is not known. */
#define COLUMNS 64

static int
take_strip(struct analyze *a, uint32_t key)
{
	struct report *r = &a->r;
	struct analyze_strip *s = &r->strip[r->n_strips];
	struct bob_timeline t;

	if (bob_view_timeline(r->view, key, &t) < 0)
		return job_error(&a->job);
	s->samples = calloc((size_t)t.n + 1, sizeof(*s->samples));
	if (s->samples == NULL)
		return msg_no_memory();
	memcpy(s->samples, t.samples, t.n * sizeof(*s->samples));
	s->key = key;
	r->n_strips++;
	r->bin_us = t.bin_us;
	r->n_bins = t.n;
	return EXIT_OK;
}

/* Leaves out the bins without samples at both ends. */
static void
trim(struct report *r)
{
	const uint64_t *all = r->strip[0].samples;

	while (r->n_bins > 0 && all[r->n_bins - 1] == 0)
		r->n_bins--;
	while (r->first_bin < r->n_bins && all[r->first_bin] == 0)
		r->first_bin++;
}

int
gather_timeline(struct analyze *a)
{
	struct section *s = &a->r.section[SECTION_TIMELINE];
	struct analyze_row *row = section_rows(s, N_STRIPS + 1);
	const struct bob_row *v;
	uint32_t key[N_STRIPS];
	double self[N_STRIPS], total[N_STRIPS];
	size_t n = 0, i;
	int code;

	a->r.strip = calloc(N_STRIPS + 1, sizeof(*a->r.strip));
	if (row == NULL || a->r.strip == NULL)
		return EXIT_FAILED;
	s->is_shown = 1;
	v = bob_view_rows(a->r.view, a->r.by_time ? BOB_BY_SELF_TIME
	    : BOB_BY_SELF, &n);
	n = n < N_STRIPS ? n : N_STRIPS;
	code = take_strip(a, 0);
	row[0].sum = a->r.whole;
	row_share(&a->r, &row[0], 1);
	for (i = 0; code == EXIT_OK && i < n; i++) {
		key[i] = row[i + 1].key = v[i].key;
		row[i + 1].sum = row[i + 1].total = v[i].total;
		row[i + 1].self = v[i].self;
		code = take_strip(a, v[i].key);
	}
	if (code == EXIT_OK && n > 0 &&
	    bob_view_clumping(a->r.view, key, n, self, total) < 0)
		code = job_error(&a->job);
	if (code != EXIT_OK)
		return code;
	for (i = 0; i < n; i++)
		row_share(&a->r, &row[i + 1], total[i]);
	trim(&a->r);
	s->n = s->n_all = a->r.n_bins > a->r.first_bin ? n + 1 : 0;
	return EXIT_OK;
}

uint64_t
strip_sum(const struct report *r, const struct analyze_strip *s, size_t first,
    size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = first; i < first + n && i < r->n_bins; i++)
		sum = plain_add(sum, s->samples[i]);
	return sum;
}

/* Returns one of n characters for a part of a whole; the first stands for
 * 0. */
static const char *
shade(const char *const *v, size_t n, uint64_t part, uint64_t whole)
{
	size_t i;

	if (part == 0 || whole == 0)
		return v[0];
	i = (size_t)((double)part / (double)whole * (double)(n - 1) + 0.5);
	return v[i < 1 ? 1 : i < n ? i : n - 1];
}

static void
put_spark(const struct analyze *a, const uint64_t *v, size_t n, uint64_t max,
    struct span *l)
{
	static const char *const utf8[] = { " ", "\xe2\x96\x81",
		"\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87",
		"\xe2\x96\x88" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*",
		"%", "#" };
	size_t i;

	for (i = 0; i < n; i++)
		span_put(l, shade(a->o.is_ascii ? ascii : utf8, 9, v[i], max));
}

/* True if the columns differ by no more than chance makes them differ: the
 * variance is about the mean, or all are within a twentieth of it. */
static int
is_even(const uint64_t *v, size_t n)
{
	double sum = 0, squares = 0, mean, low = (double)v[0], high = low;
	size_t i;

	for (i = 0; i < n; i++) {
		double x = (double)v[i];

		sum += x;
		squares += x * x;
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	mean = sum / (double)n;
	return n > 1 && mean >= 1 && (high - low <= mean / 20 ||
	    squares / (double)n - mean * mean <= 1.5 * mean);
}

/* A row, relative to its own maximum. An even one says so. */
static void
put_row_spark(const struct analyze *a, const uint64_t *v, size_t n,
    struct span *l)
{
	size_t begin = l->width, i;
	uint64_t max = 0;

	for (i = 0; i < n; i++)
		max = v[i] > max ? v[i] : max;
	if (is_even(v, n)) {
		span_put(l, "even");
		span_pad(l, begin + n);
	} else
		put_spark(a, v, n, max, l);
}

static void
put_label(const struct analyze *a, const struct analyze_row *row,
    uint64_t max, size_t width, struct span *l)
{
	char n[NUMBER_TEXT];

	if (row->key == 0) {
		span_printf(l, "all, up to %s a column",
		    number_nouns(n, max, "sample"));
		return;
	}
	span_printf(l, "%5.1f%%", 100 * row->share.share);
	if (width == 0 || width >= WIDE)
		span_printf(l, " %s%.1f", a->o.is_ascii ? "+-" : "\xc2\xb1",
		    100 * (row->share.high - row->share.low) / 2);
	span_put(l, "  ");
	put_key_name(a, a->r.view, row->key, l);
}

static void
put_axis(const struct analyze *a, size_t columns, struct block *b)
{
	char from[NUMBER_TEXT], to[NUMBER_TEXT];
	struct span *l = block_line(b), end = { 0 };

	(void)number_time(from, plain_mul(a->r.first_bin, a->r.bin_us));
	(void)number_time(to, plain_mul(a->r.n_bins, a->r.bin_us));
	span_put(&end, to);
	span_printf(l, "  %s", from);
	span_pad(l, 2 + columns > end.width ? 2 + columns - end.width : 0);
	if (l->width > 2 + columns - end.width && columns > end.width)
		span_put(l, " ");
	span_add(l, &end);
	span_done(&end);
}

/* Returns how many bins make a column; *ret_columns is how many there are. */
static size_t
bins_of_column(const struct report *r, size_t width, size_t *ret_columns)
{
	size_t bins = r->n_bins - r->first_bin, most = COLUMNS, n;

	if (width > 0)
		most = width >= WIDE ? width / 2 : width / 3;
	most = most < 10 ? 10 : most > STRIP_COLUMNS ? STRIP_COLUMNS : most;
	n = (bins + most - 1) / most;
	n = n == 0 ? 1 : n;
	*ret_columns = (bins + n - 1) / n;
	return n;
}

void
timeline_text(struct analyze *a, size_t width, struct block *b)
{
	const struct report *r = &a->r;
	const struct section *s = &r->section[SECTION_TIMELINE];
	const char *mark = a->o.is_ascii ? "..." : "\xe2\x80\xa6";
	uint64_t all[STRIP_COLUMNS], v[STRIP_COLUMNS], max = 0;
	size_t columns, n = bins_of_column(r, width, &columns), i, k;

	for (i = 0; i < columns; i++) {
		all[i] = strip_sum(r, &r->strip[0], r->first_bin + i * n, n);
		max = all[i] > max ? all[i] : max;
	}
	for (k = 0; k < r->n_strips && k <= (r->is_cut ? s->n_shown : s->n);
	     k++) {
		struct span *l = block_line(b);

		for (i = 0; i < columns; i++)
			v[i] = strip_sum(r, &r->strip[k],
			    r->first_bin + i * n, n);
		span_put(l, "  ");
		if (k == 0)
			put_spark(a, v, columns, max, l);
		else
			put_row_spark(a, v, columns, l);
		span_put(l, "  ");
		put_label(a, &s->row[k], max, width, l);
		span_crop(l, width, 0, mark);
	}
	put_axis(a, columns, b);
}
