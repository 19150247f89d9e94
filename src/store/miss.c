/*
 * Which segments a question needs. A segment is left out only if its facts
 * prove that it has no sample that is asked for.
 */
#include <string.h>

#include <bobbin/store.h>

static int
misses_time(const struct bob_segment_info *g, const struct bob_filter *f)
{
	/* Samples without a date pass no filter by date. */
	return g->t_last == 0 || g->t_first >= f->date_to ||
	    g->t_last < f->date_from;
}

static int
has_pid(const struct bob_segment_info *g, uint64_t pid)
{
	size_t from = 0, to = g->n_processes;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (g->processes[middle].pid == pid)
			return 1;
		if (g->processes[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	return 0;
}

static int
misses_pids(const struct bob_segment_info *g, const struct bob_filter *f)
{
	size_t i;

	if (f->n_pids == 0 || (g->facts & BOB_SEGMENT_MORE_PIDS) != 0)
		return 0;
	for (i = 0; i < f->n_pids; i++)
		if (has_pid(g, f->pids[i]))
			return 0;
	return 1;
}

static int
misses_route(const struct bob_segment_info *g, const char *route)
{
	size_t from = 0, to = g->n_routes;

	/* An index does not name the empty route. */
	if ((g->facts & BOB_SEGMENT_MORE_ROUTES) != 0 || *route == '\0')
		return 0;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int r = strcmp(g->routes[middle].route, route);

		if (r == 0)
			return 0;
		if (r < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return 1;
}

int
bob_segment_misses(const struct bob_segment_info *g, const struct bob_query *q)
{
	const struct bob_filter *f = q->filter;

	if (f != NULL && (f->flags & BOB_FILTER_DATE) != 0 &&
	    misses_time(g, f))
		return BOB_MISS_TIME;
	if (q->service != NULL && strcmp(q->service, g->service) != 0)
		return BOB_MISS_SERVICE;
	if (q->host != NULL && strcmp(q->host, g->host) != 0)
		return BOB_MISS_HOST;
	if (f != NULL && misses_pids(g, f))
		return BOB_MISS_PID;
	return q->route != NULL && misses_route(g, q->route) ? BOB_MISS_ROUTE
	                                                     : BOB_MISS_NONE;
}
