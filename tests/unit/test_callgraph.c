/* Call graphs from stacks, with and without recursion. */
#include "model/callgraph.h"

#include "support.h"

enum { F = 1, G, H, N };

static struct bob_dict *dict;
static struct callgraph graph;
static uint32_t node_of[16], site_of[16];

/* Frames 1 to 3 are f, g and h; frame 4 is f on another line. */
static int
setup(void **state)
{
	struct bob_frame f = { 0 };
	unsigned i;

	if (ctx_setup(state) != 0)
		return -1;
	dict = bob_dict_new(*state);
	for (i = 1; i <= 4; i++) {
		f.where = i;
		(void)bob_frame_put(dict, &f);
		node_of[i] = site_of[i] = i;
	}
	node_of[4] = F;
	return callgraph_init(&graph, *state, dict, 1, node_of, N, site_of);
}

static int
teardown(void **state)
{
	callgraph_done(&graph);
	bob_dict_free(dict);
	return ctx_teardown(state);
}

/* Adds a stack, its frames as digits from the root on. */
static void
add(const char *frames, uint64_t samples)
{
	bob_stack s = 0;

	for (; *frames != '\0'; frames++)
		s = bob_stack_push(dict, s, (bob_fid)(*frames - '0'));
	assert_int_equal(callgraph_add(&graph, s, samples, samples * 10),
	    BOB_OK);
}

static void
solve(void)
{
	assert_int_equal(callgraph_solve(&graph), BOB_OK);
}

static const struct callgraph_edge *
edge(uint32_t site, uint32_t callee)
{
	uint32_t i;

	for (i = 1; i < graph.n_edge; i++)
		if (graph.edge[i].site == site &&
		    graph.edge[i].callee == callee)
			return &graph.edge[i];
	fail_msg("no edge from %u to %u", site, callee);
	return NULL;
}

static void
assert_node(uint32_t id, uint64_t self, uint64_t total)
{
	assert_int_equal(graph.node[id].self, self);
	assert_int_equal(graph.node[id].self_us, self * 10);
	assert_int_equal(graph.node[id].total, total);
	assert_int_equal(graph.node[id].total_us, total * 10);
}

/* Incoming calls are the total of every node. */
static void
assert_totals_add_up(void)
{
	uint64_t sum[N] = { 0 }, us[N] = { 0 };
	uint32_t i;

	for (i = 1; i < graph.n_edge; i++) {
		sum[graph.edge[i].callee] += graph.edge[i].into;
		us[graph.edge[i].callee] += graph.edge[i].into_us;
	}
	for (i = 1; i < N; i++) {
		assert_int_equal(sum[i], graph.node[i].total);
		assert_int_equal(us[i], graph.node[i].total_us);
	}
}

static void
calls_are_counted_along_the_stack(void **state)
{
	(void)state;
	add("123", 5);
	add("12", 2);
	add("1", 1);
	add("", 9);
	solve();
	assert_node(F, 1, 8);
	assert_node(G, 2, 7);
	assert_node(H, 5, 5);
	assert_int_equal(edge(1, G)->samples, 7);
	assert_int_equal(edge(1, G)->samples_us, 70);
	assert_int_equal(edge(1, G)->self, 2);
	assert_int_equal(edge(1, G)->self_us, 20);
	assert_int_equal(edge(1, G)->into, 7);
	assert_int_equal(edge(2, H)->into_us, 50);
	assert_int_equal(edge(0, F)->into, 8);
	assert_int_equal(edge(0, F)->self, 1);
	assert_totals_add_up();
}

static void
recursion_inflates_nothing(void **state)
{
	(void)state;
	add("11", 3);
	add("12121", 4);
	add("3112", 2);
	solve();
	assert_node(F, 7, 9);
	assert_node(G, 2, 6);
	assert_node(H, 0, 2);
	assert_int_equal(edge(1, F)->samples, 5);
	assert_int_equal(edge(1, F)->self, 3);
	assert_int_equal(edge(2, F)->self, 4);
	assert_int_equal(edge(1, F)->into, 0);
	assert_int_equal(edge(1, G)->samples, 6);
	assert_int_equal(edge(1, G)->into, 6);
	assert_int_equal(edge(2, F)->samples, 4);
	assert_int_equal(edge(2, F)->into, 0);
	assert_int_equal(edge(0, F)->into, 7);
	assert_int_equal(edge(3, F)->into, 2);
	assert_totals_add_up();
}

static void
sites_of_one_node_are_edges_of_their_own(void **state)
{
	(void)state;
	add("12", 1);
	add("42", 6);
	solve();
	assert_int_equal(edge(1, G)->into, 1);
	assert_int_equal(edge(4, G)->into, 6);
	assert_int_equal(edge(4, G)->caller, F);
	assert_node(F, 0, 7);
	assert_totals_add_up();
}

static void
edges_can_be_sorted(void **state)
{
	(void)state;
	add("43", 1);
	add("31", 1);
	add("12", 1);
	add("11", 1);
	solve();
	callgraph_sort(&graph);
	assert_int_equal(graph.edge[1].site, 0);
	assert_int_equal(graph.edge[1].callee, 1);
	assert_int_equal(graph.edge[2].callee, 3);
	assert_int_equal(graph.edge[3].site, 1);
	assert_int_equal(graph.edge[3].callee, 1);
	assert_int_equal(graph.edge[4].callee, 2);
	assert_int_equal(graph.edge[5].site, 3);
	assert_int_equal(graph.edge[6].site, 4);
}

/* What a plain walk along each stack gives for one node and one edge. */
struct plain {
	uint64_t total[N], self[N];
	uint64_t samples[8][N], into[8][N]; /* by site and callee */
};

static void
plain_add(struct plain *p, const char *frames, uint64_t samples)
{
	int has_node[N] = { 0 }, has_edge[8][N] = { { 0 } };
	uint32_t site = 0, node = 0;

	for (; *frames != '\0'; frames++) {
		node = node_of[*frames - '0'];
		if (!has_edge[site][node])
			p->samples[site][node] += samples;
		if (!has_node[node]) {
			p->total[node] += samples;
			p->into[site][node] += samples;
		}
		has_edge[site][node] = has_node[node] = 1;
		site = site_of[*frames - '0'];
	}
	p->self[node] += samples;
}

static void
one_walk_counts_as_walks_along_each_stack(void **state)
{
	struct plain p = { 0 };
	uint64_t x = 1;
	char frames[12];
	uint32_t i;
	size_t n;

	(void)state;
	for (i = 1; i <= 2000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		for (n = 0; n < 1 + (x >> 60) % 10; n++)
			frames[n] = (char)('1' + (x >> (20 + 2 * n)) % 4);
		frames[n] = '\0';
		add(frames, i);
		plain_add(&p, frames, i);
	}
	solve();
	for (i = 1; i < N; i++)
		assert_node(i, p.self[i], p.total[i]);
	for (i = 1; i < graph.n_edge; i++) {
		const struct callgraph_edge *e = &graph.edge[i];

		assert_int_equal(e->samples, p.samples[e->site][e->callee]);
		assert_int_equal(e->into, p.into[e->site][e->callee]);
	}
	assert_totals_add_up();
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(calls_are_counted_along_the_stack),
		T(recursion_inflates_nothing),
		T(sites_of_one_node_are_edges_of_their_own),
		T(edges_can_be_sorted),
		T(one_walk_counts_as_walks_along_each_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
