/* Gathers the rows of each section from the profile, with sampling errors. */
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "print/folder.h"
#include "print/plain.h"
#include "print/msg.h"

void
report_done(struct report *r)
{
	size_t i;

	for (i = 0; i < N_SECTIONS; i++)
		free(r->section[i].row);
	for (i = 0; i < r->n_strips; i++)
		free(r->strip[i].samples);
	free(r->strip);
	bob_tree_free(r->tree);
	if (r->frames != r->view)
		bob_view_free(r->frames);
	bob_view_free(r->view);
	memset(r, 0, sizeof(*r));
}

struct analyze_row *
section_rows(struct section *s, size_t n)
{
	free(s->row);
	s->row = calloc(n + 1, sizeof(*s->row));
	if (s->row == NULL)
		msg_error("out of memory");
	return s->row;
}

/* The error of a share of time is that of the same share of samples. */
static void
set_share(const struct report *r, const struct bob_sum *whole,
    struct analyze_row *row, double clumping)
{
	double n = (double)whole->samples, k = (double)row->sum.samples;

	if (r->by_time)
		k = whole->time_us == 0 ? 0
		    : n * ((double)row->sum.time_us / (double)whole->time_us);
	row->clumping = clumping;
	row->share = bob_share_of(k < n ? k : n, n, clumping);
}

void
row_share(const struct report *r, struct analyze_row *row, double clumping)
{
	set_share(r, &r->whole, row, clumping);
}

void
request_share(const struct report *r, struct analyze_row *row, double clumping)
{
	set_share(r, &r->all, row, clumping);
}

static int
make_view(struct analyze *a, int group, struct bob_view **ret)
{
	struct bob_view_opts o = { .size = sizeof(o), .group = group,
		.annotation = a->o.annotation,
		.flags = a->o.has_opcodes ? BOB_VIEW_OPCODES : 0 };

	if (bob_view_new(a->profile, &o, ret) < 0)
		return job_error(&a->job);
	return EXIT_OK;
}

static int
make_views(struct analyze *a)
{
	struct report *r = &a->r;
	int code = make_view(a, a->o.group, &r->view);

	r->groups_samples = group_is_of_samples(a->o.group);
	if (code != EXIT_OK)
		return code;
	if (r->groups_samples)
		return make_view(a, BOB_GROUP_LINE, &r->frames);
	r->frames = r->view;
	return EXIT_OK;
}

/* Samples without a frame are in no table of frames, so shares do not count
 * them. */
static int
find_whole(struct report *r)
{
	struct bob_sum sum = { 0, 0 };
	const struct bob_row *row;
	size_t n = 0, i;

	row = bob_view_rows(r->frames, BOB_BY_SELF, &n);
	if (row == NULL && n > 0)
		return msg_no_memory();
	for (i = 0; i < n; i++) {
		sum.samples = plain_add(sum.samples, row[i].self.samples);
		sum.time_us = plain_add(sum.time_us, row[i].self.time_us);
	}
	r->all = bob_view_total(r->view);
	r->n_stackless = r->all.samples - sum.samples;
	r->whole = r->groups_samples ? r->all : sum;
	return EXIT_OK;
}

