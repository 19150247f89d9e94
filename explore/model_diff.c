/*
 * What of a difference is more than noise, from bob_diff. It is computed when
 * it is first drawn, and again after the query has changed.
 */
#include <bobbin/diff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "model_inside.h"

#define SIGNIFICANT_SELF 1u
#define SIGNIFICANT_TOTAL 2u

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
		if (row != NULL)
			v->is[i] = (uint8_t)((row->self.is_significant
			    ? SIGNIFICANT_SELF : 0) |
			    (row->total.is_significant ? SIGNIFICANT_TOTAL
			                               : 0));
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

	free(v->is);
	memset(v, 0, sizeof(*v));
	v->is_fresh = 1;
	v->is = calloc((size_t)m->n_keys + 1, 1);
	if (v->is == NULL)
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
model_is_significant(struct model *m, uint32_t key, int by_self)
{
	const struct verdict *v = model_verdict(m);

	return key < v->n_keys &&
	    (v->is[key] & (by_self ? SIGNIFICANT_SELF : SIGNIFICANT_TOTAL)) !=
	        0;
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
			    by_self) == pass)
				item[n++] = t->item[i];
	memcpy(t->item, item, n * sizeof(*item));
	free(item);
}
