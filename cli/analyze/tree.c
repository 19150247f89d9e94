/*
 * The call tree as rows, in the order in which it is drawn: each node before
 * its children, heavier children first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "print/msg.h"

/* Levels of branches that are drawn. In a tree of nodes of 1 % and more there
 * are no more: each branch takes 1 % away. What is further out is one mark, so
 * that a line does not grow with the depth of the tree. */
#define MAX_LEVELS 100

static int
set_shares(struct analyze *a, struct section *s)
{
	struct clumps c = { 0 };
	int code = clumps_find(&c, s, a->r.frames);
	size_t i;

	for (i = 0; code == EXIT_OK && i < s->n; i++)
		row_share(&a->r, &s->row[i],
		    a->o.is_inverted && s->row[i].depth == 1 ? c.self[i]
		    : c.total[i]);
	clumps_done(&c);
	return code;
}

/* The node that is drawn after v[at]; 0: none. */
static uint32_t
next_node(const struct bob_tree_node *v, uint32_t at)
{
	if (v[at].first_child != 0)
		return v[at].first_child;
	while (at != 0 && v[at].next_sibling == 0)
		at = v[at].parent;
	return v[at].next_sibling;
}

static int
fill(struct analyze *a, struct section *s)
{
	const struct bob_tree_node *v;
	struct analyze_row *row;
	uint32_t n, at;

	v = bob_tree_nodes(a->r.tree, &n);
	row = section_rows(s, n);
	if (row == NULL)
		return EXIT_FAILED;
	for (at = n > 0 ? next_node(v, 0) : 0; at != 0; at = next_node(v, at)) {
		row[s->n].key = v[at].key;
		row[s->n].node = at;
		row[s->n].depth = v[at].depth;
		row[s->n].self = v[at].self;
		row[s->n].total = row[s->n].sum = v[at].total;
		s->n++;
	}
	s->n_all = s->n;
	return set_shares(a, s);
}

int
gather_tree(struct analyze *a)
{
	struct section *s = &a->r.section[SECTION_TREE];
	double least = a->o.min_share * (double)a->r.whole.samples;

	s->is_shown = 1;
	a->r.tree_min = (uint64_t)least;
	if ((double)a->r.tree_min < least)
		a->r.tree_min++;
	if (bob_view_tree(a->r.frames, a->o.is_inverted ? BOB_CALLERS
	        : BOB_CALLEES, 0, a->r.tree_min, a->o.depth, &a->r.tree) < 0)
		return job_error(&a->job);
	if (bob_tree_cut(a->r.tree) > 0)
		msg_note("the tree ends at level %" PRIu32 ": further out "
		    "there are too many callers", bob_tree_cut(a->r.tree));
	return fill(a, s);
}

static int
by_weight(const void *a, const void *b)
{
	const struct analyze_row *const *x = a, *const *y = b;

	if ((*x)->sum.samples != (*y)->sum.samples)
		return (*x)->sum.samples < (*y)->sum.samples ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

/*
 * Keeps the heaviest rows. A parent is as heavy as its children and stands
 * before them, so that what is kept hangs together.
 */
static int
keep_heaviest(struct section *s, size_t n)
{
	struct analyze_row **v = calloc(s->n + 1, sizeof(struct analyze_row *));
	size_t i, to = 0;

	if (v == NULL)
		return 0;
	for (i = 0; i < s->n; i++) {
		v[i] = &s->row[i];
		s->row[i].index = 0;
	}
	qsort(v, s->n, sizeof(struct analyze_row *), by_weight);
	for (i = 0; i < n; i++)
		v[i]->index = 1;
	for (i = 0; i < s->n; i++)
		if (s->row[i].index != 0)
			s->row[to++] = s->row[i];
	free(v);
	return 1;
}

/* Who has siblings before or behind it, and whose child each row is. */
static int
find_siblings(struct section *s)
{
	uint32_t deepest = 0, depth, top = 0;
	size_t *at, i;

	for (i = 0; i < s->n_shown; i++)
		if (s->row[i].depth > deepest)
			deepest = s->row[i].depth;
	at = calloc((size_t)deepest + 1, sizeof(*at)); /* row + 1, by depth */
	if (at == NULL)
		return 0;
	for (i = 0; i < s->n_shown; i++) {
		struct analyze_row *row = &s->row[i];

		depth = row->depth;
		for (; top > depth; top--)
			at[top] = 0;
		top = depth;
		/* NOLINT(clang-analyzer-security.ArrayBound): from 1 to
		 * deepest. */
		row->parent = at[depth - 1];
		if (at[depth] != 0) {
			s->row[at[depth] - 1].has_next = 1;
			row->is_branch = s->row[at[depth] - 1].is_branch = 1;
		}
		at[depth] = i + 1;
	}
	free(at);
	for (i = 0; i < s->n_shown; i++) {
		struct analyze_row *row = &s->row[i], *up;

		if (row->parent == 0)
			continue;
		up = &s->row[row->parent - 1];
		row->branch = up->is_branch ? row->parent : up->branch;
	}
	return 1;
}

int
tree_settle(struct analyze *a)
{
	struct section *s = &a->r.section[SECTION_TREE];

	if (!s->is_shown)
		return EXIT_OK;
	if ((s->n_shown < s->n && !keep_heaviest(s, s->n_shown)) ||
	    !find_siblings(s))
		return msg_no_memory();
	return EXIT_OK;
}

void
tree_prefix(const struct analyze *a, const struct section *s, size_t i,
    struct span *l)
{
	/* Of those further out, with a sibling to come or not; of the row. */
	static const char *const utf8[] = { "  ", "\xe2\x94\x82 ",
		"\xe2\x94\x94 ", "\xe2\x94\x9c " };
	static const char *const ascii[] = { "  ", "| ", "`-", "|-" };
	const char *const *v = a->o.is_ascii ? ascii : utf8;
	const struct analyze_row *row = &s->row[i];
	uint8_t path[MAX_LEVELS]; /* innermost first: has a sibling to come */
	size_t at = row->is_branch ? i + 1 : row->branch, n = 0;

	/* An only child stands under its parent, without a line. */
	for (; at != 0 && n < MAX_LEVELS; at = s->row[at - 1].branch)
		path[n++] = s->row[at - 1].has_next;
	if (at != 0)
		span_put(l, a->o.is_ascii ? ".. " : "\xe2\x80\xa6 ");
	while (n-- > 0)
		span_put(l, v[(n == 0 && row->is_branch ? 2 : 0) + path[n]]);
}
