/*
 * What of a difference is more than noise, from bob_diff. It is computed when
 * it is first drawn, and again after the query has changed.
 */
#include <bobbin/diff.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "model_inside.h"

static float
error_of(const struct bob_change *c)
{
	double half = (c->high - c->low) / 2;

	/* Never 0, and never more than the change itself. */
	if (half < 1e-9)
		half = 1e-9;
	if (half > fabs(c->delta))
		half = fabs(c->delta);
	return c->is_significant ? (float)half : 0;
}

static void
take_diff(struct verdict *v, const struct bob_diff *d)
{
	struct bob_verdict is = bob_diff_verdict(d);
	const struct bob_diff_row *row;
	uint32_t i;

	v->is_known = 1;
	v->n = is.n_keys;
	v->n_changed = is.n_changed;
	v->key = is.key;
	(void)snprintf(v->text, sizeof(v->text), "%s", is.text);
	if (is.key != 0 && (row = bob_diff_row(d, is.key)) != NULL) {
		const struct bob_change *c = is.order == BOB_BY_SELF
		    ? &row->self : &row->total;

		v->delta = c->delta;
		v->low = c->low;
		v->high = c->high;
	}
	for (i = 1; i < v->n_keys; i++) {
		row = bob_diff_row(d, i);
		if (row == NULL)
			continue;
		v->error[i][0] = error_of(&row->total);
		v->error[i][1] = error_of(&row->self);
	}
}

static void
make_verdict(struct model *m)
{
	struct verdict *v = &m->verdict;
	struct bob_filter f;
	struct bob_diff_opts o = { .size = sizeof(o), .group = m->group,
		.annotation = m->annotation,
		.normalize = m->by_time ? BOB_NORMALIZE_TIME
		                        : BOB_NORMALIZE_SAMPLES,
		.flags = m->opcodes ? BOB_VIEW_OPCODES : 0, .filter = &f,
		.min_share = 1 };
	struct bob_diff *d = NULL;

	free(v->error);
	memset(v, 0, sizeof(*v));
	v->is_fresh = 1;
	v->error = calloc((size_t)m->n_keys + 1, sizeof(*v->error));
	if (v->error == NULL)
		return;
	v->n_keys = m->n_keys;
	model_filter_of(m, 1, &f);
	if (bob_diff_new(m->profile, &o, &d) >= 0)
		take_diff(v, d);
	bob_diff_free(d);
}

const struct verdict *
model_verdict(struct model *m)
{
	if (!m->verdict.is_fresh)
		make_verdict(m);
	return &m->verdict;
}

int
model_is_significant(struct model *m, uint32_t key, int by_self, double delta)
{
	const struct verdict *v = model_verdict(m);
	float error = key < v->n_keys ? v->error[key][by_self != 0] : 0;

	return error > 0 && fabs(delta) >= 0.999 * (double)error;
}

static double
item_delta(const struct model *m, const struct item *i)
{
	return model_share(m, 1, i->w[1]) - model_share(m, 0, i->w[0]);
}

void
model_significant_first(struct model *m, struct table *t, int by_self)
{
	struct item *item = calloc(t->n + 1, sizeof(*item));
	size_t n = 0, i;
	int pass;

	/* Without memory the order is that of the change alone. */
	if (item == NULL)
		return;
	for (pass = 1; pass >= 0; pass--)
		for (i = 0; i < t->n; i++)
			if (model_is_significant(m, t->item[i].key,
			    by_self, item_delta(m, &t->item[i])) == pass)
				item[n++] = t->item[i];
	memcpy(t->item, item, n * sizeof(*item));
	free(item);
}
