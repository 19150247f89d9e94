/* Rows of a call tree; see the header. */
#include "branches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "question.h"

uint32_t
branch_child(const struct bob_tree_node *node, uint32_t i, uint32_t key)
{
	uint32_t to = node[i].first_child;

	while (to != 0 && node[to].key != key)
		to = node[to].next_sibling;
	return to;
}

uint32_t
branch_step(const char **way)
{
	const char *p = *way;
	uint64_t key = 0;

	for (; *p >= '0' && *p <= '9' && key <= UINT32_MAX; p++)
		key = key * 10 + (uint64_t)(*p - '0');
	*way = p + (*p == '.');
	return key <= UINT32_MAX ? (uint32_t)key : 0;
}

struct branching {
	const struct bob_tree_node *node;
	uint8_t *is_key;
	struct json *j;
};

static uint32_t
children_of(const struct branching *b, uint32_t i)
{
	uint32_t n = 0, to;

	for (to = b->node[i].first_child; to != 0;
	    to = b->node[to].next_sibling)
		n++;
	return n;
}

static void
put_level(struct branching *b, uint32_t i)
{
	uint32_t to = b->node[i].first_child, n;

	json_open(b->j, NULL, '{');
	json_u64(b->j, "n_nodes", children_of(b, i));
	json_open(b->j, "nodes", '[');
	for (n = 0; to != 0 && n < BRANCH_NODES; n++) {
		json_u64(b->j, NULL, b->node[to].key);
		json_u64(b->j, NULL, b->node[to].total.samples);
		json_u64(b->j, NULL, b->node[to].self.samples);
		json_u64(b->j, NULL, children_of(b, to));
		b->is_key[b->node[to].key] = 1;
		to = b->node[to].next_sibling;
	}
	json_close(b->j, '[');
	json_close(b->j, '{');
}

static void
put_levels(struct branching *b, const char *way)
{
	uint32_t i = 0, n;

	json_open(b->j, "levels", '[');
	put_level(b, i);
	for (n = 1; n < BRANCH_LEVELS; n++) {
		i = branch_child(b->node, i, branch_step(&way));
		if (i == 0)
			break;
		put_level(b, i);
	}
	json_close(b->j, '[');
}

int
answer_branches(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const char *dir = request_param(rq, "dir");
	const char *way = request_param(rq, "way");
	const struct bob_tree *tree;
	struct branching b = { .j = j };
	struct question q;
	uint32_t n_nodes;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	tree = cache_tree(&v->cache, q.at, dir != NULL &&
	    strcmp(dir, "callers") == 0 ? BOB_CALLERS : BOB_CALLEES, 0);
	if (tree == NULL)
		return question_failed(v, err, n);
	b.node = bob_tree_nodes(tree, &n_nodes);
	b.is_key = calloc((size_t)bob_view_n_keys(q.at->view) + 1, 1);
	if (b.is_key == NULL)
		return question_no_memory(err, n);
	json_u64(j, "samples", bob_view_total(q.at->view).samples);
	json_u64(j, "time_us", bob_view_total(q.at->view).time_us);
	put_levels(&b, way != NULL ? way : "");
	question_put_keys(j, q.at->view, q.diff, b.is_key);
	free(b.is_key);
	return 0;
}
