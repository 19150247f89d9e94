/*
 * Which of a sample's values counts. A value whose unit is `count` is the
 * number of samples, and the period comes from the profile, else from its
 * times. Without one, a value of time becomes microseconds, that is samples
 * with a period of one; anything else, as bytes, is taken as it is.
 */
#include <string.h>

#include "format/pprof/read.h"

static int
is_word(struct bob_bytes s, const char *word)
{
	return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

/* Nanoseconds in a unit; 0: not one of time. */
static uint64_t
unit_of_time(struct bob_bytes unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} known[] = {
		{ "nanoseconds", 1 },
		{ "nanosecond", 1 },
		{ "ns", 1 },
		{ "microseconds", 1000 },
		{ "microsecond", 1000 },
		{ "us", 1000 },
		{ "milliseconds", 1000000 },
		{ "millisecond", 1000000 },
		{ "ms", 1000000 },
		{ "seconds", 1000000000 },
		{ "second", 1000000000 },
		{ "s", 1000000000 },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is_word(unit, known[i].name))
			return known[i].ns;
	return 0;
}

static int
is_count(const struct pprof_reader *rd, size_t i)
{
	return is_word(pprof_string(rd, rd->type[i].unit), "count");
}

/* The column that the profile itself shows first: its default, else the
 * last. */
static size_t
default_column(const struct pprof_reader *rd)
{
	size_t i;

	for (i = 0; i < rd->n_types && rd->default_type != 0; i++)
		if (rd->type[i].type == rd->default_type)
			return i;
	return rd->n_types - 1;
}

/* The default if it counts, else the one before it that does (counts stand
 * in front of what they count), else any; n_types: none. */
static size_t
count_column(const struct pprof_reader *rd)
{
	size_t i = default_column(rd) + 1;

	while (i > 0)
		if (is_count(rd, --i))
			return i;
	for (i = 0; i < rd->n_types && !is_count(rd, i); i++)
		;
	return i;
}

/* The column of times: that of the period if it is there, else the first;
 * n_types: none. */
static size_t
time_column(const struct pprof_reader *rd)
{
	size_t first = rd->n_types, i = rd->n_types;

	while (i-- > 0) {
		if (unit_of_time(pprof_string(rd, rd->type[i].unit)) == 0)
			continue;
		if (rd->type[i].type == rd->period_type.type)
			return i;
		first = i;
	}
	return first;
}

/* Sums up how many samples there are, and how much time their values say. */
static int
sum_values(struct pprof_reader *rd, uint64_t *ret_count, uint64_t *ret_ns)
{
	uint64_t sum[PPROF_MAX_TYPES] = { 0 };
	struct pprof_field f;
	size_t i = time_column(rd);
	int r;

	*ret_count = *ret_ns = 0;
	if (i == rd->n_types)
		return BOB_OK;
	while ((r = pprof_next_field(rd, 1u << PROFILE_SAMPLE, &f)) == BOB_OK)
		if (f.f.number == PROFILE_SAMPLE)
			pprof_sum_values(&f, sum);
	if (r != BOB_EOF)
		return r;
	*ret_count = sum[rd->column];
	*ret_ns = count_mul(sum[i],
	    unit_of_time(pprof_string(rd, rd->type[i].unit)));
	return pprof_rewind(rd);
}

/* The period that the profile tells, unless its samples say otherwise: then
 * what they took on the average. */
static int
choose_period(struct pprof_reader *rd)
{
	uint64_t unit = unit_of_time(pprof_string(rd, rd->period_type.unit));
	uint64_t ns = 0, count, time_ns;
	int r = sum_values(rd, &count, &time_ns);

	if (r != BOB_OK)
		return r;
	if (rd->period <= BOB_MAX_COUNT)
		ns = count_mul(rd->period, unit);
	if (count > 0 && time_ns > 0 && count_mul(count, ns) != time_ns) {
		if (ns > 0)
			err_diag(rd->src->ctx, BOB_OK, BOB_E_NONE,
			    BOB_NO_OFFSET, "pprof: samples do not weigh the "
			    "period of the profile; their average is taken "
			    "for it");
		ns = time_ns / count;
	}
	rd->segment.period_us = ns / 1000 + (ns % 1000 >= 500);
	if (ns > 0 && rd->segment.period_us == 0)
		rd->segment.period_us = 1;
	return BOB_OK;
}

static void
note_type(struct pprof_reader *rd, const char *how)
{
	struct bob_bytes type = pprof_string(rd, rd->type[rd->column].type);
	struct bob_bytes unit = pprof_string(rd, rd->type[rd->column].unit);

	err_diag(rd->src->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
	    "pprof: of %zu types of values, %.*s (%.*s) is read%s",
	    rd->n_types, (int)(type.n < 64 ? type.n : 64), type.p,
	    (int)(unit.n < 64 ? unit.n : 64), unit.p, how);
}

int
pprof_choose_type(struct pprof_reader *rd)
{
	size_t i, n_counts = 0;

	if (rd->n_types == 0)
		return BOB_OK;
	for (i = 0; i < rd->n_types; i++)
		n_counts += is_count(rd, i) != 0;
	rd->column = count_column(rd);
	if (rd->column < rd->n_types) {
		if (n_counts > 1)
			note_type(rd, "");
		return choose_period(rd);
	}
	rd->column = default_column(rd);
	rd->unit_ns = unit_of_time(pprof_string(rd,
	    rd->type[rd->column].unit));
	rd->segment.period_us = rd->unit_ns != 0;
	note_type(rd, rd->unit_ns != 0 ? ", a sample per microsecond" :
	    ", as if it were a number of samples");
	return BOB_OK;
}

uint64_t
pprof_count(struct pprof_reader *rd, uint64_t value)
{
	uint64_t ns;

	if (rd->unit_ns == 0)
		return count_add(value, 0);
	if (rd->unit_ns >= 1000)
		return count_mul(value, rd->unit_ns / 1000);
	ns = count_add(value, rd->remainder);
	rd->remainder = ns % 1000;
	return ns / 1000;
}
