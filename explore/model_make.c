/*
 * Makes tables, trees, flames and strips from the views when they are first
 * needed. Without memory they are shown empty, and the status says so.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "model_inside.h"

/* Trees leave out nodes below 1/TREE_SMALLEST of their whole. */
#define TREE_SMALLEST 20000

static void
no_memory(struct model *m)
{
	model_say(m, 1, "out of memory");
}

/* Adds the rows of a side to a table. at[key] is the key's row + 1, or 0. */
static int
add_rows(struct model *m, struct table *t, const struct bob_row *row,
    size_t n, int side, int by_self, uint32_t *at)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct item item = { .key = row[i].key };
		uint32_t *slot = at != NULL ? &at[row[i].key] : NULL;

		if (m->is_shown != NULL && !m->is_shown[row[i].key])
			continue;
		item.self = model_weight(m, row[i].self);
		item.total = model_weight(m, row[i].total);
		item.w[side] = by_self ? item.self : item.total;
		if (slot != NULL && *slot != 0) {
			t->item[*slot - 1].w[side] = item.w[side];
			continue;
		}
		if (side == 0)
			item.self = item.total = 0; /* it is gone */
		if (table_add(t, &item) < 0)
			return -1;
		if (slot != NULL)
			*slot = (uint32_t)t->n;
	}
	return 0;
}

/* Rows come by total; those by self are sorted here, so that keys without self
 * are in both. */
static void
fill_table(struct model *m, struct table *t, int order)
{
	uint32_t *at = NULL;
	const struct bob_row *row;
	int side, r = 0;
	size_t n;

	table_clear(t);
	if (m->is_diff) {
		at = calloc((size_t)m->n_keys + 1, sizeof(*at));
		r = at == NULL ? -1 : 0;
	}
	for (side = 1; r == 0 && side >= (m->is_diff ? 0 : 1); side--) {
		row = bob_view_rows(m->view[side], m->by_time
		    ? BOB_BY_TOTAL_TIME : BOB_BY_TOTAL, &n);
		if (row == NULL && n > 0)
			r = -1;
		else
			r = add_rows(m, t, row, n, side, order == BOB_BY_SELF,
			    at);
	}
	free(at);
	if (r < 0)
		no_memory(m);
	table_sort(t, m->by_delta, m->total);
	if (m->by_delta)
		model_significant_first(m, t, order == BOB_BY_SELF);
}

struct table *
model_list(struct model *m)
{
	if (!m->has_list)
		fill_table(m, &m->list, m->order);
	m->has_list = 1;
	return &m->list;
}

struct table *
model_overview(struct model *m)
{
	if (!m->has_overview)
		fill_table(m, &m->overview, m->overview_order);
	m->has_overview = 1;
	return &m->overview;
}

/* Fills a table with the callers or callees of the marked keys. */
static int
fill_calls(struct model *m, struct table *t, const uint8_t *is, uint32_t *at,
    int callers)
{
	int side, r = 0;

	table_clear(t);
	if (at != NULL)
		memset(at, 0, ((size_t)m->n_keys + 1) * sizeof(*at));
	for (side = 1; r == 0 && side >= (m->is_diff ? 0 : 1); side--) {
		struct bob_row *row = NULL;
		size_t n = 0;

		r = callers ? bob_view_callers(m->view[side], is, &row, &n)
		            : bob_view_callees(m->view[side], is, &row, &n);
		if (r >= 0)
			r = add_rows(m, t, row, n, side, 0, at);
		bob_rows_free(row);
	}
	table_sort(t, m->by_delta, m->total);
	return r < 0 ? -1 : 0;
}

static void
make_calls(struct model *m)
{
	size_t n = (size_t)m->n_keys + 1;
	uint8_t *is = calloc(n, 1);
	uint32_t *at = m->is_diff ? calloc(n, sizeof(*at)) : NULL;

	m->has_calls = 1;
	if (is == NULL || (m->is_diff && at == NULL)) {
		no_memory(m);
	} else {
		/* Key 0 is the root, or a leaf: it always has a row. */
		if (m->is_shown != NULL)
			m->is_shown[0] = 1;
		is[m->focus] = 1;
		if (fill_calls(m, &m->callers, is, at, 1) < 0 ||
		    fill_calls(m, &m->callees, is, at, 0) < 0)
			no_memory(m);
	}
	free(is);
	free(at);
}

struct table *
model_callers(struct model *m)
{
	if (!m->has_calls)
		make_calls(m);
	return &m->callers;
}

struct table *
model_callees(struct model *m)
{
	if (!m->has_calls)
		make_calls(m);
	return &m->callees;
}

double
model_error(struct model *m)
{
	struct bob_view *v = m->view[1];
	double self = 1, total = 1;
	struct bob_share share;

	if (m->has_error)
		return m->error;
	/* If it fails, samples count as independent. */
	(void)bob_view_clumping(v, &m->focus, 1, &self, &total);
	share = bob_share_of((double)bob_view_row(v, m->focus).total.samples,
	    (double)bob_view_total(v).samples, total);
	m->error = (share.high - share.low) / 2;
	m->has_error = 1;
	return m->error;
}