int
row_by_time(const void *a, const void *b)
{
	const struct analyze_row *x = a, *y = b;

	if (x->sum.time_us != y->sum.time_us)
		return x->sum.time_us < y->sum.time_us ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int
clumps_find(struct clumps *c, const struct section *s, struct bob_view *v)
{
	size_t i;

	c->key = calloc(s->n + 1, sizeof(*c->key));
	c->self = calloc(s->n + 1, sizeof(*c->self));
	c->total = calloc(s->n + 1, sizeof(*c->total));
	if (c->key == NULL || c->self == NULL || c->total == NULL)
		return msg_no_memory();
	for (i = 0; i < s->n; i++)
		c->key[i] = s->row[i].key;
	if (s->n > 0 &&
	    bob_view_clumping(v, c->key, s->n, c->self, c->total) < 0)
		return msg_no_memory();
	return EXIT_OK;
}

void
clumps_done(struct clumps *c)
{
	free(c->key);
	free(c->self);
	free(c->total);
}

/* The errors of the rows that are shown at most. */
static int
set_shares(const struct report *r, struct section *s, struct bob_view *v,
    int is_self)
{
	struct clumps c = { 0 };
	int code = clumps_find(&c, s, v);
	size_t i;

	for (i = 0; code == EXIT_OK && i < s->n; i++)
		row_share(r, &s->row[i], c.key[i] == 0 ? 1
		    : is_self ? c.self[i] : c.total[i]);
	clumps_done(&c);
	return code;
}

static int
fill_table(struct analyze *a, int id, const struct bob_row *row, size_t n,
    size_t top)
{
	struct section *s = &a->r.section[id];
	struct analyze_row *v = section_rows(s, n);
	int is_self = id == SECTION_SELF;
	size_t i;

	if (v == NULL)
		return EXIT_FAILED;
	for (i = 0; i < n; i++) {
		v[i].key = row[i].key;
		v[i].index = row[i].first;
		v[i].self = row[i].self;
		v[i].total = row[i].total;
		v[i].sum = is_self ? row[i].self : row[i].total;
	}
	/* Callers and callees come by samples. */
	if (a->r.by_time)
		qsort(v, n, sizeof(*v), row_by_time);
	s->is_shown = 1;
	s->n_all = n;
	s->n = n < top ? n : top;
	return set_shares(&a->r, s, id <= SECTION_TOTAL ? a->r.view
	    : a->r.frames, is_self);
}

static int
gather_table(struct analyze *a, int id)
{
	static const int order[2][2] = {
		{ BOB_BY_SELF, BOB_BY_SELF_TIME },
		{ BOB_BY_TOTAL, BOB_BY_TOTAL_TIME },
	};
	const struct bob_row *row;
	size_t n = 0;

	if (a->o.top == 0)
		return EXIT_OK;
	/* Self and total of a sample are the same: one table is enough. */
	if (id == SECTION_TOTAL && a->r.groups_samples &&
	    layout_has(&a->o.layout, SECTION_SELF))
		return EXIT_OK;
	row = bob_view_rows(a->r.view, order[id == SECTION_TOTAL][a->r.by_time],
	    &n);
	if (row == NULL && n > 0)
		return msg_no_memory();
	return fill_table(a, id, row, n, a->o.top);
}

static int
gather_around(struct analyze *a, int id)
{
	int is_callers = id == SECTION_CALLERS, r;
	const char *pattern = is_callers ? a->o.callers : a->o.callees;
	struct bob_view *v = a->r.frames;
	struct bob_row *row = NULL;
	uint8_t *is;
	size_t n = 0;

	if (pattern == NULL)
		return EXIT_OK;
	is = calloc((size_t)bob_view_n_keys(v) + 1, 1);
	if (is == NULL)
		return msg_no_memory();
	if (bob_view_match(v, pattern, is) < 0) {
		free(is);
		return job_error(&a->job);
	}
	r = is_callers ? bob_view_callers(v, is, &row, &n)
	               : bob_view_callees(v, is, &row, &n);
	free(is);
	r = r < 0 ? job_error(&a->job)
	          : fill_table(a, id, row, n, a->o.top > 0 ? a->o.top : 20);
	bob_rows_free(row);
	return r;
}

static int
gather_tail(struct analyze *a)
{
	struct section *s = &a->r.section[SECTION_TAIL];

	if (a->o.n_last == 0)
		return EXIT_OK;
	a->r.last = bob_profile_last(a->profile, &s->n_all);
	s->n = s->n_all;
	s->is_shown = 1;
	return EXIT_OK;
}

static int
gather_answer(struct analyze *a)
{
	a->r.answer.size = sizeof(a->r.answer);
	a->r.has_answer = a->has_answer && a->r.section[SECTION_SELF].is_shown
	    && !a->r.groups_samples;
	if (!a->r.has_answer)
		return EXIT_OK;
	return bob_view_answer(a->r.view, &a->r.times, &a->r.answer) < 0
	    ? job_error(&a->job) : EXIT_OK;
}

static int
gather_section(struct analyze *a, int id)
{
	switch (id) {
	case SECTION_SELF:
	case SECTION_TOTAL:
		return gather_table(a, id);
	case SECTION_CALLERS:
	case SECTION_CALLEES:
		return gather_around(a, id);
	case SECTION_TREE:
		return gather_tree(a);
	case SECTION_TIMELINE:
		return gather_timeline(a);
	case SECTION_TAIL:
		return gather_tail(a);
	default:
		return gather_requests(a, id);
	}
}

/* Of the paths in the tables. */
static void
find_folder(struct analyze *a)
{
	struct bob_bytes v[FOLDER_PATHS];
	size_t n = 0, i;
	int id;

	for (id = 0; id <= SECTION_TREE; id++) {
		const struct section *s = &a->r.section[id];
		struct bob_view *view = id <= SECTION_TOTAL ? a->r.view
		                                            : a->r.frames;

		for (i = 0; s->is_shown && i < s->n && n < FOLDER_PATHS; i++)
			if (s->row[i].key != 0)
				n = folder_add(v, n, bob_view_key(view,
				    s->row[i].key).file);
	}
	a->r.folder = folder_find(v, n);
}

int
analyze_gather(struct analyze *a)
{
	struct report *r = &a->r;
	size_t i;
	int code;

	report_done(r);
	r->info = bob_profile_info(a->profile, 0);
	/* reli counts samples whatever they stand for. */
	r->by_time = r->info.has_several_periods && a->o.style != STYLE_RELI;
	r->times.size = sizeof(r->times);
	if (bob_profile_times(a->profile, 0, NULL, &r->times) < 0)
		return job_error(&a->job);
	code = make_views(a);
	if (code == EXIT_OK)
		code = find_whole(r);
	for (i = 0; code == EXIT_OK && i < a->o.layout.n; i++)
		code = gather_section(a, a->o.layout.section[i]);
	if (code == EXIT_OK)
		code = gather_answer(a);
	for (i = 0; i < N_SECTIONS; i++)
		r->section[i].n_shown = r->section[i].n;
	if (code == EXIT_OK)
		find_folder(a);
	return code;
}
