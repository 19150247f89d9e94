/*
 * Filters by pid, thread, status and annotation. Each is decided once per track
 * and once per annotation set, and remembered. Times and stacks are in files of
 * their own. Nothing is allocated per run.
 */
#include "pipeline/filter.h"

#include <stdlib.h>
#include <string.h>

#include <bobbin/read.h>

#include "core/text.h"
#include "format/common/meta.h"
#include "model/idle.h"
#include "pipeline/filter_clock.h"
#include "pipeline/filter_stack.h"
#include "core/memo.h"

/* What is remembered of a track or an annotation set; 0 is "not known". */
enum verdict { KEEP = 1, DROP, HAS_NO_PID };

/* A track whose times are lengths of sums (META_TIMES). */
struct sums_lane {
	uint64_t t, dropped; /* of the last run; of all that were dropped */
	uint32_t segment;
};

/* "key=value", or "key" with any value. */
struct wanted {
	char *text;
	struct bob_bytes key, value;
	int has_value;
};

struct filter {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	uint64_t *pids;
	size_t n_pids;
	uint64_t *tids;
	size_t n_tids;
	uint8_t segment; /* enum verdict: of samples without a pid */
	uint8_t status_set, status_clear;
	int idle_mode; /* enum bob_idle */
	int is_picked; /* the capture left samples out by status: none of this
	                * segment is idle */
	int is_of_sums; /* times of this segment are lengths of sums */
	uint32_t n_segments;
	struct sums_lane *lane; /* by track */
	size_t cap_lane;
	struct idle idle;
	struct wanted *wanted;
	size_t n_wanted;
	uint8_t *track, *annot; /* enum verdict, by id */
	size_t cap_track, cap_annot;
	int has_time, has_date;
	struct filter_clock clock, dates;
	struct stack_filter stacks;
};

/* Copies n numbers; *ret stays NULL for none. */
static int
take_numbers(struct bob_ctx *ctx, const uint64_t *v, size_t n, uint64_t **ret)
{
	if (n == 0)
		return BOB_OK;
	*ret = calloc(n, sizeof(**ret));
	if (*ret == NULL)
		return err_nomem(ctx);
	memcpy(*ret, v, n * sizeof(**ret));
	return BOB_OK;
}

static int
take_tracks(struct filter *f, const struct bob_filter *spec)
{
	if (take_numbers(f->ctx, spec->pids, spec->n_pids, &f->pids) < 0 ||
	    take_numbers(f->ctx, spec->tids, spec->n_tids, &f->tids) < 0)
		return BOB_FATAL;
	f->n_pids = spec->n_pids;
	f->n_tids = spec->n_tids;
	return BOB_OK;
}

static int
take_annotations(struct filter *f, const struct bob_filter *spec)
{
	if (spec->n_annotations == 0)
		return BOB_OK;
	f->wanted = calloc(spec->n_annotations, sizeof(*f->wanted));
	if (f->wanted == NULL)
		return err_nomem(f->ctx);
	while (f->n_wanted < spec->n_annotations) {
		struct wanted *w = &f->wanted[f->n_wanted];
		const char *eq;

		w->text = strdup(spec->annotations[f->n_wanted]);
		if (w->text == NULL)
			return err_nomem(f->ctx);
		f->n_wanted++;
		eq = strchr(w->text, '=');
		w->has_value = eq != NULL;
		w->key.p = w->text;
		w->key.n = eq != NULL ? (size_t)(eq - w->text) :
		    strlen(w->text);
		w->value.p = eq != NULL ? eq + 1 : "";
		w->value.n = strlen(w->value.p);
	}
	return BOB_OK;
}

/* Copies as many fields as the caller's version of the struct has. */
static struct bob_filter
take_spec(const struct bob_filter *spec)
{
	struct bob_filter s = { 0 };

	if (spec != NULL)
		memcpy(&s, spec, spec->size < sizeof(s) ? spec->size :
		    sizeof(s));
	return s;
}

static int
is_empty(const struct bob_filter *spec)
{
	return spec->flags == 0 && spec->n_pids == 0 &&
	    spec->n_tids == 0 && spec->n_annotations == 0 &&
	    spec->hide == NULL && spec->match == NULL &&
	    spec->status_set == 0 && spec->status_clear == 0 &&
	    spec->idle == BOB_IDLE_KEEP;
}

