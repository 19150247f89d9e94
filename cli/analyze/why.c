/*
 * Why a report is empty. Each filter is tried alone on the same inputs, so
 * that the one that left nothing can be named.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze.h"
#include "print/plain.h"
#include "print/msg.h"

/* One filter of those that were given, by the options it comes from. */
static int
keep_only(struct bob_filter *f, const struct bob_filter *all, int id)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(*f);
	switch (id) {
	case OPT_PID:
		f->pids = all->pids;
		f->n_pids = all->n_pids;
		return all->pids != NULL;
	case OPT_THREAD:
		f->tids = all->tids;
		f->n_tids = all->n_tids;
		return all->tids != NULL;
	case OPT_STATUS:
		f->status_set = all->status_set;
		f->status_clear = all->status_clear;
		return all->status_set != 0 || all->status_clear != 0;
	case OPT_TIME:
		f->flags = all->flags & BOB_FILTER_TIME;
		f->t_from = all->t_from;
		f->t_to = all->t_to;
		return f->flags != 0;
	case OPT_ANNOTATION:
		f->annotations = all->annotations;
		f->n_annotations = all->n_annotations;
		return all->annotations != NULL;
	case OPT_HIDE:
		f->hide = all->hide;
		return all->hide != NULL;
	default:
		f->match = all->match;
		return all->match != NULL;
	}
}

static const struct {
	int id;
	const char *name;
} filters[] = {
	{ OPT_PID, "--pid" },
	{ OPT_THREAD, "--thread" },
	{ OPT_STATUS, "--status" },
	{ OPT_TIME, "--time" },
	{ OPT_ANNOTATION, "--annotation" },
	{ OPT_HIDE, "--hide" },
	{ OPT_MATCH, "--match" },
};

#define N_FILTERS (sizeof(filters) / sizeof(filters[0]))

/* Pipes give what they have only once, and growing files have all been read
 * too often already. */
static int
can_read_again(const struct analyze *a)
{
	struct stat st;
	size_t i;

	for (i = 0; i < a->job.n_inputs; i++)
		if (strcmp(a->job.inputs[i], "-") == 0 ||
		    stat(a->job.inputs[i], &st) < 0 ||
		    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
			return 0;
	return !a->o.follows;
}

/* How many samples a filter keeps; -1: unknown. */
static int64_t
kept_by(struct analyze *a, const struct bob_filter *f)
{
	struct bob_profile *p;
	uint64_t n;
	size_t i;

	if (!can_read_again(a) || analyze_profile(a, f, &p) != EXIT_OK)
		return -1;
	bob_ctx_on_diag(a->job.ctx, NULL, NULL);
	for (i = 0; i < a->job.n_inputs; i++)
		(void)bob_profile_add(p, a->job.inputs[i], 0);
	n = bob_profile_info(p, 0).n_samples;
	bob_profile_free(p);
	return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

static void
list_filters(struct span *l, const struct bob_filter *all)
{
	struct bob_filter f;
	const char *sign = "";
	size_t i;

	for (i = 0; i < N_FILTERS; i++) {
		if (!keep_only(&f, all, filters[i].id))
			continue;
		span_printf(l, "%s%s", sign, filters[i].name);
		sign = ", ";
	}
}

/* What each filter keeps by itself. */
static void
try_filters(struct analyze *a, struct span *l)
{
	struct bob_filter f;
	const char *sign = "";
	char n[NUMBER_TEXT];
	size_t i;

	for (i = 0; i < N_FILTERS; i++) {
		int64_t kept;

		if (!keep_only(&f, a->job.filter, filters[i].id))
			continue;
		kept = kept_by(a, &f);
		if (kept < 0) {
			span_done(l);
			list_filters(l, a->job.filter);
			return;
		}
		span_printf(l, "%s%s alone keeps %s", sign, filters[i].name,
		    kept == 0 ? "none" : number_count(n, (uint64_t)kept));
		sign = ", ";
	}
}

int
why_empty(struct analyze *a, struct span *l)
{
	const struct report *r = &a->r;
	char n[NUMBER_TEXT];

	if (r->whole.samples > 0)
		return 0;
	if (r->info.n_read == 0 && r->times.n_empty > 0)
		span_put(l, "nothing ran: a worker between requests has no "
		    "stack");
	else if (r->info.n_read == 0)
		span_put(l, "the input has no samples");
	else if (r->info.n_samples == 0 && r->times.idle_samples > 0 &&
	    r->times.idle_samples == r->times.samples)
		span_put(l, "all threads that were selected only waited for "
		    "work; --idle shows them");
	else if (r->info.n_samples > 0)
		span_put(l, "no sample has a stack");
	else {
		struct span why = { 0 };

		if (a->job.filter != NULL)
			try_filters(a, &why);
		span_printf(l, "none of %s passed the filters: ",
		    number_nouns(n, r->info.n_read, "sample"));
		span_add(l, &why);
		span_done(&why);
	}
	return 1;
}
