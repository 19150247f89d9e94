/*
 * Stacks as nodes of a tree over the numbers of frames. The dictionary's own
 * tree would do if no two of its frames had the same number; here equal
 * stacks are equal nodes, whatever they were made of, so "the same stack" is
 * one comparison and the common part of two is found by walking up.
 *
 * A stack is looked at once: what is below it was looked at before, or is
 * now. As long as no two frames have fallen together, a stack that was not
 * looked at before is a new node; only then does finding one take a table.
 *
 * Stacks beyond the limit are not in the tree, because their outermost
 * frame is a different one for each depth.
 */
#include <assert.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/tach/write.h"

int
tach_stacks_init(struct tach_writer *w)
{
	struct tach_stacks *s = &w->stacks;

	s->limit = w->o.is_deep ? UINT32_MAX : TACH_CPYTHON_DEPTH;
	if (MEM_GROW(w->ctx, s, node, 2) < 0)
		return BOB_FATAL;
	s->node[TACH_NO_NODE] = s->node[TACH_NO_FRAMES] =
	    (struct tach_node){ 0, 0, 0 };
	s->n_node = 2;
	return BOB_OK;
}

static uint64_t
hash_node(const struct tach_writer *w, uint32_t parent, uint32_t frame)
{
	uint32_t key[2] = { parent, frame };

	return XXH3_64bits_withSeed(key, sizeof(key), w->dict->seed);
}

static int
add_node(struct tach_writer *w, uint32_t parent, uint32_t frame,
    uint32_t *ret)
{
	struct tach_stacks *s = &w->stacks;
	uint32_t i = s->n_node;

	if (tach_check_count(w->ctx, i, "stacks") < 0 ||
	    MEM_GROW(w->ctx, s, node, (size_t)i + 1) < 0)
		return BOB_FATAL;
	assert(i == 0 || parent < i); /* invariant 3 of write.h */
	s->node[i] = (struct tach_node){ parent, frame,
		s->node[parent].depth + 1 };
	s->n_node++;
	*ret = i;
	return BOB_OK;
}

/* The node of a frame on top of `parent`, where it may exist already. */
static int
find_node(struct tach_writer *w, uint32_t parent, uint32_t frame,
    uint32_t *ret)
{
	struct tach_stacks *s = &w->stacks;
	uint64_t h = hash_node(w, parent, frame);
	uint32_t at = (uint32_t)(h >> 32), i;

	if (intern_reserve(w->ctx, &s->by_node) < 0)
		return BOB_FATAL;
	while ((i = intern_probe(&s->by_node, h, &at)) != 0)
		if (s->node[i].parent == parent && s->node[i].frame == frame) {
			*ret = i;
			return BOB_OK;
		}
	if (add_node(w, parent, frame, ret) < 0)
		return BOB_FATAL;
	intern_add(&s->by_node, h, at, *ret);
	return BOB_OK;
}

/* Makes all nodes so far known to find_node. */
static int
hash_nodes(struct tach_writer *w)
{
	struct tach_stacks *s = &w->stacks;
	uint32_t i, at;
	uint64_t h;

	for (i = TACH_NO_FRAMES + 1; i < s->n_node; i++) {
		if (intern_reserve(w->ctx, &s->by_node) < 0)
			return BOB_FATAL;
		h = hash_node(w, s->node[i].parent, s->node[i].frame);
		at = (uint32_t)(h >> 32);
		while (intern_probe(&s->by_node, h, &at) != 0)
			;
		intern_add(&s->by_node, h, at, i);
	}
	s->is_hashed = 1;
	return BOB_OK;
}

int
tach_stack_add(struct tach_writer *w, bob_stack stack)
{
	const struct dict_node *node = w->dict->node;
	struct tach_stacks *s = &w->stacks;
	bob_stack at;
	uint32_t frame, parent;
	size_t n = 0;

	if (node[stack].depth > s->max_depth)
		s->max_depth = node[stack].depth;
	if (node[stack].depth > s->limit) {
		s->of_stack[stack] = TACH_CUT;
		s->n_cut++;
		return BOB_OK;
	}
	s->of_stack[0] = TACH_NO_FRAMES;
	if (MEM_GROW(w->ctx, s, path, node[stack].depth) < 0)
		return BOB_FATAL;
	/* Numbers are given from the inside out. */
	for (at = stack; s->of_stack[at] == TACH_NO_NODE;
	    at = node[at].parent) {
		if (tach_names_frame(&w->names, node[at].frame, &frame) < 0)
			return BOB_FATAL;
		s->path[n++] = at;
	}
	if (w->names.has_twins && !s->is_hashed && hash_nodes(w) < 0)
		return BOB_FATAL;
	parent = s->of_stack[at];
	while (n > 0) {
		at = s->path[--n];
		frame = w->names.of_fid[node[at].frame] - 1;
		if (s->is_hashed ? find_node(w, parent, frame, &parent) < 0
		                 : add_node(w, parent, frame, &parent) < 0)
			return BOB_FATAL;
		s->of_stack[at] = parent;
	}
	return BOB_OK;
}

int
tach_stack_cut(struct tach_writer *w, bob_stack stack, uint32_t *frames)
{
	const struct dict_node *node = w->dict->node;
	uint32_t i;

	for (i = 0; i < w->stacks.limit; i++, stack = node[stack].parent)
		if (tach_names_frame(&w->names, node[stack].frame,
		        &frames[i]) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

void
tach_stacks_free(struct tach_stacks *s)
{
	free(s->node);
	free(s->of_stack);
	free(s->path);
	intern_free(&s->by_node);
}
