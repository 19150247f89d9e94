/*
 * Where stack S stands among stacks with the same callers is decided by its
 * last frame f, and differs for S itself (the bytes end after f) and for what
 * S calls (a ';' follows, which may come before or behind what follows f in
 * the name of another frame). So each stack is two items, itself and its
 * callees, and one walk over the tree with all items in order gives the ranks.
 */
#include "format/folded/tachyon_order.h"

#include <stdlib.h>
#include <string.h>

enum { ITSELF = 0, CALLEES = 1 };

/* A frame as the last one of a stack, or before others. */
struct piece {
	struct bob_bytes name;
	bob_fid frame;
	int kind;
};

struct item {
	bob_stack stack;
	int kind;
};

struct order {
	const struct bob_dict *tree;
	struct piece *piece; /* two per frame, in order */
	size_t *place;       /* of piece 2 * frame + kind */
	struct item *item, *other; /* two per stack */
	size_t *count;       /* of items by key, then where each key begins */
	size_t *todo;        /* items whose callees are being walked */
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
	for (i = 0; i < n; i++)
		o->place[2 * (size_t)o->piece[i].frame +
		    (size_t)o->piece[i].kind] = i;
}

static size_t
place_of(const struct order *o, const struct item *item)
{
	return o->place[2 * (size_t)o->tree->node[item->stack].frame +
	    (size_t)item->kind];
}

static size_t
parent_of(const struct order *o, const struct item *item)
{
	return o->tree->node[item->stack].parent;
}

/* A step of a radix sort: items by a key below n_keys, else as they were.
 * Afterwards those of key k begin at count[k]. */
static void
sort_items(struct order *o, size_t n_items, size_t n_keys,
    size_t (*key)(const struct order *, const struct item *))
{
	struct item *swap = o->item;
	size_t i;

	memset(o->count, 0, (n_keys + 1) * sizeof(*o->count));
	for (i = 0; i < n_items; i++)
		o->count[key(o, &o->item[i]) + 1]++;
	for (i = 0; i < n_keys; i++)
		o->count[i + 1] += o->count[i];
	for (i = n_items; i > 0; i--)
		o->other[--o->count[key(o, &o->item[i - 1]) + 1]] =
		    o->item[i - 1];
	/* Each count has moved to where its key begins, one too far up. */
	memmove(o->count, o->count + 1, n_keys * sizeof(*o->count));
	o->count[n_keys] = n_items;
	o->item = o->other;
	o->other = swap;
}

/* All stacks but the empty one, whose callees they are. */
static void
walk(struct order *o, uint32_t *rank)
{
	size_t depth = 0, at = o->count[0];
	bob_stack caller = 0;
	uint32_t n = 0;

	for (;;) {
		if (at == o->count[(size_t)caller + 1]) {
			if (depth == 0)
				return;
			at = o->todo[--depth] + 1;
			caller = o->tree->node[caller].parent;
		} else if (o->item[at].kind == ITSELF) {
			rank[o->item[at++].stack] = n++;
		} else {
			o->todo[depth++] = at;
			caller = o->item[at].stack;
			at = o->count[caller];
		}
	}
}

static void
order_stacks(struct order *o, uint32_t *rank)
{
	size_t n = o->tree->n.n_stack, n_items = 2 * (n - 1), i;

	for (i = 0; i < n_items; i++)
		o->item[i] = (struct item){ (bob_stack)(i / 2 + 1),
			(int)(i % 2) };
	sort_items(o, n_items, 2 * (size_t)o->tree->n.n_frame, place_of);
	sort_items(o, n_items, n, parent_of);
	walk(o, rank);
}

int
tachyon_order(const struct bob_dict *tree, const struct bob_dict *names,
    uint32_t *rank)
{
	struct order o = { .tree = tree };
	size_t n_frame = tree->n.n_frame, n_stack = tree->n.n_stack;
	size_t n_keys = 2 * n_frame > n_stack ? 2 * n_frame : n_stack;
	int r = BOB_OK;

	o.piece = calloc(2 * n_frame, sizeof(*o.piece));
	o.place = calloc(2 * n_frame, sizeof(*o.place));
	o.item = calloc(2 * n_stack, sizeof(*o.item));
	o.other = calloc(2 * n_stack, sizeof(*o.other));
	o.count = calloc(n_keys + 1, sizeof(*o.count));
	o.todo = calloc(n_stack, sizeof(*o.todo));
	if (o.piece == NULL || o.place == NULL || o.item == NULL ||
	    o.other == NULL || o.count == NULL || o.todo == NULL) {
		r = err_nomem(tree->ctx);
	} else {
		order_pieces(&o, names);
		order_stacks(&o, rank);
	}
	free(o.piece);
	free(o.place);
	free(o.item);
	free(o.other);
	free(o.count);
	free(o.todo);
	return r;
}