struct tree *
model_tree(struct model *m, int direction)
{
	struct bob_tree *src[2] = { NULL, NULL };
	struct tree_scale scale = { .by_time = m->by_time,
		.total = { m->total[0], m->total[1] } };
	struct tree *t = &m->tree[direction];
	uint64_t whole;
	int side, r = BOB_OK;

	if (m->has_tree[direction])
		return t;
	for (side = 0; r >= 0 && side < 2; side++) {
		if (m->view[side] == NULL)
			continue;
		whole = m->focus != 0
		    ? bob_view_row(m->view[side], m->focus).total.samples
		    : bob_view_total(m->view[side]).samples;
		r = bob_view_tree(m->view[side], direction, m->focus,
		    whole / TREE_SMALLEST, 0, &src[side]);
	}
	if (r < 0)
		model_say(m, 1, "%s", bob_ctx_error(m->ctx)->text);
	else if (tree_make(t, src[0], src[1], &scale) < 0)
		no_memory(m);
	else if (m->is_shown != NULL)
		tree_filter(t, m->is_shown);
	bob_tree_free(src[0]);
	bob_tree_free(src[1]);
	m->has_tree[direction] = 1;
	return t;
}

struct flame *
model_flame(struct model *m, int width)
{
	static const struct tree none;
	uint32_t key = m->flame_seeks;

	if (m->flame.width == width)
		return &m->flame;
	/* Only the width changed: the same function stays selected. */
	if (m->flame.width > 0 && m->flame.at < m->flame.n)
		key = m->flame.box[m->flame.at].key;
	m->flame_seeks = 0;
	if (flame_make(&m->flame, m->focus != 0 ? model_tree(m, BOB_CALLERS)
	                                        : &none,
	    model_tree(m, BOB_CALLEES), m->total, width) < 0)
		no_memory(m);
	if (key != 0)
		model_seek(m, key);
	return &m->flame;
}

struct mini *
model_mini(struct model *m, int width, int height)
{
	struct bob_tree *t = NULL;
	struct bob_view *v = m->view[1];

	if (m->mini.width == width && m->mini.height == height &&
	    (!m->mini.is_stale || m->defers)) {
		m->is_behind |= m->mini.is_stale;
		return &m->mini;
	}
	if (bob_view_tree(v, BOB_CALLEES, 0,
	    bob_view_total(v).samples / (uint64_t)(4 * width), 0, &t) < 0)
		model_say(m, 1, "%s", bob_ctx_error(m->ctx)->text);
	else if (mini_make(&m->mini, t, m->by_time, width, height) < 0)
		no_memory(m);
	bob_tree_free(t);
	return &m->mini;
}

/* Adds the bins of a key to *bins, which is made if NULL. */
static int
add_bins(struct model *m, struct bob_view *v, uint32_t key, uint64_t **bins)
{
	struct bob_timeline line;
	uint32_t i;

	if (bob_view_timeline(v, key, &line) < 0)
		return -1;
	if (*bins == NULL)
		*bins = calloc((size_t)line.n + 1, sizeof(**bins));
	if (*bins == NULL)
		return -1;
	m->time.n = line.n;
	m->time.bin_us = line.bin_us;
	for (i = 0; i < line.n; i++)
		(*bins)[i] += line.samples[i];
	return 0;
}

/* A view that ignores the selected range, for the strip; NULL if it fails. */
static struct bob_view *
wide_view(struct model *m)
{
	struct bob_filter f;
	struct bob_view_opts o = { .size = sizeof(o), .group = m->group,
		.annotation = m->annotation,
		.flags = m->opcodes ? BOB_VIEW_OPCODES : 0, .filter = &f };
	struct bob_view *v = NULL;

	model_filter_of(m, 0, &f);
	o.side = m->is_diff ? 1 : 0;
	return bob_view_new(m->profile, &o, &v) < 0 ? NULL : v;
}

struct time_strip *
model_time(struct model *m)
{
	struct time_strip *s = &m->time;
	struct bob_view *wide = NULL, *v = m->view[1];

	if (s->is_fresh || (m->defers && s->all != NULL)) {
		m->is_behind |= !s->is_fresh;
		return s;
	}
	if (m->has_range)
		v = wide = wide_view(m);
	free(s->all);
	free(s->part);
	s->all = s->part = NULL;
	s->n = 0;
	if (v == NULL || add_bins(m, v, 0, &s->all) < 0 ||
	    (m->mode == MODE_SANDWICH && m->focus != 0 &&
	        add_bins(m, v, m->focus, &s->part) < 0))
		no_memory(m);
	bob_view_free(wide);
	if (s->cursor >= s->n)
		s->cursor = s->n > 0 ? s->n - 1 : 0;
	s->is_fresh = 1;
	return s;
}
