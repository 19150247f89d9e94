/*
 * The tree that is drawn. Stacks are pushed again with frames reduced to
 * functions (or to lines), into the dictionary of those functions; sums follow
 * them there; what got anything is put in the order of drawing.
 *
 * Nothing here recurses: stacks may be a million frames deep.
 */
#include <stdlib.h>
#include <string.h>

#include "format/flame/flame.h"

/* What siblings are sorted by. */
struct key {
	bob_stack parent, node;
	uint64_t weight, base;
	struct bob_bytes name, file;
};

/* By frame of the sink: what is shown of it. */
static int
shown_frames(struct flame_tree *tree, struct sink *sink, bob_fid *shown)
{
	const struct flame_writer *w = sink->state;
	struct functions *f = &tree->fns;
	uint32_t i;

	for (i = 1; i < sink->dict->n.n_frame; i++) {
		const struct place *place = &f->place[f->place_of[i]];
		struct bob_frame frame = f->own->frame[place->function];

		shown[i] = place->function;
		if (!w->has_lines)
			continue;
		frame.where = place->line;
		shown[i] = bob_frame_put(f->own, &frame);
		if (shown[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
reduce_stacks(struct flame_tree *tree, struct sink *sink)
{
	const struct bob_dict *d = sink->dict;
	bob_fid *shown = calloc(d->n.n_frame, sizeof(*shown));
	bob_stack i;
	int r;

	tree->node_of = calloc(d->n.n_stack, sizeof(*tree->node_of));
	if (shown == NULL || tree->node_of == NULL) {
		free(shown);
		return err_nomem(sink->ctx);
	}
	r = shown_frames(tree, sink, shown);
	for (i = 1; r == BOB_OK && i < d->n.n_stack; i++) {
		const struct dict_node *node = &d->node[i];

		tree->node_of[i] = bob_stack_push(tree->fns.own,
		    tree->node_of[node->parent], shown[node->frame]);
		if (tree->node_of[i] == BOB_NO_ID)
			r = BOB_FATAL;
	}
	free(shown);
	return r;
}

static void
sum_add(struct flame_sum *to, const struct flame_sum *v)
{
	to->samples = count_add(to->samples, v->samples);
	to->time_us = count_add(to->time_us, v->time_us);
	to->weight = count_add(to->weight, v->weight);
}

static void
sum_digest(const struct flame_tree *tree, const struct format_digest *d,
    struct flame_sum *sum)
{
	size_t i;

	for (i = 0; i < d->n_cell; i++) {
		const struct bob_cell *c = &d->cell[i];
		struct flame_sum v = { c->samples, c->time_us,
			d->by_time ? c->time_us : c->samples };

		sum_add(&sum[tree->node_of[c->stack]], &v);
	}
}

static int
is_nothing(const struct flame_box *box)
{
	return box->total.samples == 0 && box->base_total.samples == 0;
}

/* Boxes by reduced stack, with their totals. */
static int
sum_boxes(struct flame_tree *tree, struct sink *sink, struct flame_box *box)
{
	const struct bob_dict *own = tree->fns.own;
	uint32_t n = own->n.n_stack, i;
	struct flame_sum *sum = calloc(n, sizeof(*sum));

	if (sum == NULL)
		return err_nomem(sink->ctx);
	sum_digest(tree, &sink->digest, sum);
	for (i = 0; i < n; i++) {
		box[i].self = box[i].total = sum[i];
		box[i].frame = own->node[i].frame;
		box[i].depth = own->node[i].depth;
		box[i].parent = own->node[i].parent;
	}
	free(sum);
	for (i = n; i-- > 1;) {
		struct flame_box *to = &box[own->node[i].parent];

		sum_add(&to->total, &box[i].total);
	}
	return BOB_OK;
}

static int
compare_bytes(struct bob_bytes a, struct bob_bytes b)
{
	int r = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return r != 0 ? r : (a.n > b.n) - (a.n < b.n);
}

/* By caller; the largest first, then by name. */
static int
compare_keys(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;
	int r;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->base != b->base)
		return a->base > b->base ? -1 : 1;
	r = compare_bytes(a->name, b->name);
	if (r == 0)
		r = compare_bytes(a->file, b->file);
	return r != 0 ? r : (a->node > b->node) - (a->node < b->node);
}

static struct key *
sorted_keys(struct flame_tree *tree, struct sink *sink,
    const struct flame_box *box, uint32_t n_box, uint32_t *ret_n)
{
	/* NOLINT(-Walloc-zero): box 0, which is everything, is always there. */
	struct key *key = malloc(n_box * sizeof(*key));
	uint32_t n = 0, i;

	if (key == NULL) {
		(void)err_nomem(sink->ctx);
		return NULL;
	}
	for (i = 1; i < n_box; i++) {
		if (is_nothing(&box[i]))
			continue;
		key[n].parent = box[i].parent;
		key[n].node = i;
		key[n].weight = box[i].total.weight;
		key[n].base = box[i].base_total.weight;
		key[n].name = functions_name(&tree->fns, box[i].frame);
		key[n].file = functions_file(&tree->fns, box[i].frame);
		n++;
	}
	qsort(key, n, sizeof(*key), compare_keys);
	*ret_n = n;
	return key;
}

/* Follows children down and to the right; next[s] is where in `key` the
 * children of box s that were not yet visited begin. */
static void
order_boxes(struct flame_tree *tree, const struct flame_box *from,
    const struct key *key, uint32_t n, uint32_t *next)
{
	uint32_t at = 0;
	uint32_t i;

	for (i = n; i-- > 0;)
		next[key[i].parent] = i;
	tree->box[0] = from[0];
	tree->n = 1;
	for (;;) {
		i = next[at];
		if (i < n && key[i].parent == at) {
			next[at]++;
			/* NOLINT(clang-analyzer-security.ArrayBound): one box
			 * for each key at most, which is visited once. */
			tree->box[tree->n] = from[key[i].node];
			tree->box[tree->n].parent = tree->box_of[at];
			at = key[i].node;
			tree->box_of[at] = tree->n++;
			if (from[at].depth > tree->depth)
				tree->depth = from[at].depth;
		} else if (at != 0) {
			at = from[at].parent;
		} else {
			break;
		}
	}
}

int
flame_tree_sort(struct flame_tree *tree, struct sink *sink,
    const struct flame_box *from, uint32_t n)
{
	uint32_t *next = malloc(n * sizeof(*next)), n_key = 0;
	struct key *key = NULL;
	int r = BOB_OK;

	tree->box = calloc(n, sizeof(*tree->box));
	tree->box_of = calloc(n, sizeof(*tree->box_of));
	if (next == NULL || tree->box == NULL || tree->box_of == NULL) {
		r = err_nomem(sink->ctx);
	} else {
		memset(next, 0xff, n * sizeof(*next));
		key = sorted_keys(tree, sink, from, n, &n_key);
		r = key == NULL ? BOB_FATAL : BOB_OK;
	}
	if (r == BOB_OK)
		order_boxes(tree, from, key, n_key, next);
	free(key);
	free(next);
	return r;
}

static int
make_boxes(struct flame_tree *tree, struct sink *sink)
{
	uint32_t n = tree->fns.own->n.n_stack;
	struct flame_box *by_node = calloc(n, sizeof(*by_node));
	int r = by_node == NULL ? err_nomem(sink->ctx) : BOB_OK;

	if (r == BOB_OK)
		r = sum_boxes(tree, sink, by_node);
	if (r == BOB_OK)
		r = flame_tree_sort(tree, sink, by_node, n);
	free(by_node);
	return r;
}

int
flame_tree_build(struct flame_tree *tree, struct sink *sink)
{
	int r;

	memset(tree, 0, sizeof(*tree));
	r = functions_init(&tree->fns, sink->ctx, sink->dict);
	if (r == BOB_OK && sink->diff != NULL)
		return flame_tree_compare(tree, sink);
	if (r == BOB_OK)
		r = functions_update(&tree->fns);
	if (r == BOB_OK)
		r = reduce_stacks(tree, sink);
	if (r == BOB_OK)
		r = make_boxes(tree, sink);
	return r;
}

void
flame_tree_done(struct flame_tree *tree)
{
	functions_done(&tree->fns);
	free(tree->node_of);
	free(tree->box_of);
	free(tree->box);
	free(tree->row_of);
}
