/* Grouping of frames and stacks; see the header. */
#include "analyze/keys.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/keytext.h"
#include "core/mem.h"
#include "core/memo.h"

struct keys *
keys_new(struct bob_ctx *ctx, struct bob_dict *from, struct labels *labels,
    const struct bob_view_opts *opts)
{
	struct keys *k = calloc(1, sizeof(*k));

	if (k == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	k->ctx = ctx;
	k->from = from;
	k->labels = labels;
	k->group = opts->group;
	k->flags = opts->flags;
	k->own = bob_dict_new(ctx);
	if (opts->group == BOB_GROUP_ANNOTATION)
		k->annotation = strdup(opts->annotation);
	if (k->own == NULL ||
	    shape_copy(ctx, &k->shape, opts->shape, opts->n_shapes) < 0 ||
	    (opts->group == BOB_GROUP_ANNOTATION && k->annotation == NULL)) {
		(void)err_nomem(ctx);
		keys_free(k);
		return NULL;
	}
	return k;
}

void
keys_free(struct keys *k)
{
	if (k == NULL)
		return;
	bob_dict_free(k->own);
	free(k->annotation);
	shape_done(&k->shape);
	free(k->role);
	free(k->parts);
	free(k->of_frame);
	free(k->of_stack);
	free(k->is_inner);
	frame_name_done(&k->name);
	free(k->text);
	free(k);
}

int
keys_fit(const struct keys *k, const struct bob_view_opts *opts)
{
	return k->group == opts->group && k->flags == opts->flags &&
	    (opts->group != BOB_GROUP_ANNOTATION ||
	        strcmp(k->annotation, opts->annotation) == 0) &&
	    shape_is(&k->shape, opts->shape, opts->n_shapes);
}

int
keys_are_frames(const struct keys *k)
{
	return k->group <= BOB_GROUP_MODULE;
}

uint32_t
keys_put(struct keys *k, const struct key_parts *parts)
{
	struct bob_frame frame = { 0 };
	uint32_t key;

	frame.name = bob_str_put(k->own, k->text, k->len);
	if (frame.name == BOB_NO_ID)
		return 0;
	key = bob_frame_put(k->own, &frame);
	if (key == BOB_NO_ID ||
	    MEMO_GROW(k->ctx, k, parts, (size_t)key + 1) < 0)
		return 0;
	if (k->parts[key].frame == 0)
		k->parts[key] = *parts;
	return key;
}

/* Sets the key of a frame. */
static int
find_key(struct keys *k, bob_fid id)
{
	struct key_parts parts;

	if (k->shape.n > 0 && shape_frame(k, id) < 0)
		return BOB_FATAL;
	if (k->of_frame[id] != 0)
		return BOB_OK;
	if (keytext_frame(k, id, k->group, &parts) < 0)
		return BOB_FATAL;
	k->of_frame[id] = keys_put(k, &parts);
	return k->of_frame[id] == 0 ? BOB_FATAL : BOB_OK;
}

/* Frames of new stacks. */
static int
find_keys(struct keys *k)
{
	const struct bob_dict *d = k->from;
	bob_stack s;

	for (s = k->n_stack > 0 ? k->n_stack : 1; s < d->n.n_stack; s++)
		if (k->of_frame[d->node[s].frame] == 0 &&
		    find_key(k, d->node[s].frame) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

/* The stacks that are new, when they are grouped as they are. */
static int
group_stacks(struct keys *k)
{
	const struct bob_dict *d = k->from;
	bob_stack to;

	if (k->n_stack == 0)
		k->of_stack[k->n_stack++] = 0;
	for (; k->n_stack < d->n.n_stack; k->n_stack++) {
		to = bob_stack_push(k->own,
		    k->of_stack[d->node[k->n_stack].parent],
		    k->of_frame[d->node[k->n_stack].frame]);
		if (to == BOB_NO_ID)
			return BOB_FATAL;
		k->of_stack[k->n_stack] = to;
	}
	return BOB_OK;
}

int
keys_update(struct keys *k)
{
	if (MEMO_GROW(k->ctx, k, parts, 1) < 0)
		return BOB_FATAL;
	if (!keys_are_frames(k))
		return BOB_OK;
	if (MEMO_GROW(k->ctx, k, of_frame, k->from->n.n_frame) < 0 ||
	    MEM_GROW(k->ctx, k, of_stack, k->from->n.n_stack) < 0 ||
	    (k->shape.n > 0 &&
	        MEMO_GROW(k->ctx, k, role, k->from->n.n_frame) < 0) ||
	    find_keys(k) < 0)
		return BOB_FATAL;
	return k->shape.n > 0 ? shape_stacks(k) : group_stacks(k);
}

bob_stack
keys_of_row(struct keys *k, const struct row *row, bob_stack stack)
{
	struct key_parts parts = { 0 };
	uint32_t key;

	assert(!keys_are_frames(k) || stack < k->n_stack);
	if (keys_are_frames(k))
		return k->of_stack[stack];
	if (keytext_row(k, row, &parts) < 0)
		return BOB_NO_ID;
	key = keys_put(k, &parts);
	return key == 0 ? BOB_NO_ID : bob_stack_push(k->own, 0, key);
}

/*
 * Walks the tree of grouped stacks and counts how often each key is on the path
 * from the root. Linear in the tree, and not recursive: a stack of a million
 * frames is legal.
 */
static void
walk_groups(const struct bob_dict *d, const bob_stack *first,
    const bob_stack *next, uint32_t *on_way, uint8_t *is_inner)
{
	bob_stack s = 0;

	for (;;) {
		if (first[s] != 0) {
			s = first[s];
		} else {
			while (s != 0 && next[s] == 0) {
				on_way[d->node[s].frame]--;
				s = d->node[s].parent;
			}
			if (s == 0)
				return;
			assert(on_way[d->node[s].frame] > 0);
			on_way[d->node[s].frame]--;
			s = next[s];
		}
		is_inner[s] = on_way[d->node[s].frame]++ > 0;
	}
}

int
keys_settle(struct keys *k)
{
	const struct bob_dict *d = k->own;
	uint32_t n = d->n.n_stack, s;
	bob_stack *first, *next;
	uint32_t *on_way;

	if (k->n_inner == n)
		return BOB_OK;
	first = calloc(n, sizeof(*first));
	next = calloc(n, sizeof(*next));
	on_way = calloc(d->n.n_frame, sizeof(*on_way));
	if (first == NULL || next == NULL || on_way == NULL ||
	    MEM_GROW(k->ctx, k, is_inner, n) < 0) {
		free(first);
		free(next);
		free(on_way);
		return err_nomem(k->ctx);
	}
	for (s = n - 1; s > 0; s--) {
		next[s] = first[d->node[s].parent];
		first[d->node[s].parent] = s;
	}
	k->is_inner[0] = 0;
	walk_groups(d, first, next, on_way, k->is_inner);
	k->n_inner = n;
	free(first);
	free(next);
	free(on_way);
	return BOB_OK;
}
