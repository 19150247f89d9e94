/*
 * Samples of the last seconds, and sums since the start.
 *
 * Folding makes a new dictionary with only those stacks, tracks and routes that
 * cells of the profile or recent samples use, and a new profile with the cells.
 * If the dictionary is still large (a program with ever new functions), the
 * sums begin anew.
 */
#include <stdlib.h>
#include <string.h>

#include "top.h"

#define ROUTE "request.route"

/* A larger dictionary is folded; it takes about 50 MiB. */
#define FULL_STACKS 400000u
#define FULL_ANNOTS 50000u
#define FULL_STRINGS 300000u

static int
begin_segment(const struct top_store *s)
{
	struct bob_segment seg;
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT, .segment = &seg };

	memset(&seg, 0, sizeof(seg));
	seg.period_us = s->period_us;
	seg.flags = BOB_SEGMENT_TIMED;
	return bob_profile_feed(s->profile, 0, &ev);
}

static int
store_begin(struct top_store *s)
{
	if (bob_profile_new(s->ctx, NULL, &s->profile) < 0)
		return BOB_FAILED;
	s->dict = bob_profile_dict(s->profile);
	return begin_segment(s);
}

int
top_store_init(struct top_store *s, struct bob_ctx *ctx, uint64_t period_us)
{
	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->period_us = period_us;
	return store_begin(s);
}

void
top_store_done(struct top_store *s)
{
	bob_profile_free(s->profile);
	free(s->recent);
	free(s->reduced);
}

/* Returns the annotation set with nothing but the route. */
static bob_annot
reduce(struct top_store *s, bob_annot annot)
{
	size_t cap = s->cap_reduced, n, i;
	const struct bob_pair *v;
	struct bob_bytes key;
	struct bob_pair route;
	bob_annot *p;

	if (annot == 0)
		return 0;
	if (annot >= cap) {
		cap = 2 * (size_t)annot + 64;
		p = realloc(s->reduced, cap * sizeof(*p));
		if (p == NULL)
			return BOB_NO_ID;
		memset(p + s->cap_reduced, 0xff,
		    (cap - s->cap_reduced) * sizeof(*p));
		s->reduced = p;
		s->cap_reduced = cap;
	}
	if (s->reduced[annot] != BOB_NO_ID)
		return s->reduced[annot];
	s->reduced[annot] = 0;
	v = bob_annot_get(s->dict, annot, &n);
	for (i = 0; i < n; i++) {
		key = bob_str_get(s->dict, v[i].key);
		if (key.n != sizeof(ROUTE) - 1 ||
		    memcmp(key.p, ROUTE, key.n) != 0)
			continue;
		route = v[i];
		s->reduced[annot] = bob_annot_put(s->dict, &route, 1);
		break;
	}
	return s->reduced[annot];
}

static int
ring_grow(struct top_store *s)
{
	size_t cap = s->cap_recent > 0 ? 2 * s->cap_recent : 4096, i;
	struct top_sample *p;

	if (s->n_recent < s->cap_recent)
		return BOB_OK;
	if (cap > TOP_MAX_RECENT) {
		s->t_from = s->t_us - (uint64_t)((uint32_t)(s->t_us / 1000) -
		    top_recent(s, 0)->t_ms) * 1000;
		s->first = (s->first + 1) % s->cap_recent;
		s->n_recent--;
		return BOB_OK;
	}
	p = malloc(cap * sizeof(*p));
	if (p == NULL)
		return BOB_FATAL;
	for (i = 0; i < s->n_recent; i++)
		p[i] = *top_recent(s, i);
	free(s->recent);
	s->recent = p;
	s->cap_recent = cap;
	s->first = 0;
	return BOB_OK;
}

int
top_store_add(struct top_store *s, uint64_t t_us, const struct bob_run *runs,
    size_t n)
{
	struct bob_event ev = { .kind = BOB_EVENT_RUNS, .n_runs = 1 };
	struct bob_run run;
	size_t i;
	int r = BOB_OK;

	s->t_us = t_us;
	for (i = 0; r >= 0 && i < n; i++) {
		memset(&run, 0, sizeof(run));
		run.count = 1;
		run.stack = runs[i].stack;
		run.track = runs[i].track;
		run.status = runs[i].status;
		run.flags = runs[i].flags;
		run.t_first = runs[i].t_first;
		run.t_last = runs[i].t_last;
		run.annot = reduce(s, runs[i].annot);
		if (run.annot == BOB_NO_ID || ring_grow(s) < 0)
			return BOB_FATAL;
		s->recent[(s->first + s->n_recent++) % s->cap_recent] =
		    (struct top_sample){ (uint32_t)(t_us / 1000), run.stack,
			    run.track, run.annot, run.status, run.flags };
		ev.runs = &run;
		r = bob_profile_feed(s->profile, 0, &ev);
	}
	return r;
}

