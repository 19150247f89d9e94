/*
 * Changes by call path. Both sides have the nodes of one tree. The paths
 * are the nodes with a minimal share, up to a depth.
 */
#include <stdlib.h>

#include "analyze/diff.h"

/* Copies the nodes that become paths. The share of a node is never larger than
 * that of its parent, so each path has its parent. */
static void
pick_paths(struct bob_diff *d, const struct diff_clumps *c,
    const struct bob_diff_opts *o, uint32_t *path_of)
{
	const struct bob_view *v = d->view[1];
	uint32_t i;

	d->path[0].self_before = diff_self(d, 0, 0);
	d->path[0].self_after = diff_self(d, 1, 0);
	d->path[0].total = diff_change(d, d->info.total[0], d->info.total[1],
	    c->path[0]);
	d->n_path = 1;
	for (i = 1; i < d->n_node; i++) {
		struct bob_diff_path *p = &d->path[d->n_path];
		uint32_t parent = path_of[view_parent(v, i)];
		struct bob_sum a = diff_total(d, 0, i);
		struct bob_sum b = diff_total(d, 1, i);

		if ((a.samples == 0 && b.samples == 0) ||
		    (parent == 0 && view_parent(v, i) != 0) ||
		    (o->max_depth != 0 &&
		        d->path[parent].depth == o->max_depth))
			continue;
		p->total = diff_change(d, a, b, c->path[i]);
		if (diff_larger_share(&p->total) < o->min_share)
			continue;
		p->key = view_key(v, i);
		p->parent = parent;
		p->depth = d->path[parent].depth + 1;
		p->self_before = diff_self(d, 0, i);
		p->self_after = diff_self(d, 1, i);
		path_of[i] = (uint32_t)d->n_path++;
	}
}

struct sibling {
	const struct bob_diff_path *path;
	uint32_t id;
};

/* Families together, within each the largest change first. */
static int
by_family(const void *x, const void *y)
{
	const struct sibling *a = x, *b = y;
	int r;

	if (a->path->parent != b->path->parent)
		return a->path->parent < b->path->parent ? -1 : 1;
	r = diff_compare(&a->path->total, &b->path->total);
	return r != 0 ? r : a->id < b->id ? -1 : 1;
}

static int
link_paths(struct bob_diff *d)
{
	struct sibling *s = calloc(d->n_path, sizeof(*s));
	size_t i;

	if (s == NULL)
		return err_nomem(d->ctx);
	for (i = 1; i < d->n_path; i++)
		s[i] = (struct sibling){ &d->path[i], (uint32_t)i };
	qsort(s + 1, d->n_path - 1, sizeof(*s), by_family);
	for (i = 1; i < d->n_path; i++) {
		uint32_t parent = s[i].path->parent;

		if (i > 1 && s[i - 1].path->parent == parent)
			d->path[s[i - 1].id].next_sibling = s[i].id;
		else
			d->path[parent].first_child = s[i].id;
	}
	free(s);
	return BOB_OK;
}

int
diff_paths_find(struct bob_diff *d, const struct diff_clumps *c,
    const struct bob_diff_opts *o)
{
	uint32_t *path_of = calloc(d->n_node, sizeof(*path_of));
	struct diff_tests t = { .stride = sizeof(*d->path),
		.min_share = o->min_tested };
	int r;

	d->path = calloc(d->n_node, sizeof(*d->path));
	if (d->path == NULL || path_of == NULL) {
		free(path_of);
		return err_nomem(d->ctx);
	}
	pick_paths(d, c, o, path_of);
	free(path_of);
	/* Path 0 is the whole profile, which cannot change: no test. */
	t.first = &d->path[d->n_path > 1].total;
	t.n = d->n_path - 1;
	r = diff_correct(d, &t, 1, d->surest);
	d->info.n_tested_paths = t.n_tested;
	return r == BOB_OK ? link_paths(d) : r;
}
