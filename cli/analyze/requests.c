/* Requests, one by one and by route. */
#include <stdlib.h>

#include "analyze.h"
#include "print/msg.h"

static int
by_count(const void *a, const void *b)
{
	const struct analyze_row *x = a, *y = b;

	if (x->n_requests != y->n_requests)
		return x->n_requests < y->n_requests ? 1 : -1;
	return row_by_time(a, b);
}

static void
finish(struct analyze *a, struct section *s)
{
	size_t top = a->o.top > 0 ? a->o.top : 20;

	s->n = s->n_all < top ? s->n_all : top;
}

static int
fill_requests(struct analyze *a, struct section *s)
{
	struct report *r = &a->r;
	struct analyze_row *row;
	size_t i;

	r->request = bob_profile_requests(a->profile, &s->n_all);
	row = section_rows(s, s->n_all);
	if (row == NULL)
		return EXIT_FAILED;
	for (i = 0; i < s->n_all; i++) {
		row[i].index = i;
		row[i].sum.samples = r->request[i].samples;
		row[i].sum.time_us = r->request[i].time_us;
		request_share(r, &row[i], 1);
	}
	finish(a, s);
	return EXIT_OK;
}

static int
fill_routes(struct analyze *a, struct section *s, int is_by_count)
{
	struct report *r = &a->r;
	struct analyze_row *row;
	size_t i;

	r->route = bob_profile_routes(a->profile, &s->n_all);
	row = section_rows(s, s->n_all);
	if (row == NULL)
		return EXIT_FAILED;
	for (i = 0; i < s->n_all; i++) {
		const struct bob_route *t = &r->route[i];

		row[i].index = i;
		row[i].n_requests = t->n_requests;
		row[i].sum.samples = t->samples;
		row[i].sum.time_us = t->time_us;
		/* The samples of a request are a clump. */
		request_share(r, &row[i], t->n_requests == 0 ? 1
		    : (double)t->samples / (double)t->n_requests);
	}
	if (s->n_all > 1)
		qsort(row, s->n_all, sizeof(*row), is_by_count ? by_count
		                                               : row_by_time);
	finish(a, s);
	return EXIT_OK;
}

int
gather_requests(struct analyze *a, int id)
{
	struct section *s = &a->r.section[id];

	s->is_shown = 1;
	return id == SECTION_REQUESTS ? fill_requests(a, s)
	                              : fill_routes(a, s,
	                                    id == SECTION_FREQUENT);
}