void
top_store_slide(struct top_store *s, uint64_t window_us)
{
	uint32_t now = (uint32_t)(s->t_us / 1000);

	if (s->t_us > window_us && s->t_from < s->t_us - window_us)
		s->t_from = s->t_us - window_us;
	while (s->n_recent > 0 && now - top_recent(s, 0)->t_ms >
	    window_us / 1000) {
		s->first = (s->first + 1) % s->cap_recent;
		s->n_recent--;
	}
}

/* --- sums ----------------------------------------------------------------- */

struct bob_mark
top_sums_mark(struct bob_dict *dict)
{
	struct bob_mark m;

	memset(&m, 0, sizeof(m));
	m.kind = BOB_MARK_META;
	m.key = bob_str_put(dict, "profiler.times", 14);
	m.value = bob_str_put(dict, "sums", 4);
	return m;
}

struct bob_run
top_sums_run(const struct bob_cell *cell, uint64_t *t)
{
	struct bob_run run;

	memset(&run, 0, sizeof(run));
	t[cell->track] += cell->time_us;
	run.t_first = run.t_last = t[cell->track];
	run.count = cell->samples;
	run.stack = cell->stack;
	run.track = cell->track;
	run.annot = cell->annot;
	run.status = cell->status;
	run.flags = (uint8_t)((cell->flags & BOB_RUN_STATUS) | BOB_RUN_TIMED);
	return run;
}

/* --- folding -------------------------------------------------------------- */

/* Ids of the old dictionary in the new one; 0: not moved yet. */
struct move {
	const struct bob_dict *from;
	struct bob_dict *to;
	bob_stack *stack; /* 1: used, but not moved yet */
	bob_fid *frame;
	uint64_t *t; /* by old track: top_sums_run */
	uint32_t n_stack;
};

static bob_str
move_str(struct move *m, bob_str id)
{
	struct bob_bytes s = bob_str_get(m->from, id);

	return id == 0 ? 0 : bob_str_put(m->to, s.p, s.n);
}

static bob_fid
move_frame(struct move *m, bob_fid id)
{
	struct bob_frame f = *bob_frame_get(m->from, id);

	if (m->frame[id] != 0)
		return m->frame[id];
	f.name = move_str(m, f.name);
	f.scope = move_str(m, f.scope);
	f.ns = move_str(m, f.ns);
	f.file = move_str(m, f.file);
	f.opname = move_str(m, f.opname);
	if (f.name == BOB_NO_ID || f.scope == BOB_NO_ID ||
	    f.ns == BOB_NO_ID || f.file == BOB_NO_ID || f.opname == BOB_NO_ID)
		return BOB_NO_ID;
	m->frame[id] = bob_frame_put(m->to, &f);
	return m->frame[id];
}

/* A parent has a smaller number than its children, so one pass marks what is
 * used and one moves it. */
