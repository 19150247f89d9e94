/*
 * Makes the rows of a table from samples.
 *
 * Rows about frames come from a view of the profile, which names keys and has
 * the sums since the start; the window is added up by its keys. Rows about
 * samples (routes, processes, threads) are added up here from both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

const char *const top_by_names[TOP_N_BY] = { "function", "line", "file",
	"route", "pid", "thread" };
const char *const top_by_nouns[TOP_N_BY] = { "functions", "lines", "files",
	"routes", "processes", "threads" };
const char *const top_by_titles[TOP_N_BY] = { "function and file",
	"function and line", "file", "route of the request", "process",
	"thread" };
const char *const top_order_names[TOP_N_ORDERS] = { "self", "total",
	"all-self", "all-total" };

void
top_table_done(struct top_table *t)
{
	free(t->row);
	free(t->bytes);
}

/* Copies a text: a table outlives the dictionary it was made from. */
static int
put_text(struct top_table *t, struct top_row *row, const char *p, size_t n)
{
	size_t cap = t->cap_bytes;
	char *bytes;

	if (n > cap - t->n_bytes) {
		cap = 2 * cap + n + 4096;
		bytes = realloc(t->bytes, cap);
		if (bytes == NULL)
			return BOB_FATAL;
		t->bytes = bytes;
		t->cap_bytes = cap;
	}
	if (n > 0)
		memcpy(t->bytes + t->n_bytes, p, n);
	row->text = t->n_bytes;
	row->n_text = n;
	t->n_bytes += n;
	return BOB_OK;
}

static struct top_row *
add_row(struct top_table *t)
{
	size_t cap = t->cap > 0 ? 2 * t->cap : 256;
	struct top_row *v;

	if (t->n == t->cap) {
		v = realloc(t->row, cap * sizeof(*v));
		if (v == NULL)
			return NULL;
		t->row = v;
		t->cap = cap;
	}
	v = &t->row[t->n++];
	memset(v, 0, sizeof(*v));
	v->first = (uint32_t)t->n;
	return v;
}

/* ---- Idle ---------------------------------------------------------------- */

/* Marks the stacks that wait for work, as the profile found. */
static int
mark_waits(struct top_table *t, struct top_store *s)
{
	const struct bob_cell *cell;
	size_t n = 0, i;

	t->waits = calloc((size_t)bob_dict_counts(s->dict).n_stack + 1, 1);
	cell = bob_profile_cells(s->profile, &n);
	if (t->waits == NULL || (cell == NULL && n > 0))
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (cell[i].is_idle)
			t->waits[cell[i].stack] = 1;
	return BOB_OK;
}

/* The rule of the library: a thread that has a CPU or wants the GIL works,
 * wherever it is. */
static int
is_idle(const struct top_table *t, const struct top_sample *s)
{
	return t->waits[s->stack] && !((s->flags & BOB_RUN_STATUS) != 0 &&
	    (s->status & (BOB_STATUS_ON_CPU | BOB_STATUS_HAS_GIL |
	        BOB_STATUS_WANTS_GIL)) != 0);
}

/* True if a sample has no part in rows. */
static int
is_set_aside(const struct top_table *t, const struct top_sample *s)
{
	return !t->shows_idle && is_idle(t, s);
}

static void
count_status(const struct top_table *t, const struct top_sample *s,
    struct top_row *row)
{
	row->n_gil += (s->flags & BOB_RUN_STATUS) != 0 &&
	    (s->status & BOB_STATUS_HAS_GIL) != 0;
	row->n_idle += (uint64_t)is_idle(t, s);
	row->n_active += (uint64_t)!is_idle(t, s);
}

/* --- frames --------------------------------------------------------------- */

struct sums {
	uint64_t self, total;
	uint32_t stamp; /* of the stack that was counted last */
};

