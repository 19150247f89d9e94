/* Samples over time by what is on top; see the header. */
#include "bins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "chart_vote.h"
#include "order.h"
#include "param.h"
#include "question.h"

/* Runtimes are numbered by enum bob_lang. */
#define RUNTIMES 4

enum rows { BY_TRACK, BY_RUNTIME, BY_ROUTE };

struct bin {
	uint64_t samples[CHART_STATES];
	struct chart_vote key;
};

struct row {
	struct bin *bin; /* NULL: no samples yet */
	uint64_t track;
	bob_str name;    /* of a route; 0: all others */
};

struct binning {
	struct view *view;
	struct bob_view *v;
	uint64_t bin_us, n_bins;
	uint64_t track[BINS_TRACKS];
	size_t n_tracks;
	enum rows rows;
	struct row row[BINS_TRACKS]; /* as many as any grouping needs */
	size_t n_rows;
	bob_annot annot;     /* whose row was looked up last */
	size_t row_of_annot;
};

/* ---- Rows -------------------------------------------------------------- */

static size_t
row_of_stack(const struct binning *b, bob_stack stack)
{
	const struct bob_dict *dict = bob_profile_dict(b->view->profile);
	const struct bob_frame *leaf =
	    bob_frame_get(dict, bob_stack_get(dict, stack).frame);

	return leaf->lang < RUNTIMES ? leaf->lang : BOB_LANG_OTHER;
}

/* The row of a name; row 0 is for what has none, and for the others. */
static size_t
row_of_name(struct binning *b, bob_str name)
{
	size_t i;

	for (i = 1; i < b->n_rows; i++)
		if (b->row[i].name == name)
			return i;
	if (name == 0 || b->n_rows > BINS_ROUTES)
		return 0;
	b->row[b->n_rows].name = name;
	return b->n_rows++;
}

static size_t
row_of_annot(struct binning *b, bob_annot annot)
{
	const struct bob_dict *dict = bob_profile_dict(b->view->profile);
	const struct bob_pair *pair;
	size_t n;

	if (annot != b->annot) {
		pair = bob_annot_get(dict, annot, &n);
		b->annot = annot;
		b->row_of_annot = row_of_name(b, n > 0
		    ? pair[chart_name_of(dict, annot)].value : 0);
	}
	return b->row_of_annot;
}

static struct bin *
bins_of(struct binning *b, size_t row)
{
	struct row *r = &b->row[row];

	if (r->bin == NULL)
		r->bin = calloc(b->n_bins, sizeof(*r->bin));
	return r->bin;
}

/* ---- Samples ----------------------------------------------------------- */

static uint64_t
bin_at(const struct binning *b, uint64_t time)
{
	uint64_t i = time / b->bin_us;

	return i < b->n_bins ? i : b->n_bins - 1;
}

/* Spreads samples evenly over the bins from that of their first one to that of
 * their last one. */
static void
spread(struct binning *b, struct bin *bin, enum chart_state state,
    const struct bob_stretch *s, uint32_t key)
{
	uint64_t first = bin_at(b, s->t_first), last = bin_at(b, s->t_last);
	uint64_t left = s->inside, n, i;

	if (last < first)
		last = first;
	for (i = first; i <= last; i++) {
		n = left / (last - i + 1);
		left -= n;
		bin[i].samples[state] += n;
		if (state != CHART_IDLE)
			chart_vote(&bin[i].key, key, n);
	}
}

static int
take(struct binning *b, size_t track, const struct bob_stretch *s)
{
	size_t row = b->rows == BY_TRACK ? track : b->rows == BY_RUNTIME
	    ? row_of_stack(b, s->stack) : row_of_annot(b, s->annot);
	struct bin *bin = bins_of(b, row);

	if (bin == NULL)
		return -1;
	spread(b, bin, chart_state_of(b->view->profile, s), s,
	    bob_view_node(b->v, s->node).key);
	return 0;
}

static int
read_track(struct binning *b, size_t track, char *err, size_t n)
{
	struct bob_history *h;
	struct bob_stretch s;
	int r;

	b->row[track].track = b->track[track];
	if (bob_history_open(b->v, b->track[track] < UINT32_MAX
	    ? (bob_tid)b->track[track] : UINT32_MAX, 0, UINT64_MAX, &h) < 0)
		return question_failed(b->view, err, n);
	while ((r = bob_history_next(h, &s)) > 0)
		if (take(b, track, &s) < 0)
			break;
	bob_history_close(h);
	return r > 0 ? question_no_memory(err, n)
	    : r < 0 ? question_failed(b->view, err, n) : 0;
}

