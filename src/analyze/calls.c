/* Callers and callees of marked keys; see bobbin/profile.h. */
#include <stdlib.h>
#include <string.h>

#include "analyze/view.h"

void
bob_rows_free(struct bob_row *row)
{
	free(row);
}

/* Adds the samples of a leaf to the row of a key, and makes that row if it is
 * new. */
static void
count_leaf(const struct bob_view *v, struct bob_row *row, uint32_t *n,
    uint32_t *at, uint32_t key, bob_stack leaf)
{
	if (at[key] == 0) {
		row[*n] = (struct bob_row){ .key = key, .first = *n + 1 };
		at[key] = ++*n;
	}
	sum_add(&row[at[key] - 1].total, v->self[leaf]);
}

/*
 * Sets next[node] to the key that samples of this node count for; BOB_NO_ID for
 * none. That is the key of the parent of the innermost marked node (0: it is
 * the root).
 */
static void
find_callers(const struct bob_view *v, const uint8_t *is, uint32_t *next)
{
	uint32_t i, parent;

	next[0] = BOB_NO_ID;
	for (i = 1; i < v->n_node; i++) {
		parent = view_parent(v, i);
		next[i] = is[view_key(v, i)] ? view_key(v, parent) :
		    next[parent];
	}
}

/* The same for callees: the key of the child of the outermost marked node, on
 * the way to this node. For the marked node itself it is 0 (no call). */
static void
find_callees(const struct bob_view *v, const uint8_t *is, uint32_t *next)
{
	uint32_t i, parent;

	next[0] = BOB_NO_ID;
	for (i = 1; i < v->n_node; i++) {
		parent = view_parent(v, i);
		if (next[parent] == BOB_NO_ID)
			next[i] = is[view_key(v, i)] ? 0 : BOB_NO_ID;
		else
			next[i] = next[parent] == 0 ? view_key(v, i) :
			    next[parent];
	}
}

static int
gather_calls(struct bob_view *v, const uint8_t *is, int callers,
    struct bob_row **ret, size_t *ret_n)
{
	uint32_t *next = calloc(v->n_node, sizeof(*next));
	uint32_t *at = calloc(v->n_key, sizeof(*at));
	struct bob_row *row = calloc(v->n_key, sizeof(*row));
	uint32_t i, n = 0;

	*ret = NULL;
	*ret_n = 0;
	if (next == NULL || at == NULL || row == NULL) {
		free(next);
		free(at);
		free(row);
		return err_nomem(v->p->ctx);
	}
	if (callers)
		find_callers(v, is, next);
	else
		find_callees(v, is, next);
	for (i = 0; i < v->n_leaf; i++)
		if (next[v->leaf[i]] != BOB_NO_ID)
			count_leaf(v, row, &n, at, next[v->leaf[i]],
			    v->leaf[i]);
	free(next);
	free(at);
	view_sort(row, n, BOB_BY_TOTAL);
	*ret = row;
	*ret_n = n;
	return BOB_OK;
}

int
bob_view_callers(struct bob_view *v, const uint8_t *is, struct bob_row **ret,
    size_t *ret_n)
{
	return gather_calls(v, is, 1, ret, ret_n);
}

int
bob_view_callees(struct bob_view *v, const uint8_t *is, struct bob_row **ret,
    size_t *ret_n)
{
	return gather_calls(v, is, 0, ret, ret_n);
}

uint32_t
bob_view_key_of(const struct bob_view *v, bob_fid frame)
{
	uint32_t key;

	if (!keys_are_frames(v->keys) || frame == 0 ||
	    frame >= v->keys->cap_of_frame)
		return 0;
	key = v->keys->of_frame[frame];
	return key < v->n_key ? key : 0;
}