/* Adds a stack that was seen n times; a key counts once for it. */
static void
add_stack(const struct bob_view *v, const struct bob_dict *d,
    struct sums *sums, uint32_t n_keys, bob_stack stack, uint64_t n,
    uint32_t stamp)
{
	int is_leaf = 1;

	while (stack != 0) {
		struct bob_node node = bob_stack_get(d, stack);
		uint32_t key = bob_view_key_of(v, node.frame);

		if (key < n_keys) {
			if (is_leaf)
				sums[key].self += n;
			if (sums[key].stamp != stamp)
				sums[key].total += n;
			sums[key].stamp = stamp;
		}
		is_leaf = 0;
		stack = node.parent;
	}
}

static int
add_window(const struct top_table *t, const struct top_store *s,
    const struct bob_view *v, struct sums *sums)
{
	uint32_t n_stack = bob_dict_counts(s->dict).n_stack, stamp = 0, i;
	uint32_t *seen = calloc((size_t)n_stack + 1, sizeof(*seen));
	uint32_t n_keys = bob_view_n_keys(v);
	size_t k;

	if (seen == NULL)
		return BOB_FATAL;
	for (k = 0; k < s->n_recent; k++)
		seen[top_recent(s, k)->stack] +=
		    (uint32_t)!is_set_aside(t, top_recent(s, k));
	for (i = 1; i < n_stack; i++)
		if (seen[i] != 0)
			add_stack(v, s->dict, sums, n_keys, i, seen[i],
			    ++stamp);
	free(seen);
	return BOB_OK;
}

static int
add_key(struct top_table *t, const struct bob_view *v,
    const struct bob_row *row, const struct sums *sums)
{
	struct bob_key k = bob_view_key(v, row->key);
	struct top_row *to = add_row(t);

	if (to == NULL)
		return BOB_FATAL;
	to->w[TOP_SELF] = sums[row->key].self;
	to->w[TOP_TOTAL] = sums[row->key].total;
	to->w[TOP_ALL_SELF] = row->self.samples;
	to->w[TOP_ALL_TOTAL] = row->total.samples;
	to->self_us = row->self.time_us;
	to->total_us = row->total.time_us;
	to->first = row->first;
	to->key = row->key;
	to->n_name = k.name.n;
	return put_text(t, to, k.text.p, k.text.n);
}

static int
add_keys(struct top_table *t, struct top_store *s, struct bob_view *v,
    const char *pattern)
{
	uint32_t n_keys = bob_view_n_keys(v);
	struct sums *sums = calloc((size_t)n_keys + 1, sizeof(*sums));
	uint8_t *is = calloc((size_t)n_keys + 1, 1);
	const struct bob_row *row;
	size_t n = 0, i;
	int r = BOB_FATAL;

	row = bob_view_rows(v, BOB_BY_TOTAL, &n);
	if (sums != NULL && is != NULL && (row != NULL || n == 0))
		r = add_window(t, s, v, sums);
	if (r == BOB_OK && pattern != NULL)
		r = bob_view_match(v, pattern, is);
	for (i = 0; r == BOB_OK && i < n; i++)
		if (pattern == NULL || is[row[i].key])
			r = add_key(t, v, &row[i], sums);
	free(sums);
	free(is);
	return r;
}

static int
make_frames(struct top_table *t, struct top_store *s, const char *pattern)
{
	static const int groups[] = { BOB_GROUP_FUNCTION, BOB_GROUP_LINE,
		BOB_GROUP_FILE };
	struct bob_filter f = { .size = sizeof(f),
		.idle = t->shows_idle ? BOB_IDLE_KEEP : BOB_IDLE_HIDE };
	struct bob_view_opts o = { .size = sizeof(o), .group = groups[t->by],
		.filter = &f };
	struct bob_view *v;
	int r = bob_view_new(s->profile, &o, &v);

	if (r < 0)
		return r;
	t->n_all = bob_view_total(v).samples;
	r = add_keys(t, s, v, pattern);
	bob_view_free(v);
	return r;
}

/* --- samples -------------------------------------------------------------- */

