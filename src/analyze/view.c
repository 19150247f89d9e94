/*
 * Views: rows of a profile that pass a filter, added up by key. Takes one pass
 * over the rows and one over the grouped stacks.
 */
#include "analyze/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/pattern.h"

/* Copies as many fields as the caller's version of the struct has. */
static struct bob_view_opts
take_opts(const struct bob_view_opts *opts)
{
	struct bob_view_opts o = { 0 };

	if (opts != NULL)
		memcpy(&o, opts, opts->size < sizeof(o) ? opts->size :
		    sizeof(o));
	return o;
}

static int
check_opts(const struct bob_profile *p, const struct bob_view_opts *o)
{
	const char *wrong = NULL;

	if (o->group < 0 || o->group > BOB_GROUP_MINUTE)
		wrong = "there is no such grouping";
	else if (o->group == BOB_GROUP_ANNOTATION && o->annotation == NULL)
		wrong = "grouping by annotation needs its key";
	else if (o->group == BOB_GROUP_SEGMENT &&
	    p->split != BOB_SPLIT_SEGMENT)
		wrong = "the profile does not tell segments apart";
	else if (o->group == BOB_GROUP_MINUTE && p->split != BOB_SPLIT_MINUTE)
		wrong = "the profile does not tell minutes apart";
	else
		wrong = shape_wrong(o->shape, o->n_shapes);
	if (wrong != NULL)
		return err_set(p->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s", wrong);
	return BOB_OK;
}

/* Returns the keys of this grouping and shape, which the profile keeps; NULL
 * without memory. */
static struct keys *
find_keys(struct bob_profile *p, const struct bob_view_opts *o)
{
	struct keys *k;

	for (k = p->keys; k != NULL; k = k->next)
		if (keys_fit(k, o))
			return k;
	k = keys_new(p->ctx, p->dict, &p->labels, o);
	if (k != NULL) {
		k->next = p->keys;
		p->keys = k;
	}
	return k;
}

/* There are few groupings, and they are kept. Shapes are what somebody tries,
 * one after the other. */
static void
release_keys(struct bob_profile *p, struct keys *k)
{
	struct keys **at;

	if (k == NULL || --k->n_views > 0 || k->shape.n == 0)
		return;
	for (at = &p->keys; *at != k; at = &(*at)->next)
		;
	*at = k->next;
	keys_free(k);
}

/* Sets node_of_row to the stack of a row behind the filter, or to VIEW_NO_NODE
 * when the filter drops it. */
static int
filter_row(struct bob_view *v, struct filter *f, uint32_t i)
{
	const struct row *row = &v->p->rows.row[i];
	struct bob_run run = { 0 };
	size_t n = 1;

	v->node_of_row[i] = VIEW_NO_NODE;
	if (row->key.side != v->side)
		return BOB_OK;
	if (v->idle_mode != BOB_IDLE_KEEP &&
	    row->key.is_idle != (v->idle_mode == BOB_IDLE_ONLY)) {
		v->lacks_rows = 1;
		return BOB_OK;
	}
	run.count = row->samples;
	run.stack = row->key.stack;
	run.track = row->key.track;
	run.annot = row->key.annot;
	run.status = row->key.status;
	run.flags = row->key.flags;
	if (f != NULL && filter_runs(f, &run, &n) < 0)
		return BOB_FATAL;
	if (n == 0)
		v->lacks_rows = 1;
	else
		v->node_of_row[i] = run.stack;
	return BOB_OK;
}

/* From stacks to nodes. Hiding has made new stacks, whose keys may be new. */
static int
group_rows(struct bob_view *v)
{
	uint32_t i;
	int r = keys_update(v->keys);

	for (i = 0; r == BOB_OK && i < v->n_row; i++) {
		bob_stack *node = &v->node_of_row[i];

		if (*node == VIEW_NO_NODE)
			continue;
		*node = keys_of_row(v->keys, &v->p->rows.row[i], *node);
		if (*node == BOB_NO_ID)
			return BOB_FATAL;
		if (*node != KEYS_OUT)
			continue;
		*node = VIEW_NO_NODE;
		v->lacks_rows = 1;
	}
	return r;
}

static int
place_rows(struct bob_view *v, const struct bob_filter *spec)
{
	struct bob_filter s = { 0 };
	struct filter *f = NULL;
	uint32_t i;
	int r = BOB_OK;

	if (spec != NULL)
		memcpy(&s, spec, spec->size < sizeof(s) ? spec->size :
		    sizeof(s));
	v->has_range = (s.flags & BOB_FILTER_TIME) != 0;
	v->t_from = s.t_from;
	v->t_to = s.t_to;
	/* Rows have no times: add_range uses the time strip. */
	s.flags &= ~(uint32_t)BOB_FILTER_TIME;
	/* What is idle was decided by the stacks that were read. */
	v->idle_mode = s.idle;
	s.idle = BOB_IDLE_KEEP;
	s.size = sizeof(s);
	if (filter_new(v->p->ctx, &s, v->p->dict, &f) < 0)
		return BOB_FAILED;
	for (i = 0; r == BOB_OK && i < v->n_row; i++)
		r = filter_row(v, f, i);
	filter_free(f);
	return r == BOB_OK ? group_rows(v) : r;
}

static void
add_rows(struct bob_view *v)
{
	uint32_t i;

	for (i = 0; i < v->n_row; i++) {
		const struct row *row = &v->p->rows.row[i];
		struct bob_sum x = { row->samples, row_time(row, v->basis) };

		if (v->node_of_row[i] != VIEW_NO_NODE)
			sum_add(&v->self[v->node_of_row[i]], x);
	}
}

/* Samples that rows got in a range: got[] is by row, zeroed. */
static void
count_range(const struct bob_view *v, const struct strip *s, uint64_t *got)
{
	uint8_t has_bin[STRIP_BINS];
	uint32_t b;
	size_t i;

	for (b = 0; b < s->n_bins; b++)
		has_bin[b] = (uint8_t)view_has_bin(v, b);
	for (i = 0; i < s->n; i++) {
		const struct strip_entry *e = &s->entry[i];

		if (has_bin[e->bin])
			got[e->row] = count_add(got[e->row], e->samples);
	}
}

/* Adds what rows have in the range of time. The time of a row is divided in
 * proportion to its samples. */
static int
add_range(struct bob_view *v)
{
	struct strip *s = &v->p->side[v->side].strip;
	uint64_t *got = calloc((size_t)v->n_row + 1, sizeof(*got));
	uint32_t i;

	if (got == NULL)
		return err_nomem(v->p->ctx);
	if (strip_flush(s) < 0) {
		free(got);
		return BOB_FATAL;
	}
	count_range(v, s, got);
	for (i = 0; i < v->n_row; i++) {
		const struct row *row = &v->p->rows.row[i];
		struct bob_sum x = { got[i], 0 };

		if (got[i] == 0 || v->node_of_row[i] == VIEW_NO_NODE)
			continue;
		x.time_us = (uint64_t)((double)row_time(row, v->basis) *
		    ((double)got[i] / (double)row->samples));
		sum_add(&v->self[v->node_of_row[i]], x);
	}
	free(got);
	return BOB_OK;
}

static void
view_add_totals(struct bob_view *v)
{
	uint32_t i;

	memcpy(v->total, v->self, v->n_node * sizeof(*v->total));
	for (i = v->n_node - 1; i > 0; i--)
		sum_add(&v->total[view_parent(v, i)], v->total[i]);
	v->sum = v->total[0];
	for (i = 1; i < v->n_node; i++) {
		struct bob_row *row = &v->row[view_key(v, i)];

		assert(view_parent(v, i) < i && view_key(v, i) < v->n_key);
		sum_add(&row->self, v->self[i]);
		if (!v->keys->is_inner[i])
			sum_add(&row->total, v->total[i]);
	}
}

/*
 * Ranks keys by their first appearance: in order of rows, and within a stack
 * from the leaf outwards. When a node was visited, so were all its parents.
 */
static int
rank_keys(struct bob_view *v)
{
	uint8_t *met = calloc(v->n_node, 1);
	uint8_t *is_leaf = calloc(v->n_node, 1);
	uint32_t i, n = 0, rank = 0;
	bob_stack s;

	if (met == NULL || is_leaf == NULL) {
		free(met);
		free(is_leaf);
		return err_nomem(v->p->ctx);
	}
	for (i = 0; i < v->n_row; i++) {
		s = v->node_of_row[i];
		if (s == VIEW_NO_NODE || v->self[s].samples == 0)
			continue;
		if (!is_leaf[s])
			v->leaf[n++] = s;
		is_leaf[s] = 1;
		for (; s != 0 && !met[s]; s = view_parent(v, s)) {
			met[s] = 1;
			if (v->row[view_key(v, s)].first == 0)
				v->row[view_key(v, s)].first = ++rank;
		}
	}
	v->n_leaf = n;
	free(met);
	free(is_leaf);
	return BOB_OK;
}

static int
view_fill(struct bob_view *v, const struct bob_filter *filter)
{
	uint32_t i;
	int r;

	v->node_of_row = calloc((size_t)v->n_row + 1, sizeof(*v->node_of_row));
	if (v->node_of_row == NULL)
		return err_nomem(v->p->ctx);
	r = place_rows(v, filter);
	if (r == BOB_OK)
		r = keys_settle(v->keys);
	if (r < 0)
		return r;
	v->n_node = v->keys->own->n.n_stack;
	v->n_key = v->keys->own->n.n_frame;
	v->self = calloc(v->n_node, sizeof(*v->self));
	v->total = calloc(v->n_node, sizeof(*v->total));
	v->leaf = calloc(v->n_node, sizeof(*v->leaf));
	v->row = calloc(v->n_key, sizeof(*v->row));
	if (v->self == NULL || v->total == NULL || v->leaf == NULL ||
	    v->row == NULL)
		return err_nomem(v->p->ctx);
	for (i = 0; i < v->n_key; i++)
		v->row[i].key = i;
	if (!v->has_range)
		add_rows(v);
	else if (add_range(v) < 0)
		return BOB_FATAL;
	view_add_totals(v);
	return rank_keys(v);
}

int
bob_view_new(struct bob_profile *p, const struct bob_view_opts *opts,
    struct bob_view **ret)
{
	struct bob_view_opts o = take_opts(opts);
	struct bob_view *v;

	if (check_opts(p, &o) < 0)
		return BOB_FAILED;
	v = calloc(1, sizeof(*v));
	if (v == NULL)
		return err_nomem(p->ctx), BOB_FAILED;
	v->p = p;
	v->side = o.side != 0;
	v->basis = profile_basis(&p->side[v->side]);
	v->n_row = p->rows.n;
	v->keys = find_keys(p, &o);
	if (v->keys != NULL)
		v->keys->n_views++;
	if (v->keys == NULL || view_fill(v, o.filter) < 0) {
		bob_view_free(v);
		return err_set_status(p->ctx, BOB_FAILED);
	}
	*ret = v;
	return BOB_OK;
}

void
bob_view_free(struct bob_view *v)
{
	size_t i;

	if (v == NULL)
		return;
	for (i = 0; i < sizeof(v->sorted) / sizeof(v->sorted[0]); i++)
		free(v->sorted[i]);
	free(v->node_of_row);
	free(v->self);
	free(v->total);
	free(v->leaf);
	free(v->row);
	free(v->bins);
	free(v->lane);
	release_keys(v->p, v->keys);
	free(v);
}

struct bob_sum
bob_view_total(const struct bob_view *v)
{
	return v->sum;
}

uint32_t
bob_view_n_keys(const struct bob_view *v)
{
	return v->n_key;
}

struct bob_key
bob_view_key(const struct bob_view *v, uint32_t key)
{
	struct bob_bytes text = { "", 0 };
	const struct key_parts *parts;
	struct bob_key k = { 0 };

	k.text = k.name = k.file = k.opcode = k.module = text;
	if (key == 0 || key >= v->n_key)
		return k;
	text = keys_text(v->keys, key);
	parts = &v->keys->parts[key];
	k.text = text;
	k.name = (struct bob_bytes){ text.p, parts->name_len };
	k.file = (struct bob_bytes){ text.p + parts->file_at,
		parts->file_len };
	k.opcode = (struct bob_bytes){ text.p + parts->opcode_at,
		parts->opcode_len };
	k.line = parts->line;
	k.has_line = parts->has_line;
	k.module = bob_str_get(v->keys->own, parts->module);
	k.lang = parts->lang;
	k.frame = parts->frame;
	return k;
}

struct bob_row
bob_view_row(const struct bob_view *v, uint32_t key)
{
	return v->row[key < v->n_key ? key : 0];
}

int
bob_view_match(struct bob_view *v, const char *pattern, uint8_t *is)
{
	struct pattern *p;
	uint32_t i;
	int r = pattern_new(v->p->ctx, "filter:", pattern, &p);

	if (r < 0)
		return r;
	is[0] = 0;
	for (i = 1; r >= 0 && i < v->n_key; i++) {
		struct bob_bytes text = keys_text(v->keys, i);

		r = pattern_match(p, text.p, text.n);
		is[i] = r > 0;
	}
	pattern_free(p);
	return r < 0 ? BOB_FAILED : BOB_OK;
}
