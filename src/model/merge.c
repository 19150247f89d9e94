/*
 * Merging one dictionary into another, for decoding with several threads. Each
 * kind of entry is put in the order of its ids, so the result depends only on
 * the two dictionaries.
 */
#include <assert.h>
#include <stdlib.h>

#include "model/dict.h"

/* The ids in `into`, by id of `from`. */
struct maps {
	bob_str *str;
	bob_fid *frame;
};

static int
merge_names(struct bob_dict *into, const struct bob_dict *from,
    const struct maps *m)
{
	uint32_t i;

	for (i = 0; i < from->n.n_str; i++) {
		m->str[i] = bob_str_put(into, from->str[i].p, from->str[i].n);
		if (m->str[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	m->frame[0] = 0;
	for (i = 1; i < from->n.n_frame; i++) {
		struct bob_frame f = from->frame[i];

		assert(f.name < from->n.n_str && f.scope < from->n.n_str &&
		    f.ns < from->n.n_str && f.file < from->n.n_str &&
		    f.opname < from->n.n_str);
		f.name = m->str[f.name];
		f.scope = m->str[f.scope];
		f.ns = m->str[f.ns];
		f.file = m->str[f.file];
		f.opname = m->str[f.opname];
		m->frame[i] = bob_frame_put(into, &f);
		if (m->frame[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
merge_stacks(struct bob_dict *into, const struct bob_dict *from,
    const struct maps *m, bob_stack *stack_map)
{
	uint32_t i;

	stack_map[0] = 0;
	for (i = 1; i < from->n.n_stack; i++) {
		const struct dict_node *n = &from->node[i];

		stack_map[i] = bob_stack_push(into, stack_map[n->parent],
		    m->frame[n->frame]);
		if (stack_map[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
merge_tracks(struct bob_dict *into, const struct bob_dict *from,
    const struct maps *m, bob_tid *track_map)
{
	uint32_t i;

	for (i = 0; i < from->n.n_track; i++) {
		struct bob_track t = from->track[i];

		assert(t.name < from->n.n_str);
		t.name = m->str[t.name];
		track_map[i] = bob_track_put(into, &t);
		if (track_map[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
merge_annots(struct bob_dict *into, const struct bob_dict *from,
    const struct maps *m, bob_annot *annot_map)
{
	struct bob_pair pair[BOB_MAX_PAIRS];
	uint32_t i, k;

	annot_map[0] = 0;
	for (i = 1; i < from->n.n_annot; i++) {
		const struct dict_annot *a = &from->annot[i];

		for (k = 0; k < a->n; k++) {
			const struct bob_pair *p = &from->pair[a->first + k];

			assert(p->key < from->n.n_str &&
			    p->value < from->n.n_str);
			pair[k].key = m->str[p->key];
			pair[k].value = m->str[p->value];
		}
		annot_map[i] = bob_annot_put(into, pair, a->n);
		if (annot_map[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

int
dict_merge(struct bob_dict *into, const struct bob_dict *from,
    bob_stack *stack_map, bob_tid *track_map, bob_annot *annot_map)
{
	struct maps m;
	int r;

	m.str = malloc(from->n.n_str * sizeof(*m.str));
	m.frame = malloc(from->n.n_frame * sizeof(*m.frame));
	if (m.str == NULL || m.frame == NULL) {
		r = err_nomem(into->ctx);
		goto out;
	}
	r = merge_names(into, from, &m);
	if (r == BOB_OK)
		r = merge_stacks(into, from, &m, stack_map);
	if (r == BOB_OK && track_map != NULL)
		r = merge_tracks(into, from, &m, track_map);
	if (r == BOB_OK && annot_map != NULL)
		r = merge_annots(into, from, &m, annot_map);
out:
	free(m.str);
	free(m.frame);
	return r;
}