int
filter_new(struct bob_ctx *ctx, const struct bob_filter *spec,
    struct bob_dict *dict, struct filter **ret)
{
	struct bob_filter s = take_spec(spec);
	struct filter *f;

	if (is_empty(&s)) {
		*ret = NULL;
		return BOB_OK;
	}
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	f->ctx = ctx;
	f->dict = dict;
	f->segment = DROP;
	f->has_time = (s.flags & BOB_FILTER_TIME) != 0;
	clock_init(&f->clock, s.t_from, s.t_to);
	f->has_date = (s.flags & BOB_FILTER_DATE) != 0;
	clock_init_dates(&f->dates, s.date_from, s.date_to);
	f->status_set = s.status_set;
	f->status_clear = s.status_clear;
	f->idle_mode = s.idle;
	idle_init(&f->idle, ctx, dict);
	if (take_tracks(f, &s) < 0 || take_annotations(f, &s) < 0 ||
	    stack_filter_init(&f->stacks, ctx, &s, dict) < 0) {
		filter_free(f);
		return BOB_FAILED;
	}
	*ret = f;
	return BOB_OK;
}

uint32_t
filter_wants(const struct filter *f)
{
	uint32_t want = 0;

	/* The metadata of a segment counts from where it stands, so order
	 * matters. */
	if (f->n_pids > 0)
		want |= BOB_WANT_TRACKS | BOB_WANT_MARKS | BOB_WANT_ORDER;
	if (f->n_tids > 0)
		want |= BOB_WANT_TRACKS;
	if (f->status_set != 0 || f->status_clear != 0)
		want |= BOB_WANT_STATUS;
	/* So does its mode. */
	if (f->idle_mode != BOB_IDLE_KEEP)
		want |= BOB_WANT_STATUS | BOB_WANT_MARKS | BOB_WANT_ORDER;
	if (f->has_time || f->has_date)
		want |= BOB_WANT_TIMES | BOB_WANT_ORDER | BOB_WANT_MARKS;
	if (f->n_wanted > 0)
		want |= BOB_WANT_ANNOTATIONS;
	return want;
}

static int
is_among(const uint64_t *v, size_t n, uint64_t x)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] == x)
			return 1;
	return 0;
}

static uint8_t
judge_pid(const struct filter *f, uint64_t pid)
{
	return is_among(f->pids, f->n_pids, pid) ? KEEP : DROP;
}

static uint8_t
judge_track(const struct filter *f, const struct bob_track *t)
{
	if (f->n_tids > 0 && (!(t->flags & BOB_TRACK_TID) ||
	    !is_among(f->tids, f->n_tids, t->tid)))
		return DROP;
	if (f->n_pids == 0)
		return KEEP;
	return t->flags & BOB_TRACK_PID ? judge_pid(f, t->pid) : HAS_NO_PID;
}

