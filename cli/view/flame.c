/* Cuts what is visible out of a tree; see the header. */
#include "flame.h"

#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "question.h"

/* Nodes narrower than a third of a pixel are not drawn. */
#define PARTS 3

struct cut {
	const struct bob_tree_node *node;
	uint32_t n_nodes;
	uint32_t root;
	uint64_t least; /* samples of a node that is kept */
	uint8_t *is_key; /* 1 for each key that a kept node has */
	uint32_t n_keys;
	uint64_t n_kept;
	struct json *j;
};

static uint32_t
number_param(const struct request *rq, const char *name, uint32_t otherwise,
    uint32_t limit)
{
	const char *p = request_param(rq, name);
	uint64_t v = 0;

	if (p == NULL || *p == '\0')
		return otherwise;
	for (; *p >= '0' && *p <= '9' && v <= limit; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return *p == '\0' && v <= limit ? (uint32_t)v : otherwise;
}

static void
keep(struct cut *c, uint32_t i, uint32_t depth, uint64_t start)
{
	const struct bob_tree_node *t = &c->node[i];

	json_u64(c->j, NULL, i);
	json_u64(c->j, NULL, depth);
	json_u64(c->j, NULL, t->key);
	json_u64(c->j, NULL, start);
	json_u64(c->j, NULL, t->total.samples);
	json_u64(c->j, NULL, t->self.samples);
	if (t->key < c->n_keys)
		c->is_key[t->key] = 1;
	c->n_kept++;
}

static int
is_wide(const struct cut *c, uint32_t i)
{
	return i != 0 && c->n_kept < FLAME_NODES &&
	    c->node[i].total.samples >= c->least;
}

/*
 * Walks the subtree of the root, parents first, without recursion. A child
 * begins where its parent begins, or where its elder sibling ends. Children are
 * in order of their weight, so the first one that is too narrow ends its
 * family. Each node costs a step or two, kept or not.
 */
static void
walk(struct cut *c, uint64_t *start)
{
	uint32_t i = c->root, depth = 0, to;

	keep(c, i, depth, 0);
	for (;;) {
		to = c->node[i].first_child;
		if (is_wide(c, to)) {
			start[to] = start[i];
			depth++;
		} else {
			for (;; i = c->node[i].parent, depth--) {
				if (i == c->root)
					return;
				to = c->node[i].next_sibling;
				if (is_wide(c, to))
					break;
			}
			start[to] = start[i] + c->node[i].total.samples;
		}
		i = to;
		keep(c, i, depth, start[i]);
	}
}

/* From the outermost frame to the root of the picture. */
static int
put_path(struct cut *c)
{
	uint32_t depth = c->node[c->root].depth, i, at = c->root;
	uint32_t *path = calloc((size_t)depth + 1, sizeof(*path));

	if (path == NULL)
		return -1;
	for (i = depth; i > 0; i--, at = c->node[at].parent)
		path[i - 1] = at;
	json_open(c->j, "path", '[');
	for (i = 0; i < depth; i++) {
		json_u64(c->j, NULL, path[i]);
		json_u64(c->j, NULL, c->node[path[i]].key);
		if (c->node[path[i]].key < c->n_keys)
			c->is_key[c->node[path[i]].key] = 1;
	}
	json_close(c->j, '[');
	free(path);
	return 0;
}

static int
put_cut(struct cut *c, const struct question *q)
{
	uint64_t *start = calloc((size_t)c->n_nodes + 1, sizeof(*start));
	int r = -1;

	c->is_key = calloc((size_t)c->n_keys + 1, 1);
	if (start != NULL && c->is_key != NULL && put_path(c) == 0) {
		json_u64(c->j, "samples", c->node[c->root].total.samples);
		json_u64(c->j, "time_us", c->node[c->root].total.time_us);
		json_open(c->j, "nodes", '[');
		walk(c, start);
		json_close(c->j, '[');
		json_bool(c->j, "is_cut", c->n_kept == FLAME_NODES);
		question_put_keys(c->j, q->at->view, q->diff, c->is_key);
		r = 0;
	}
	free(start);
	free(c->is_key);
	return r;
}

/* The node at the end of a way; the last one on it that there is. */
static uint32_t
follow_way(const struct cut *c, const char *way)
{
	uint32_t i, to = 0;

	do {
		i = to;
		to = branch_child(c->node, i, branch_step(&way));
	} while (to != 0);
	return i;
}

int
answer_flame(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const char *dir = request_param(rq, "dir");
	const char *way = request_param(rq, "way");
	uint32_t px = number_param(rq, "px", 1000, 100000);
	const struct bob_tree *tree;
	struct cut c = { .j = j };
	struct question q;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	tree = cache_tree(&v->cache, q.at, dir != NULL &&
	    strcmp(dir, "callers") == 0 ? BOB_CALLERS : BOB_CALLEES, q.focus);
	if (tree == NULL)
		return question_failed(v, err, n);
	c.node = bob_tree_nodes(tree, &c.n_nodes);
	c.root = way != NULL ? follow_way(&c, way)
	    : number_param(rq, "root", 0, c.n_nodes - 1);
	c.least = c.node[c.root].total.samples / ((uint64_t)px * PARTS + 1) + 1;
	c.n_keys = bob_view_n_keys(q.at->view);
	return put_cut(&c, &q) < 0 ? question_no_memory(err, n) : 0;
}
