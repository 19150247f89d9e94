/* Answers about the whole: facts, tables, time lines, requests; see the
 * header. */
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/convert.h>
#include <bobbin/times.h>

#include "bins.h"
#include "branches.h"
#include "facets.h"
#include "flame.h"
#include "listing.h"
#include "order.h"
#include "question.h"
#include "sparks.h"
#include "texts.h"

/* Rows of a table that get a time line and an interval of their own. */
#define MAX_ROWS 500

/* ---- info -------------------------------------------------------------- */

struct track_sum {
	struct bob_sum sum;
	bob_tid track;
};

static int
by_weight(const void *a, const void *b)
{
	const struct track_sum *x = a, *y = b;

	if (x->sum.samples != y->sum.samples)
		return x->sum.samples < y->sum.samples ? 1 : -1;
	return x->track < y->track ? -1 : x->track > y->track;
}

/* Tracks with their sums, heaviest first; NULL without memory. */
static struct track_sum *
sum_tracks(struct view *v, size_t *ret_n)
{
	uint32_t n_tracks =
	    bob_dict_counts(bob_profile_dict(v->profile)).n_track;
	struct track_sum *t = calloc((size_t)n_tracks + 1, sizeof(*t));
	const struct bob_cell *cell;
	size_t i, n, n_used = 0;

	cell = bob_profile_cells(v->profile, &n);
	if (t == NULL || cell == NULL) {
		free(t);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		if (cell[i].side != v->is_diff)
			continue;
		t[cell[i].track].track = cell[i].track;
		t[cell[i].track].sum.samples += cell[i].samples;
		t[cell[i].track].sum.time_us += cell[i].time_us;
	}
	for (i = 0; i <= n_tracks; i++)
		if (t[i].sum.samples > 0)
			t[n_used++] = t[i];
	qsort(t, n_used, sizeof(*t), by_weight);
	*ret_n = n_used;
	return t;
}

static void
put_track(struct view *v, struct json *j, const struct track_sum *t)
{
	json_open(j, NULL, '{');
	question_put_track(j, v, t->track);
	json_u64(j, "samples", t->sum.samples);
	json_u64(j, "time_us", t->sum.time_us);
	json_close(j, '{');
}