/* The key of a sample in rows of samples: a pid, a track, or a string. */
static uint64_t
key_of(const struct top_table *t, const struct top_store *s, bob_tid track,
    bob_annot annot)
{
	const struct bob_pair *v;
	size_t n;

	if (t->by == TOP_BY_PID)
		return bob_track_get(s->dict, track)->pid;
	if (t->by == TOP_BY_THREAD)
		return track;
	v = bob_annot_get(s->dict, annot, &n);
	return annot != 0 && n > 0 ? v[0].value : 0;
}

/* Rows are kept in the order of their keys, which stand in w[TOP_TOTAL] until
 * the sums are whole. */
static struct top_row *
row_of(struct top_table *t, uint64_t key)
{
	size_t low = 0, high = t->n, middle;
	struct top_row *row;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (t->row[middle].w[TOP_TOTAL] < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < t->n && t->row[low].w[TOP_TOTAL] == key)
		return &t->row[low];
	if (add_row(t) == NULL)
		return NULL;
	row = &t->row[low];
	memmove(row + 1, row, (t->n - 1 - low) * sizeof(*row));
	memset(row, 0, sizeof(*row));
	row->w[TOP_TOTAL] = key;
	return row;
}

static int
name_row(struct top_table *t, const struct top_store *s, struct top_row *row,
    top_command_fn *command, void *user)
{
	uint64_t key = row->w[TOP_TOTAL];
	const struct bob_track *track;
	struct bob_bytes name;
	char text[256];
	int n;

	if (t->by == TOP_BY_ROUTE && key == 0)
		return put_text(t, row, "(no route)", 10);
	if (t->by == TOP_BY_ROUTE) {
		name = bob_str_get(s->dict, (bob_str)key);
		return put_text(t, row, name.p, name.n);
	}
	if (t->by == TOP_BY_PID) {
		n = snprintf(text, sizeof(text), "%llu  %s",
		    (unsigned long long)key, command(user, key));
	} else {
		track = bob_track_get(s->dict, (bob_tid)key);
		name = bob_str_get(s->dict, track->name);
		n = snprintf(text, sizeof(text), "%llu/%llu  %.*s",
		    (unsigned long long)track->pid,
		    (unsigned long long)((track->flags & BOB_TRACK_TID) != 0
		        ? track->tid : track->pid),
		    (int)(name.n < 64 ? name.n : 64), name.p);
	}
	if (n >= (int)sizeof(text))
		n = (int)sizeof(text) - 1;
	return put_text(t, row, text, (size_t)(n > 0 ? n : 0));
}

/* Rows of samples have no view to match with: the pattern is plain text. */
static void
filter_rows(struct top_table *t, const char *pattern)
{
	size_t n_pattern = strlen(pattern), n = 0, i, k;

	for (i = 0; i < t->n; i++) {
		const char *p = t->bytes + t->row[i].text;

		for (k = 0; k + n_pattern <= t->row[i].n_text; k++)
			if (memcmp(p + k, pattern, n_pattern) == 0)
				break;
		if (k + n_pattern <= t->row[i].n_text)
			t->row[n++] = t->row[i];
	}
	t->n = n;
}

static int
make_samples(struct top_table *t, struct top_store *s,
    top_command_fn *command, void *user)
{
	const struct top_sample *sample;
	const struct bob_cell *cell;
	struct top_row *row;
	size_t n, i;

	cell = bob_profile_cells(s->profile, &n);
	for (i = 0; i < n; i++) {
		row = row_of(t, key_of(t, s, cell[i].track, cell[i].annot));
		if (row == NULL)
			return BOB_FATAL;
		row->key = cell[i].track;
		if (cell[i].is_idle && !t->shows_idle) {
			t->n_all -= cell[i].samples;
			continue;
		}
		row->w[TOP_ALL_SELF] += cell[i].samples;
		row->self_us += cell[i].time_us;
	}
	for (i = 0; i < s->n_recent; i++) {
		sample = top_recent(s, i);
		row = row_of(t, key_of(t, s, sample->track, sample->annot));
		if (row == NULL)
			return BOB_FATAL;
		row->w[TOP_SELF] += (uint64_t)!is_set_aside(t, sample);
		row->key = sample->track;
		if (t->by != TOP_BY_ROUTE)
			count_status(t, sample, row);
	}
	for (i = 0; i < t->n; i++) {
		if (name_row(t, s, &t->row[i], command, user) < 0)
			return BOB_FATAL;
		t->row[i].first = (uint32_t)i;
		t->row[i].w[TOP_TOTAL] = t->row[i].w[TOP_SELF];
		t->row[i].w[TOP_ALL_TOTAL] = t->row[i].w[TOP_ALL_SELF];
		t->row[i].total_us = t->row[i].self_us;
	}
	return BOB_OK;
}

