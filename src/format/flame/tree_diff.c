/*
 * The tree of a comparison. Its paths are the boxes, one for one, and what was
 * found about them goes along: nothing is computed here.
 */
#include <stdlib.h>

#include "format/flame/flame.h"

static struct flame_sum
weigh(const struct format_diff *d, struct bob_sum sum)
{
	return (struct flame_sum){ sum.samples, sum.time_us,
		d->by_time ? sum.time_us : sum.samples };
}

static bob_fid
put_function(struct bob_dict *own, const struct bob_key *key)
{
	struct bob_bytes name = key->name.n > 0 ? key->name : key->text;
	struct bob_frame f = { .lang = (uint8_t)key->lang };

	f.name = bob_str_put(own, name.p, name.n);
	f.file = bob_str_put(own, key->file.p, key->file.n);
	f.where = key->has_line ? key->line : 0;
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID)
		return BOB_NO_ID;
	return bob_frame_put(own, &f);
}

static void
note_change(struct flame_tree *tree, const struct bob_change *c)
{
	double delta = c->delta < 0 ? -c->delta : c->delta;

	if (c->is_significant && delta > tree->max_delta)
		tree->max_delta = delta;
}

/* Sets function[key] and tree->row_of. */
static int
put_functions(struct flame_tree *tree, struct sink *sink, bob_fid *function)
{
	const struct format_diff *d = sink->diff;
	uint32_t key;

	for (key = 1; key < d->n_key; key++) {
		function[key] = put_function(tree->fns.own, &d->key[key]);
		if (function[key] == BOB_NO_ID)
			return BOB_FATAL;
	}
	tree->row_of = calloc(tree->fns.own->n.n_frame,
	    sizeof(*tree->row_of));
	if (tree->row_of == NULL)
		return err_nomem(sink->ctx);
	for (key = 1; key < d->n_key; key++) {
		if (d->row[key] == NULL)
			continue;
		tree->row_of[function[key]] = d->row[key];
		note_change(tree, &d->row[key]->self);
		note_change(tree, &d->row[key]->total);
	}
	return BOB_OK;
}

static void
fill_boxes(struct flame_tree *tree, const struct format_diff *d,
    const bob_fid *function, struct flame_box *box)
{
	size_t i;

	for (i = 0; i < d->n_path; i++) {
		const struct bob_diff_path *p = &d->path[i];

		box[i].parent = p->parent;
		box[i].depth = p->depth;
		box[i].frame = i > 0 ? function[p->key] : 0;
		box[i].self = weigh(d, p->self_after);
		box[i].total = weigh(d, p->total.after);
		box[i].base = weigh(d, p->self_before);
		box[i].base_total = weigh(d, p->total.before);
		box[i].change = &p->total;
		note_change(tree, &p->total);
	}
}

int
flame_tree_compare(struct flame_tree *tree, struct sink *sink)
{
	const struct format_diff *d = sink->diff;
	bob_fid *function = calloc(d->n_key + 1, sizeof(*function));
	struct flame_box *box = calloc(d->n_path + 1, sizeof(*box));
	int r = BOB_OK;

	if (function == NULL || box == NULL)
		r = err_nomem(sink->ctx);
	if (r == BOB_OK)
		r = put_functions(tree, sink, function);
	if (r == BOB_OK) {
		fill_boxes(tree, d, function, box);
		r = flame_tree_sort(tree, sink, box, (uint32_t)d->n_path);
	}
	free(function);
	free(box);
	return r;
}