/* ---- The answer -------------------------------------------------------- */

static void
put_bins(const struct binning *b, struct json *j, const struct bin *bin,
    uint8_t *is_key)
{
	uint64_t i, k, all;

	json_open(j, "bins", '[');
	for (i = 0; i < b->n_bins; i++) {
		for (all = 0, k = 0; k < CHART_STATES; k++)
			all += bin[i].samples[k];
		if (all == 0)
			continue;
		json_u64(j, NULL, i);
		json_u64(j, NULL, bin[i].key.what);
		json_u64(j, NULL, bin[i].key.lead);
		for (k = 0; k < CHART_STATES; k++)
			json_u64(j, NULL, bin[i].samples[k]);
		is_key[bin[i].key.what] = 1;
	}
	json_close(j, '[');
}

static void
put_row(const struct binning *b, struct json *j, size_t i, uint8_t *is_key)
{
	static const char *const runtime[RUNTIMES] = {
		[BOB_LANG_OTHER] = "other", [BOB_LANG_PHP] = "PHP",
		[BOB_LANG_PYTHON] = "Python", [BOB_LANG_NATIVE] = "native",
	};
	struct bob_bytes name = bob_str_get(
	    bob_profile_dict(b->view->profile), b->row[i].name);

	json_open(j, NULL, '{');
	json_u64(j, "track", b->row[i].track);
	if (b->rows == BY_RUNTIME)
		json_str(j, "name", runtime[i]);
	else
		json_bytes(j, "name", name.p, name.n < ORDER_TEXT ? name.n
		    : ORDER_TEXT);
	put_bins(b, j, b->row[i].bin, is_key);
	json_close(j, '{');
}

static int
put_answer(const struct binning *b, struct json *j)
{
	uint8_t *is_key = calloc((size_t)bob_view_n_keys(b->v) + 1, 1);
	size_t i;

	if (is_key == NULL)
		return -1;
	json_u64(j, "bin_us", b->bin_us);
	order_put_states(j);
	json_open(j, "rows", '[');
	for (i = 0; i < b->n_rows; i++)
		if (b->row[i].bin != NULL)
			put_row(b, j, i, is_key);
	json_close(j, '[');
	question_put_keys(j, b->v, NULL, is_key);
	free(is_key);
	return 0;
}

/* ---- The question ------------------------------------------------------ */

static int
read_rows(struct binning *b, const struct request *rq, char *err, size_t n)
{
	const char *rows = request_param(rq, "rows");

	b->n_rows = b->n_tracks;
	if (rows == NULL || strcmp(rows, "track") == 0)
		return 0;
	b->rows = strcmp(rows, "route") == 0 ? BY_ROUTE : BY_RUNTIME;
	b->n_rows = b->rows == BY_ROUTE ? 1 : RUNTIMES;
	if (b->rows == BY_ROUTE || strcmp(rows, "runtime") == 0)
		return 0;
	(void)snprintf(err, n, "rows is track, runtime or route");
	return -1;
}

static int
read_bins(struct binning *b, const struct request *rq, char *err, size_t n)
{
	struct bob_timeline line;
	uint64_t end;

	b->n_bins = 256;
	if (param_number(rq, "n", &b->n_bins, err, n) < 0)
		return -1;
	if (b->n_bins == 0 || b->n_bins > BINS_MOST) {
		(void)snprintf(err, n, "n is 1 to %d", BINS_MOST);
		return -1;
	}
	if (bob_view_timeline(b->v, 0, &line) < 0)
		return question_no_memory(err, n);
	end = line.bin_us * line.n;
	b->bin_us = end / b->n_bins + (end % b->n_bins != 0);
	if (b->bin_us == 0)
		b->bin_us = 1;
	return 0;
}

int
answer_bins(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct binning *b = calloc(1, sizeof(*b));
	struct question q;
	size_t i;
	int r = -1;

	if (b == NULL)
		return question_no_memory(err, n);
	if (param_numbers(rq, "track", b->track, BINS_TRACKS, &b->n_tracks,
	    err, n) == 0 && question_init(&q, v, rq, err, n) == 0) {
		b->view = v;
		b->v = q.at->view;
		r = read_rows(b, rq, err, n);
		if (r == 0)
			r = read_bins(b, rq, err, n);
		for (i = 0; r == 0 && i < b->n_tracks; i++)
			r = read_track(b, i, err, n);
		if (r == 0 && put_answer(b, j) < 0)
			r = question_no_memory(err, n);
	}
	for (i = 0; i < BINS_TRACKS; i++)
		free(b->row[i].bin);
	free(b);
	return r;
}
