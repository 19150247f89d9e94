/*
 * The query: which samples are shown, and what rows are. A query that fails
 * changes nothing; the status line says why.
 */
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_inside.h"

#define DEFAULT_DELTA 3

void
model_say(struct model *m, int is_error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(m->status, sizeof(m->status), fmt, ap);
	va_end(ap);
	m->is_error = is_error;
}

uint64_t
model_weight(const struct model *m, struct bob_sum s)
{
	return m->by_time ? s.time_us : s.samples;
}

double
model_share(const struct model *m, int side, uint64_t w)
{
	return m->total[side] > 0 ? (double)w / (double)m->total[side] : 0;
}

int
model_is_frames(const struct model *m)
{
	return m->group <= BOB_GROUP_MODULE;
}

void
model_row(const struct model *m, uint32_t key, uint64_t self[2],
    uint64_t total[2])
{
	int side;

	for (side = 0; side < 2; side++) {
		struct bob_row row = { 0 };

		if (m->view[side] != NULL && key < bob_view_n_keys(
		    m->view[side]))
			row = bob_view_row(m->view[side], key);
		self[side] = model_weight(m, row.self);
		total[side] = model_weight(m, row.total);
	}
}

static void
free_views(struct bob_view *view[2])
{
	bob_view_free(view[0]);
	bob_view_free(view[1]);
	view[0] = view[1] = NULL;
}

void
model_filter_of(const struct model *m, int with_range, struct bob_filter *f)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(*f);
	f->match = m->match[0] != '\0' ? m->match : NULL;
	f->idle = m->idle;
	facets_filter(&m->facets, f);
	if (with_range && m->has_range) {
		f->flags |= BOB_FILTER_TIME;
		f->t_from = m->from;
		f->t_to = m->to;
	}
}

static int
make_views(struct model *m, struct bob_view *ret[2])
{
	struct bob_filter f;
	struct bob_view_opts o = { .size = sizeof(o), .group = m->group,
		.annotation = m->annotation,
		.flags = m->opcodes ? BOB_VIEW_OPCODES : 0, .filter = &f };
	int side, r = BOB_OK;

	model_filter_of(m, 1, &f);
	ret[0] = ret[1] = NULL;
	for (side = m->is_diff ? 0 : 1; r >= 0 && side < 2; side++) {
		o.side = m->is_diff ? side : 0;
		r = bob_view_new(m->profile, &o, &ret[side]);
	}
	if (r < 0) {
		free_views(ret);
		model_say(m, 1, "%s", bob_ctx_error(m->ctx)->text);
	}
	return r < 0 ? -1 : 0;
}

void
model_forget(struct model *m)
{
	m->has_list = m->has_overview = 0;
	model_forget_focus(m);
	m->mini.is_stale = 1;
	m->verdict.is_fresh = 0;
}

void
model_forget_focus(struct model *m)
{
	m->has_calls = m->has_error = 0;
	m->has_tree[0] = m->has_tree[1] = 0;
	m->flame.width = 0;
	m->time.is_fresh = 0;
}

void
model_weigh(struct model *m)
{
	int side;

	for (side = 0; side < 2; side++)
		m->total[side] = m->view[side] != NULL
		    ? model_weight(m, bob_view_total(m->view[side]))
		    : 0;
}

/* Marks the keys that pass `filter`. Returns 0; -1 if it is no valid pattern,
 * or without memory. */
static int
mark_shown(struct model *m)
{
	uint8_t *is;
	int r;

	free(m->is_shown);
	m->is_shown = NULL;
	if (m->filter[0] == '\0')
		return 0;
	is = calloc((size_t)m->n_keys + 1, 1);
	if (is == NULL) {
		model_say(m, 1, "out of memory");
		return -1;
	}
	r = bob_view_match(m->view[1], m->filter, is);
	if (r < 0) {
		model_say(m, 1, "%s", bob_ctx_error(m->ctx)->text);
		free(is);
		return -1;
	}
	m->is_shown = is;
	return 0;
}