static int
bytes_equal(struct bob_bytes a, struct bob_bytes b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* True when a set holds a wanted pair. */
static int
has_wanted(const struct filter *f, const struct wanted *w, bob_annot id)
{
	const struct bob_pair *pair;
	size_t n, i;

	pair = bob_annot_get(f->dict, id, &n);
	for (i = 0; i < n; i++)
		if (bytes_equal(bob_str_get(f->dict, pair[i].key), w->key) &&
		    (!w->has_value || bytes_equal(bob_str_get(f->dict,
		        pair[i].value), w->value)))
			return 1;
	return 0;
}

static uint8_t
judge_annot(const struct filter *f, bob_annot id)
{
	size_t i;

	for (i = 0; i < f->n_wanted; i++)
		if (!has_wanted(f, &f->wanted[i], id))
			return DROP;
	return KEEP;
}

/* Returns 1 to keep, 0 to drop, or FATAL, as the next two do. */
static int
keep_track(struct filter *f, bob_tid id)
{
	if (MEMO_GROW(f->ctx, f, track, (size_t)id + 1) < 0)
		return BOB_FATAL;
	if (f->track[id] == 0)
		f->track[id] = judge_track(f, bob_track_get(f->dict, id));
	if (f->track[id] == HAS_NO_PID)
		return f->segment == KEEP;
	return f->track[id] == KEEP;
}

static int
keep_annot(struct filter *f, bob_annot id)
{
	if (MEMO_GROW(f->ctx, f, annot, (size_t)id + 1) < 0)
		return BOB_FATAL;
	if (f->annot[id] == 0)
		f->annot[id] = judge_annot(f, id);
	return f->annot[id] == KEEP;
}

static int
keep_status(const struct filter *f, const struct bob_run *run)
{
	if (f->status_set == 0 && f->status_clear == 0)
		return 1;
	return (run->flags & BOB_RUN_STATUS) != 0 &&
	    (run->status & f->status_set) == f->status_set &&
	    (run->status & f->status_clear) == 0;
}

/* Returns 1 to keep, 0 to drop, or FATAL. */
static int
keep_idle(struct filter *f, const struct bob_run *run)
{
	int r = f->is_picked ? 0 : idle_of(&f->idle, run->stack, run->status,
	    run->flags);

	return r < 0 ? r : r == (f->idle_mode == BOB_IDLE_ONLY);
}

static int
keep_run(struct filter *f, struct bob_run *run)
{
	int r;

	if (f->has_time && !clock_cut(&f->clock, run))
		return 0;
	if (f->has_date && !clock_cut(&f->dates, run))
		return 0;
	if (!keep_status(f, run))
		return 0;
	if (f->n_pids > 0 || f->n_tids > 0) {
		r = keep_track(f, run->track);
		if (r <= 0)
			return r;
	}
	if (f->n_wanted > 0) {
		r = keep_annot(f, run->annot);
		if (r <= 0)
			return r;
	}
	if (f->idle_mode != BOB_IDLE_KEEP) {
		r = keep_idle(f, run);
		if (r <= 0)
			return r;
	}
	if (stack_filter_is_on(&f->stacks))
		return stack_filter_map(&f->stacks, &run->stack);
	return 1;
}

void
filter_segment(struct filter *f, const struct bob_segment *s)
{
	f->segment = DROP;
	f->is_picked = f->is_of_sums = 0;
	f->n_segments++;
	clock_segment(&f->clock, s);
	clock_segment(&f->dates, s);
}

void
filter_mark(struct filter *f, const struct bob_mark *m)
{
	struct bob_bytes value;
	uint64_t n;

	if (m->kind != BOB_MARK_META)
		return;
	value = bob_str_get(f->dict, m->value);
	if (meta_is(f->dict, m->key, "pid"))
		f->segment = text_get_u64(value.p, value.n, &n) ?
		    judge_pid(f, n) : DROP;
	else if (meta_is(f->dict, m->key, META_MODE))
		f->is_picked = meta_is_picked(value);
	else if (meta_is(f->dict, m->key, META_TIMES))
		f->is_of_sums = meta_is_of_sums(value);
	else if (meta_is(f->dict, m->key, META_START) &&
	    text_get_u64(value.p, value.n, &n)) {
		clock_start(&f->clock, n);
		clock_start(&f->dates, n);
	}
}

/* The length of a run is what lies between it and the one before it on its
 * track: so runs close up where one was dropped (kept is NULL). */
static int
close_up(struct filter *f, const struct bob_run *run, struct bob_run *kept)
{
	struct sums_lane *l;

	if (!f->is_of_sums || !(run->flags & BOB_RUN_TIMED))
		return BOB_OK;
	if (MEMO_GROW(f->ctx, f, lane, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	l = &f->lane[run->track];
	if (l->segment != f->n_segments)
		*l = (struct sums_lane){ .segment = f->n_segments };
	if (kept == NULL) {
		l->dropped += run->t_last - l->t;
	} else {
		kept->t_first -= l->dropped;
		kept->t_last -= l->dropped;
	}
	l->t = run->t_last;
	return BOB_OK;
}

int
filter_runs(struct filter *f, struct bob_run *v, size_t *n)
{
	size_t i, kept = 0;

	for (i = 0; i < *n; i++) {
		struct bob_run run = v[i];
		int r = keep_run(f, &run);

		if (r < 0 || close_up(f, &v[i], r > 0 ? &run : NULL) < 0)
			return BOB_FATAL;
		if (r > 0)
			v[kept++] = run;
	}
	*n = kept;
	return BOB_OK;
}

void
filter_free(struct filter *f)
{
	if (f == NULL)
		return;
	while (f->n_wanted > 0)
		free(f->wanted[--f->n_wanted].text);
	free(f->wanted);
	free(f->pids);
	free(f->tids);
	free(f->track);
	free(f->annot);
	free(f->lane);
	stack_filter_done(&f->stacks);
	idle_done(&f->idle);
	free(f);
}