static int
move_stacks(struct move *m)
{
	struct bob_node node;
	bob_fid frame;
	uint32_t i;

	for (i = m->n_stack - 1; i > 0; i--)
		if (m->stack[i] != 0)
			m->stack[bob_stack_get(m->from, i).parent] = 1;
	m->stack[0] = 0;
	for (i = 1; i < m->n_stack; i++) {
		if (m->stack[i] == 0)
			continue;
		node = bob_stack_get(m->from, i);
		frame = move_frame(m, node.frame);
		if (frame == BOB_NO_ID)
			return BOB_FATAL;
		m->stack[i] = bob_stack_push(m->to, m->stack[node.parent],
		    frame);
		if (m->stack[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static bob_tid
move_track(struct move *m, bob_tid id)
{
	struct bob_track t = *bob_track_get(m->from, id);

	t.name = move_str(m, t.name);
	return id == 0 ? 0
	    : t.name == BOB_NO_ID ? BOB_NO_ID
	                          : bob_track_put(m->to, &t);
}

/* A reduced set has one pair at most. */
static bob_annot
move_annot(struct move *m, bob_annot id)
{
	size_t n;
	const struct bob_pair *v = bob_annot_get(m->from, id, &n);
	struct bob_pair pair;

	if (id == 0 || n == 0)
		return 0;
	pair.key = move_str(m, v[0].key);
	pair.value = move_str(m, v[0].value);
	if (pair.key == BOB_NO_ID || pair.value == BOB_NO_ID)
		return BOB_NO_ID;
	return bob_annot_put(m->to, &pair, 1);
}

/* In a segment of their own; samples go on in the next one. */
static int
move_cells(struct top_store *s, struct move *m, const struct bob_cell *cell,
    size_t n)
{
	struct bob_event ev = { .kind = BOB_EVENT_MARK };
	struct bob_mark sums = top_sums_mark(s->dict);
	struct bob_run run;
	size_t i;
	int r;

	if (n == 0)
		return BOB_OK;
	ev.mark = &sums;
	r = sums.key == BOB_NO_ID || sums.value == BOB_NO_ID
	    ? BOB_FATAL : bob_profile_feed(s->profile, 0, &ev);
	ev.kind = BOB_EVENT_RUNS;
	ev.n_runs = 1;
	for (i = 0; r >= 0 && i < n; i++) {
		run = top_sums_run(&cell[i], m->t);
		run.stack = m->stack[cell[i].stack];
		run.track = move_track(m, cell[i].track);
		run.annot = move_annot(m, cell[i].annot);
		if (run.track == BOB_NO_ID || run.annot == BOB_NO_ID)
			return BOB_FATAL;
		ev.runs = &run;
		r = bob_profile_feed(s->profile, 0, &ev);
	}
	return r < 0 ? r : begin_segment(s);
}

static int
move_recent(struct top_store *s, struct move *m)
{
	struct top_sample *p;
	size_t i;

	for (i = 0; i < s->n_recent; i++) {
		p = &s->recent[(s->first + i) % s->cap_recent];
		p->stack = m->stack[p->stack];
		p->track = move_track(m, p->track);
		p->annot = move_annot(m, p->annot);
		if (p->track == BOB_NO_ID || p->annot == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Makes a new profile of the window and, with `sums`, of all cells. */
static int
carry_over(struct top_store *s, int sums)
{
	struct bob_counts n = bob_dict_counts(s->dict);
	struct bob_profile *old = s->profile;
	struct move m = { .from = s->dict, .n_stack = n.n_stack };
	const struct bob_cell *cell = NULL;
	size_t n_cells = 0, i;
	int r = BOB_FATAL;

	m.stack = calloc((size_t)n.n_stack + 1, sizeof(*m.stack));
	m.frame = calloc((size_t)n.n_frame + 1, sizeof(*m.frame));
	m.t = calloc((size_t)n.n_track + 1, sizeof(*m.t));
	if (sums)
		cell = bob_profile_cells(old, &n_cells);
	if (m.stack == NULL || m.frame == NULL || m.t == NULL ||
	    (sums && cell == NULL))
		goto out;
	for (i = 0; i < n_cells; i++)
		m.stack[cell[i].stack] = 1;
	for (i = 0; i < s->n_recent; i++)
		m.stack[top_recent(s, i)->stack] = 1;
	r = store_begin(s);
	m.to = s->dict;
	if (r == BOB_OK)
		r = move_stacks(&m);
	if (r == BOB_OK)
		r = move_cells(s, &m, cell, n_cells);
	if (r >= 0)
		r = move_recent(s, &m);
	if (s->cap_reduced > 0)
		memset(s->reduced, 0xff, s->cap_reduced * sizeof(*s->reduced));
	if (s->profile != old)
		bob_profile_free(old);
out:
	free(m.stack);
	free(m.frame);
	free(m.t);
	return r;
}

int
top_store_clear(struct top_store *s)
{
	s->t_since = s->t_us;
	return carry_over(s, 0);
}

int
top_store_is_full(const struct top_store *s)
{
	struct bob_counts n = bob_dict_counts(s->dict);

	return n.n_stack > FULL_STACKS || n.n_annot > FULL_ANNOTS ||
	    n.n_str > FULL_STRINGS;
}

int
top_store_fold(struct top_store *s)
{
	struct bob_counts n;
	int r = carry_over(s, 1);

	n = bob_dict_counts(s->dict);
	if (r == BOB_OK && (n.n_stack > FULL_STACKS / 2 ||
	    n.n_annot > FULL_ANNOTS / 2 || n.n_str > FULL_STRINGS / 2))
		r = top_store_clear(s);
	return r;
}