static int
is_same_text(struct bob_bytes a, struct bob_bytes b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* How alike two keys of different groupings are; 7 is most. */
static int
key_likeness(const struct bob_key *a, const struct bob_key *b)
{
	int name = a->name.n > 0 && is_same_text(a->name, b->name);
	int file = a->file.n > 0 && is_same_text(a->file, b->file);
	int line = a->has_line && b->has_line && a->line == b->line;

	return 4 * name + 2 * file + (name && file && line);
}

/* The key of the new view that is most like a key of the old one; of several,
 * the heaviest. 0 if none is like it. */
static uint32_t
translate_key(const struct bob_view *old, uint32_t key, struct bob_view *new)
{
	struct bob_key from, to;
	const struct bob_row *row;
	uint32_t best = 0;
	int most = 0, like;
	size_t n, i;

	if (old == NULL || key == 0)
		return 0;
	from = bob_view_key(old, key);
	row = bob_view_rows(new, BOB_BY_TOTAL, &n);
	for (i = 0; row != NULL && i < n && most < 7; i++) {
		to = bob_view_key(new, row[i].key);
		like = key_likeness(&from, &to);
		if (like > most) {
			most = like;
			best = row[i].key;
		}
	}
	return best;
}

/* Replaces the views. With is_regrouped, keys have changed: focus and cursor
 * are looked up again. */
static void
take_views(struct model *m, struct bob_view *view[2], int is_regrouped)
{
	uint32_t cursor = model_cursor_key(m);
	int side;

	if (is_regrouped && m->view[1] != NULL) {
		cursor = translate_key(m->view[1], cursor, view[1]);
		m->focus = translate_key(m->view[1], m->focus, view[1]);
	}
	free_views(m->view);
	m->n_keys = 0;
	for (side = 0; side < 2; side++) {
		m->view[side] = view[side];
		if (view[side] != NULL &&
		    bob_view_n_keys(view[side]) > m->n_keys)
			m->n_keys = bob_view_n_keys(view[side]);
	}
	m->is_whole = m->is_whole && m->focus == 0 && model_is_frames(m);
	if (m->focus == 0 && m->mode == MODE_SANDWICH && !m->is_whole)
		m->mode = MODE_LIST;
	if (m->mode == MODE_LIST)
		m->pane = PANE_MAIN;
	model_weigh(m);
	model_forget(m);
	/* The pattern was valid before. */
	(void)mark_shown(m);
	if (is_regrouped && cursor == 0)
		memset(&m->list.c, 0, sizeof(m->list.c));
	model_seek(m, cursor);
}

int
model_rebuild(struct model *m, int is_regrouped)
{
	struct bob_view *view[2];

	if (make_views(m, view) < 0)
		return -1;
	take_views(m, view, is_regrouped);
	return 0;
}

void
model_requery(struct model *m)
{
	if (model_rebuild(m, 0) == 0 && m->total[0] + m->total[1] == 0)
		model_say(m, 0, "no sample is left; x shows everything again");
}

/* Sets a pattern; if `apply` fails with it, the old one stays. */
static int
set_pattern(struct model *m, char *pattern, const char *new,
    int (*apply)(struct model *m))
{
	char old[MODEL_PATTERN];

	(void)snprintf(old, sizeof(old), "%s", pattern);
	(void)snprintf(pattern, MODEL_PATTERN, "%s", new);
	if (apply(m) == 0)
		return 0;
	(void)snprintf(pattern, MODEL_PATTERN, "%s", old);
	return -1;
}

static int
apply_filter(struct model *m)
{
	uint32_t cursor = model_cursor_key(m);

	if (mark_shown(m) < 0)
		return -1;
	m->has_list = m->has_overview = m->has_calls = 0;
	m->has_tree[0] = m->has_tree[1] = 0;
	m->flame.width = 0;
	model_seek(m, cursor);
	return 0;
}

static int
apply_match(struct model *m)
{
	return model_rebuild(m, 0);
}

int
model_set_filter(struct model *m, const char *pattern)
{
	if (set_pattern(m, m->filter, pattern, apply_filter) < 0) {
		char why[MODEL_STATUS];

		(void)snprintf(why, sizeof(why), "%s", m->status);
		(void)apply_filter(m); /* the old one again */
		model_say(m, 1, "%s", why);
		return -1;
	}
	return 0;
}

int
model_set_match(struct model *m, const char *pattern)
{
	if (set_pattern(m, m->match, pattern, apply_match) < 0)
		return -1;
	if (m->total[1] + m->total[0] == 0)
		model_say(m, 0, "no sample matches");
	return 0;
}

void
model_set_range(struct model *m, uint64_t from, uint64_t to)
{
	int is_fresh = m->time.is_fresh;

	m->has_range = from < to;
	m->from = from;
	m->to = to;
	model_requery(m);
	/* The strip shows all of the time, so that it stays the same. */
	m->time.is_fresh = is_fresh;
}

/* The times of what shares are of, which narrowing does not change. */
static void
take_times(struct model *m)
{
	struct bob_filter f = { .size = sizeof(f), .idle = m->idle };
	int side;

	for (side = 0; side < 2; side++) {
		m->times[side] = (struct bob_times){
			.size = sizeof(m->times[side]) };
		/* Without memory they are 0. */
		(void)bob_profile_times(m->profile, m->is_diff ? side : 0, &f,
		    &m->times[side]);
	}
}

static void
take_info(struct model *m)
{
	m->info[0] = bob_profile_info(m->profile, 0);
	m->info[1] = m->is_diff ? bob_profile_info(m->profile, 1)
	                        : m->info[0];
	take_times(m);
}

void
model_set_idle(struct model *m, int idle)
{
	int old = m->idle;

	m->idle = idle;
	if (model_rebuild(m, 0) < 0)
		m->idle = old;
	m->facets.is_made = 0;
	take_times(m);
}

void
model_grew(struct model *m)
{
	take_info(m);
	m->facets.is_made = 0;
	(void)model_rebuild(m, 0);
}

int
model_refresh(struct model *m)
{
	int r = m->can_grow ? bob_profile_refresh(m->profile) : BOB_EOF;

	if (r == BOB_EOF)
		m->can_grow = 0;
	if (r == BOB_FAILED || r == BOB_FATAL) {
		model_say(m, 1, "%s", bob_ctx_error(m->ctx)->text);
		m->can_grow = 0;
	}
	if (r != BOB_OK && r != BOB_WARN)
		return 0;
	model_grew(m);
	return 1;
}

int
model_init(struct model *m, const struct model_opts *o)
{
	memset(m, 0, sizeof(*m));
	m->ctx = o->ctx;
	m->profile = o->profile;
	m->is_diff = o->is_diff;
	m->can_grow = o->can_grow;
	m->idle = o->idle;
	m->group = o->no_line ? BOB_GROUP_NAME : o->group;
	m->annotation = o->annotation;
	m->sources = o->sources;
	m->overview_set = -1;
	m->has_mini = m->has_time = 1;
	m->delta = DEFAULT_DELTA;
	m->by_delta = o->is_diff;
	m->cols = 80;
	m->rows = 24;
	take_info(m);
	/* Samples of different periods stand for different times. */
	m->by_time = m->info[1].has_several_periods;
	return model_rebuild(m, 0);
}

void
model_done(struct model *m)
{
	free_views(m->view);
	free(m->is_shown);
	facets_done(&m->facets);
	table_done(&m->list);
	table_done(&m->callers);
	table_done(&m->callees);
	table_done(&m->overview);
	tree_done(&m->tree[0]);
	tree_done(&m->tree[1]);
	flame_done(&m->flame);
	mini_done(&m->mini);
	free(m->verdict.error);
	source_done(&m->source);
	free(m->time.all);
	free(m->time.part);
	free(m->history);
	memset(m, 0, sizeof(*m));
}