/* --- all ------------------------------------------------------------------ */

/* Heaviest first, by the weight of the order, then by the other weights; then
 * first seen first. Of processes and threads, what was active in the window
 * counts before what was sampled in it. */
static int
compare(const struct top_row *a, const struct top_row *b, int order)
{
	int i, k;

	if (order < TOP_ALL_SELF && a->n_active != b->n_active)
		return a->n_active < b->n_active ? 1 : -1;
	for (i = 0; i < TOP_N_ORDERS; i++) {
		k = (order + i) % TOP_N_ORDERS;
		if (a->w[k] != b->w[k])
			return a->w[k] < b->w[k] ? 1 : -1;
	}
	return (a->first > b->first) - (a->first < b->first);
}

#define COMPARE_BY(name, order) \
	static int \
	name(const void *a, const void *b) \
	{ \
		return compare(a, b, order); \
	}

COMPARE_BY(by_self, TOP_SELF)
COMPARE_BY(by_total, TOP_TOTAL)
COMPARE_BY(by_all_self, TOP_ALL_SELF)
COMPARE_BY(by_all_total, TOP_ALL_TOTAL)

static int (*const comparisons[TOP_N_ORDERS])(const void *, const void *) = {
	by_self, by_total, by_all_self, by_all_total };

/* What the threads did in the window. A time that all of them were sampled at
 * is a tick; there are as many as periods. */
static int
count_threads(struct top_table *t, const struct top_store *s)
{
	uint32_t n = bob_dict_counts(s->dict).n_track;
	uint8_t *seen = calloc((size_t)n + 1, 1);
	struct top_row sum = { .first = 0 };
	const struct top_sample *sample;
	double ticks = s->period_us > 0
	    ? (double)(s->t_us - s->t_from) / (double)s->period_us : 0;
	size_t i;

	if (seen == NULL)
		return BOB_FATAL;
	t->n_threads = 0;
	t->has_gil = 0;
	for (i = 0; i < s->n_recent; i++) {
		sample = top_recent(s, i);
		t->n_threads += !seen[sample->track];
		seen[sample->track] = 1;
		t->has_gil |= (sample->flags & BOB_RUN_STATUS) != 0;
		count_status(t, sample, &sum);
	}
	t->n_set_aside = t->shows_idle ? 0 : sum.n_idle;
	t->n_window = s->n_recent - t->n_set_aside;
	free(seen);
	if (ticks < 1)
		ticks = 1;
	t->active = (double)sum.n_active / ticks;
	t->idle = (double)sum.n_idle / ticks;
	t->gil = (double)sum.n_gil / ticks;
	return BOB_OK;
}

int
top_table_make(struct top_table *t, struct top_store *s, const char *pattern,
    top_command_fn *command, void *user)
{
	int r;

	t->n = t->n_bytes = 0;
	t->n_all = bob_profile_info(s->profile, 0).n_samples;
	t->all_us = s->t_us - s->t_since;
	r = mark_waits(t, s);
	if (r == BOB_OK)
		r = count_threads(t, s);
	if (r == BOB_OK)
		r = t->by <= TOP_BY_FILE ? make_frames(t, s, pattern)
		                         : make_samples(t, s, command, user);
	if (r == BOB_OK && t->by > TOP_BY_FILE && pattern != NULL)
		filter_rows(t, pattern);
	free(t->waits);
	t->waits = NULL;
	if (r == BOB_OK && t->n > 0)
		qsort(t->row, t->n, sizeof(*t->row), comparisons[t->order]);
	return r;
}
