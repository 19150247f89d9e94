/*
 * --budget: how a limited number of lines is shared. First each section, in
 * order, gets its title and one row, as long as there is room. Then sections
 * get one more row each, in turn, until no line is left. Sections that stand
 * side by side count once.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze.h"
#include "print/plain.h"
#include "print/msg.h"

/* Sections that share a row of the layout. */
struct unit {
	int id[N_SECTIONS];
	size_t n;
	size_t around;    /* lines besides rows */
	size_t want, has; /* rows */
	int is_in;
};

/* Lines around the rows of a section, by style. */
static size_t
lines_around(const struct analyze *a, int id)
{
	if (a->o.style == STYLE_CSV || a->o.style == STYLE_JSON)
		return 0;
	if (a->r.section[id].n == 0)
		return a->o.style == STYLE_MD ? 3 : 2;
	switch (id) {
	case SECTION_TAIL:
		return a->o.style == STYLE_MD ? 4 : 1;
	case SECTION_TIMELINE: /* title, all samples, axis */
		return a->o.style == STYLE_MD ? 6 : 3;
	default: /* title, heads; borders, in reli's tables */
		return a->o.style == STYLE_MD ? 4
		    : a->o.style == STYLE_RELI ? 5 : 2;
	}
}

static size_t
rows_wanted(const struct analyze *a, int id)
{
	const struct section *s = &a->r.section[id];
	int is_text = a->o.style != STYLE_CSV && a->o.style != STYLE_JSON;

	if (s->n == 0)
		return 0;
	if (id == SECTION_TAIL && is_text)
		return tail_lines(a);
	/* The strip of all samples is not a row. */
	if (id == SECTION_TIMELINE && is_text)
		return s->n - 1;
	if (id == SECTION_TIMELINE && a->o.style == STYLE_CSV)
		return a->r.n_bins - a->r.first_bin;
	return s->n;
}

static size_t
max(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t
find_units(const struct analyze *a, struct unit *v)
{
	const struct layout *l = &a->o.layout;
	int is_text = a->o.style == STYLE_TABLES || a->o.style == STYLE_RELI;
	size_t n = 0, i;

	for (i = 0; i < l->n; i++) {
		int id = l->section[i];
		struct unit *u;

		if (!a->r.section[id].is_shown)
			continue;
		if (n == 0 || !is_text || begins_row(a, i))
			v[n++] = (struct unit){ .is_in = 1 };
		u = &v[n - 1];
		u->id[u->n++] = id;
		u->around = max(u->around, lines_around(a, id));
		u->want = max(u->want, rows_wanted(a, id));
	}
	return n;
}

/* Lines that belong to no section. */
static size_t
lines_fixed(const struct analyze *a)
{
	struct span l = { 0 };
	size_t i, n = 2; /* a title and a blank line */

	if (a->o.style == STYLE_CSV)
		return 1;
	if (a->o.style != STYLE_MD)
		return 0;
	for (i = 0; summary_line(a, i, &l); i++) {
		n += l.n > 0;
		span_done(&l);
	}
	return n;
}

/* Lines between sections. */
static size_t
fit_gap(const struct analyze *a, size_t i)
{
	if (a->o.style == STYLE_CSV || a->o.style == STYLE_JSON)
		return 0;
	return a->o.style == STYLE_MD || i > 0;
}

static size_t
lines_needed(const struct analyze *a, const struct unit *v, size_t n)
{
	size_t sum = lines_fixed(a), i;

	for (i = 0; i < n; i++)
		sum += fit_gap(a, i) + v[i].around + v[i].want;
	return sum;
}

static void
fit_spend(const struct analyze *a, struct unit *v, size_t n, size_t left)
{
	size_t i, need, n_in = 0;
	int has_more = 1;

	for (i = 0; i < n; i++) {
		need = fit_gap(a, n_in) + v[i].around + (v[i].want > 0);
		v[i].is_in = need <= left;
		if (!v[i].is_in)
			continue;
		n_in++;
		left -= need;
		v[i].has = v[i].want > 0;
	}
	while (left > 0 && has_more) {
		has_more = 0;
		for (i = 0; i < n && left > 0; i++) {
			if (!v[i].is_in || v[i].has == v[i].want)
				continue;
			v[i].has++;
			left--;
			has_more = 1;
		}
	}
}

static void
fit_apply(struct analyze *a, const struct unit *u)
{
	size_t k, want;

	for (k = 0; k < u->n; k++) {
		struct section *s = &a->r.section[u->id[k]];

		want = rows_wanted(a, u->id[k]);
		s->n_shown = want < u->has ? want : u->has;
		s->is_dropped = !u->is_in;
		if (!u->is_in)
			s->is_shown = 0;
	}
}

/* Lines of the sentences at the beginning, with the blank one behind them. */
static size_t
lines_of_answer(struct analyze *a)
{
	struct block b = { 0 };
	size_t n;

	if (a->o.style == STYLE_MD)
		answer_md(a, &b);
	else if (a->o.style == STYLE_TABLES)
		answer_text(a, &b);
	n = b.n > 0 ? b.n + 1 : 0;
	block_done(&b);
	return n;
}

int
analyze_fit(struct analyze *a)
{
	struct unit v[N_SECTIONS];
	size_t n, i, fixed;

	a->r.is_cut = 0;
	n = find_units(a, v);
	if (a->o.budget > 0 &&
	    lines_needed(a, v, n) + lines_of_answer(a) > a->o.budget) {
		a->r.is_cut = 1;
		/* In JSON it takes no line. */
		a->r.has_answer &= a->o.style == STYLE_JSON;
		/* One more says what is missing, with a line above it in
		 * Markdown. In CSV and JSON that costs none. */
		fixed = lines_fixed(a);
		if (a->o.style == STYLE_MD)
			fixed += 2;
		else if (a->o.style != STYLE_CSV && a->o.style != STYLE_JSON)
			fixed++;
		fit_spend(a, v, n, a->o.budget > fixed ? a->o.budget - fixed
		                                       : 0);
		for (i = 0; i < n; i++)
			fit_apply(a, &v[i]);
	}
	return tree_settle(a);
}

void
left_out(const struct analyze *a, struct span *l)
{
	const char *sign = ": ";
	char buf[NUMBER_TEXT];
	size_t i;

	span_printf(l, "left out by --budget %zu", a->o.budget);
	for (i = 0; i < a->o.layout.n; i++) {
		int id = a->o.layout.section[i];
		const struct section *s = &a->r.section[id];
		size_t want = rows_wanted(a, id);

		if (!s->is_dropped && s->n_shown >= want)
			continue;
		span_printf(l, "%s", sign);
		if (!s->is_dropped)
			span_printf(l, "%s of ", number_nouns(buf,
			    want - s->n_shown, id == SECTION_TAIL ? "line"
			    : "row"));
		span_put(l, section_name(id));
		sign = ", ";
	}
}