/* The figures of docs/time.md, as all reports show them. */
static void
put_times(struct view *v, struct json *j)
{
	struct bob_filter filter = { .size = sizeof(filter), .idle = v->idle };
	struct bob_times t = { .size = sizeof(t) };
	struct bob_times_figure figure[BOB_TIMES_FIGURES];
	char line[BOB_TIMES_TEXT];
	size_t i, n;

	if (bob_profile_times(v->profile, v->is_diff, &filter, &t) < 0)
		return;
	n = bob_times_figures(&t, figure);
	json_open(j, "times", '[');
	for (i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		json_str(j, "label", figure[i].label);
		json_str(j, "text", figure[i].text);
		json_u64(j, "us", figure[i].us);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_u64(j, "idle_samples", t.idle_samples);
	json_str(j, "idle_rule", bob_times_idle_rule(&t));
	json_str(j, "idle_line", bob_times_idle(line, &t));
	json_bool(j, "hides_idle", v->idle == BOB_IDLE_HIDE);
	json_str(j, "missing", bob_times_loss(line, &t));
}

static const char *
state_name(int state)
{
	static const char *const name[] = { "complete", "following",
	    "recording", "ended" };

	return name[state];
}

static int
answer_info(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct bob_profile_info x = bob_profile_info(v->profile, v->is_diff);
	struct track_sum *t;
	size_t i, n_tracks;

	(void)rq;
	t = sum_tracks(v, &n_tracks);
	if (t == NULL)
		return question_no_memory(err, n);
	json_str(j, "title", v->title);
	json_u64(j, "version", v->version);
	json_bool(j, "follows", v->follows);
	json_str(j, "state", state_name(v->state));
	json_u64(j, "recorded_us", v->recorded_us);
	json_str(j, "note", v->note);
	json_bool(j, "is_diff", v->is_diff);
	json_u64(j, "samples", x.n_samples);
	json_u64(j, "time_us", x.time_us);
	json_u64(j, "waited_us", x.waited_us);
	json_u64_if(j, "period_us", x.period_us, x.period_us != 0);
	/* Not what the format can hold: id 0 is the set without any. */
	json_bool(j, "has_annotations",
	    bob_dict_counts(bob_profile_dict(v->profile)).n_annot > 1);
	json_bool(j, "has_clock", x.basis == BOB_TIME_CLOCK);
	json_u64_if(j, "t_first_us", x.t_first, x.t_last != 0);
	json_u64_if(j, "t_last_us", x.t_last, x.t_last != 0);
	json_u64_if(j, "start_us", x.start_us, x.start_us != 0);
	json_u64(j, "gaps", x.n_gaps);
	put_times(v, j);
	json_open(j, "tracks", '[');
	for (i = 0; i < n_tracks; i++)
		put_track(v, j, &t[i]);
	json_close(j, '[');
	free(t);
	return 0;
}

/* ---- rows -------------------------------------------------------------- */

static void
put_share(struct json *j, const char *key, double k, double n,
    double clumping)
{
	struct bob_share s = bob_share_of(k, n, clumping);

	json_open(j, key, '[');
	json_double(j, NULL, s.share);
	json_double(j, NULL, s.low);
	json_double(j, NULL, s.high);
	json_close(j, '[');
}

static void
put_row(struct json *j, const struct bob_view *view, const struct bob_row *row,
    double self, double total)
{
	double all = (double)bob_view_total(view).samples;
	struct bob_key k = bob_view_key(view, row->key);

	json_open(j, NULL, '{');
	question_put_key(j, &k);
	json_u64(j, "key", row->key);
	json_u64(j, "self", row->self.samples);
	json_u64(j, "total", row->total.samples);
	json_u64(j, "self_us", row->self.time_us);
	json_u64(j, "total_us", row->total.time_us);
	put_share(j, "self_share", (double)row->self.samples, all, self);
	put_share(j, "total_share", (double)row->total.samples, all, total);
	json_close(j, '{');
}

static int
put_rows(struct json *j, struct bob_view *view, const struct bob_row *row,
    size_t n_rows)
{
	uint32_t *key = calloc(n_rows + 1, sizeof(*key));
	double *clump = calloc(2 * n_rows + 1, sizeof(*clump));
	size_t i;
	int r = -1;

	for (i = 0; key != NULL && i < n_rows; i++)
		key[i] = row[i].key;
	if (key != NULL && clump != NULL && bob_view_clumping(view, key,
	    n_rows, clump, clump + n_rows) == BOB_OK) {
		json_open(j, "rows", '[');
		for (i = 0; i < n_rows; i++)
			put_row(j, view, &row[i], clump[i], clump[n_rows + i]);
		json_close(j, '[');
		r = 0;
	}
	free(key);
	free(clump);
	return r;
}

static int
order_of(const struct request *rq)
{
	const char *order = request_param(rq, "order");

	return order != NULL && strcmp(order, "self") == 0 ? BOB_BY_SELF
	    : BOB_BY_TOTAL;
}

static int
answer_rows(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const struct bob_row *row;
	struct question q;
	size_t n_rows;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	row = bob_view_rows(q.at->view, order_of(rq), &n_rows);
	json_u64(j, "samples", bob_view_total(q.at->view).samples);
	json_u64(j, "time_us", bob_view_total(q.at->view).time_us);
	json_u64(j, "n_rows", row == NULL ? 0 : n_rows);
	if (row == NULL)
		return question_no_memory(err, n);
	if (put_rows(j, q.at->view, row, n_rows < MAX_ROWS ? n_rows
	    : MAX_ROWS) < 0)
		return question_failed(v, err, n);
	return 0;
}

/* ---- timeline, matched ------------------------------------------------- */

static int
answer_timeline(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct bob_timeline line;
	struct question q;
	uint32_t i;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	if (bob_view_timeline(q.at->view, q.focus, &line) < 0)
		return question_failed(v, err, n);
	json_u64(j, "bin_us", line.bin_us);
	json_open(j, "bins", '[');
	for (i = 0; i < line.n; i++)
		json_u64(j, NULL, line.samples[i]);
	json_close(j, '[');
	return 0;
}

static int
answer_matched(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct question q;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	json_u64(j, "samples", bob_view_total(q.at->view).samples);
	json_u64(j, "time_us", bob_view_total(q.at->view).time_us);
	return 0;
}

/* ---- requests ---------------------------------------------------------- */

static void
put_str(struct view *v, struct json *j, const char *key, bob_str s)
{
	struct bob_bytes b = bob_str_get(bob_profile_dict(v->profile), s);

	json_bytes(j, key, b.p, b.n);
}

static void
put_route(struct view *v, struct json *j, const struct bob_route *r)
{
	json_open(j, NULL, '{');
	put_str(v, j, "route", r->route);
	if (r->key != 0 && question_can_name(bob_str_get(
	    bob_profile_dict(v->profile), r->route), FACETS_TEXT))
		put_str(v, j, "key", r->key);
	json_u64(j, "requests", r->n_requests);
	json_bool(j, "is_lower_bound", r->n_single > 0);
	json_u64(j, "samples", r->samples);
	json_u64(j, "time_us", r->time_us);
	json_u64(j, "p50_us", r->p50_us);
	json_u64(j, "p95_us", r->p95_us);
	json_u64(j, "max_us", r->max_us);
	json_close(j, '{');
}

static void
put_request(struct view *v, struct json *j, const struct bob_request *r)
{
	const struct bob_track *k =
	    bob_track_get(bob_profile_dict(v->profile), r->track);

	json_open(j, NULL, '{');
	put_str(v, j, "value", r->value);
	put_str(v, j, "route", r->route);
	json_u64_if(j, "pid", k->pid, (k->flags & BOB_TRACK_PID) != 0);
	json_u64_if(j, "tid", k->tid, (k->flags & BOB_TRACK_TID) != 0);
	json_u64(j, "t_first_us", r->t_first);
	json_u64(j, "time_us", r->time_us);
	json_u64(j, "samples", r->samples);
	json_close(j, '{');
}

static int
answer_requests(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const struct bob_request *request;
	const struct bob_route *route;
	size_t i, n_routes = 0, n_requests = 0;
	uint64_t time_us = 0;

	(void)rq;
	(void)err;
	(void)n;
	route = bob_profile_routes(v->profile, &n_routes);
	json_open(j, "routes", '[');
	for (i = 0; route != NULL && i < n_routes && i < MAX_ROWS; i++)
		put_route(v, j, &route[i]);
	json_close(j, '[');
	for (i = 0; route != NULL && i < n_routes; i++)
		time_us += route[i].time_us;
	json_u64(j, "time_us", time_us);
	request = bob_profile_requests(v->profile, &n_requests);
	json_open(j, "slowest", '[');
	for (i = 0; request != NULL && i < n_requests; i++)
		put_request(v, j, &request[i]);
	json_close(j, '[');
	return 0;
}

/* ---- difference -------------------------------------------------------- */

static void
put_changes(struct json *j, const struct bob_diff *diff,
    const struct bob_diff_row *row, size_t n_rows, int order)
{
	struct bob_key k;
	size_t i;

	json_u64(j, "n_rows", n_rows);
	json_open(j, "rows", '[');
	for (i = 0; i < n_rows && i < MAX_ROWS; i++) {
		json_open(j, NULL, '{');
		k = bob_diff_key(diff, row[i].key);
		question_put_key(j, &k);
		question_put_change(j, "change", order == BOB_BY_SELF
		    ? &row[i].self : &row[i].total);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static int
answer_difference(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const struct bob_diff_row *row;
	struct bob_diff_info info;
	struct bob_verdict verdict;
	struct question q;
	size_t n_rows = 0;
	int order;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	if (q.diff == NULL) {
		(void)snprintf(err, n, "there is nothing to compare with");
		return -1;
	}
	verdict = bob_diff_verdict(q.diff);
	order = request_param(rq, "order") != NULL ? order_of(rq)
	    : verdict.order;
	info = bob_diff_info(q.diff);
	json_str(j, "verdict", verdict.text);
	json_str(j, "order", order == BOB_BY_SELF ? "self" : "total");
	json_u64(j, "n_changed", verdict.n_changed);
	json_u64(j, "samples_before", info.total[0].samples);
	json_u64(j, "samples_after", info.total[1].samples);
	row = bob_diff_rows(q.diff, order, &n_rows);
	put_changes(j, q.diff, row, row != NULL ? n_rows : 0, order);
	return 0;
}

/* ---- All questions ----------------------------------------------------- */

answer_fn *
answer_find(const char *name)
{
	static const struct {
		const char *name;
		answer_fn *answer;
	} all[] = {
		{ "info", answer_info },
		{ "rows", answer_rows },
		{ "timeline", answer_timeline },
		{ "flame", answer_flame },
		{ "matched", answer_matched },
		{ "requests", answer_requests },
		{ "difference", answer_difference },
		{ "bins", answer_bins },
		{ "lanes", answer_lanes },
		{ "order", answer_order },
		{ "listing", answer_listing },
		{ "callers", answer_callers },
		{ "folded", answer_folded },
		{ "csv", answer_csv },
		{ "branches", answer_branches },
		{ "facets", answer_facets },
		{ "sparks", answer_sparks },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].answer;
	return NULL;
}
