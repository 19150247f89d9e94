/*
 * Where stack S stands among stacks with the same callers is decided by its
 * last frame f, and differs for S itself (the bytes end after f) and for what
 * S calls (a ';' follows, which may come before or behind what follows f in
 * the name of another frame). So each stack is two items, itself and its
 * callees. Taking all items by the names of their last frames, from the last
 * name to the first, and putting each before those of the same caller, orders
 * them everywhere; one walk over the tree gives the ranks.
 */
#include "format/folded/cpython/order.h"

#include <stdlib.h>
#include <string.h>

enum { ITSELF = 0, CALLEES = 1 };

/* A frame as the last one of a stack, or before others. */
struct piece {
	struct bob_bytes name;
	bob_fid frame;
	int kind;
};

/* An item is twice its stack, plus its kind; 0 ends a list. */
typedef uint64_t item_id;

struct order {
	const struct bob_dict *tree;
	struct piece *piece;  /* two per frame, in order */
	size_t *begin;        /* by frame: of its stacks in by_frame */
	bob_stack *by_frame;  /* the stacks by their last frames */
	item_id *first;       /* by stack: of its callees, in order */
	item_id *next;        /* by item */
};

static int
by_bytes(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
	int d = n > 0 ? memcmp(x->name.p, y->name.p, n) : 0;

	if (d != 0)
		return d;
	if (x->name.n < y->name.n)
		return x->kind == ITSELF ? -1
		    : ';' - (uint8_t)y->name.p[n];
	if (x->name.n > y->name.n)
		return y->kind == ITSELF ? 1 : (uint8_t)x->name.p[n] - ';';
	return x->kind - y->kind;
}

static void
order_pieces(struct order *o, const struct bob_dict *names)
{
	size_t n = 2 * (size_t)o->tree->n.n_frame, i;

	for (i = 0; i < n; i++)
		o->piece[i] = (struct piece){ bob_str_get(names,
			o->tree->frame[i / 2].name), (bob_fid)(i / 2),
			(int)(i % 2) };
	qsort(o->piece, n, sizeof(*o->piece), by_bytes);
}

/* All stacks but the empty one by their last frames; those of frame f are
 * from begin[f] to begin[f + 1]. */
static void
sort_by_frame(struct order *o)
{
	const struct dict_node *node = o->tree->node;
	size_t n = o->tree->n.n_stack, i;

	for (i = 1; i < n; i++)
		o->begin[node[i].frame + 1]++;
	for (i = 0; i < o->tree->n.n_frame; i++)
		o->begin[i + 1] += o->begin[i];
	for (i = n - 1; i > 0; i--)
		o->by_frame[--o->begin[node[i].frame + 1]] = (bob_stack)i;
	/* Each has moved to where its frame begins, one too far up. */
	memmove(o->begin, o->begin + 1,
	    o->tree->n.n_frame * sizeof(*o->begin));
	o->begin[o->tree->n.n_frame] = n - 1;
}

/* The items of one piece become the first among those of their callers. A
 * caller has at most one of them. */
static void
link_piece(struct order *o, const struct piece *piece, const uint32_t *rank)
{
	const struct dict_node *node = o->tree->node;
	size_t i;

	for (i = o->begin[piece->frame]; i < o->begin[piece->frame + 1]; i++) {
		bob_stack s = o->by_frame[i];
		item_id item = 2 * (item_id)s + (item_id)piece->kind;

		if (piece->kind == ITSELF ? rank[s] == 0 : node[s].child == 0)
			continue;
		o->next[item] = o->first[node[s].parent];
		o->first[node[s].parent] = item;
	}
}

static void
walk_tree(struct order *o, uint32_t *rank)
{
	bob_stack caller = 0;
	item_id at = o->first[0];
	uint32_t n = 0;

	for (;;) {
		if (at == 0 && caller == 0)
			return;
		if (at == 0) {
			at = o->next[2 * (item_id)caller + CALLEES];
			caller = o->tree->node[caller].parent;
		} else if (at % 2 == ITSELF) {
			rank[at / 2] = n++;
			at = o->next[at];
		} else {
			caller = (bob_stack)(at / 2);
			at = o->first[caller];
		}
	}
}

int
tachyon_order(const struct bob_dict *tree, const struct bob_dict *names,
    uint32_t *rank)
{
	struct order o = { .tree = tree };
	size_t n_frame = tree->n.n_frame, n_stack = tree->n.n_stack, i;
	int r = BOB_OK;

	o.piece = calloc(2 * n_frame, sizeof(*o.piece));
	o.begin = calloc(n_frame + 1, sizeof(*o.begin));
	o.by_frame = big_zeroed(n_stack, sizeof(*o.by_frame));
	o.first = big_zeroed(n_stack, sizeof(*o.first));
	o.next = big_zeroed(2 * n_stack, sizeof(*o.next));
	if (o.piece == NULL || o.begin == NULL || o.by_frame == NULL ||
	    o.first == NULL || o.next == NULL) {
		r = err_nomem(tree->ctx);
	} else {
		order_pieces(&o, names);
		sort_by_frame(&o);
		for (i = 2 * n_frame; i > 0; i--)
			link_piece(&o, &o.piece[i - 1], rank);
		walk_tree(&o, rank);
	}
	free(o.piece);
	free(o.begin);
	big_free(o.by_frame, n_stack * sizeof(*o.by_frame));
	big_free(o.first, n_stack * sizeof(*o.first));
	big_free(o.next, 2 * n_stack * sizeof(*o.next));
	return r;
}
