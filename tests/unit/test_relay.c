/* Runs of one dictionary with ids of another. */
#include "support.h"

#include <stdlib.h>

#include "capture/sampler/relay.h"

struct rig {
	struct bob_ctx *ctx;
	struct bob_dict *from;
	struct relay *relay;
};

static int
setup(void **state)
{
	struct rig *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	g->ctx = bob_ctx_new();
	g->from = bob_dict_new(g->ctx);
	g->relay = calloc(1, sizeof(*g->relay));
	assert_non_null(g->relay);
	g->relay->ctx = g->ctx;
	g->relay->to = bob_dict_new(g->ctx);
	/* Ids are others there. */
	(void)bob_str_put(g->relay->to, "other", 5);
	*state = g;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *g = *state;

	bob_dict_free(g->relay->to);
	relay_free(g->relay);
	bob_dict_free(g->from);
	bob_ctx_free(g->ctx);
	free(g);
	return 0;
}

static bob_fid
frame(struct rig *g, const char *name)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP };

	f.name = bob_str_put(g->from, name, strlen(name));
	f.file = bob_str_put(g->from, "/a.php", 6);
	return bob_frame_put(g->from, &f);
}

static struct bob_run
make_run(struct rig *g)
{
	struct bob_track t = { .pid = 7, .flags = BOB_TRACK_PID };
	struct bob_pair pair;
	struct bob_run run = { .count = 1 };

	run.stack = bob_stack_push(g->from,
	    bob_stack_push(g->from, 0, frame(g, "main")), frame(g, "leaf"));
	t.name = bob_str_put(g->from, "worker", 6);
	run.track = bob_track_put(g->from, &t);
	pair.key = bob_str_put(g->from, "key", 3);
	pair.value = bob_str_put(g->from, "value", 5);
	run.annot = bob_annot_put(g->from, &pair, 1);
	return run;
}

static void
assert_text(const struct bob_dict *d, bob_str id, const char *want)
{
	struct bob_bytes s = bob_str_get(d, id);

	assert_int_equal(s.n, strlen(want));
	assert_memory_equal(s.p, want, s.n);
}

static void
assert_arrived(const struct rig *g, const struct bob_run *run)
{
	const struct bob_dict *d = g->relay->to;
	struct bob_node leaf = bob_stack_get(d, run->stack);
	const struct bob_pair *v;
	size_t n;

	assert_text(d, bob_frame_get(d, leaf.frame)->name, "leaf");
	assert_text(d, bob_frame_get(d, leaf.frame)->file, "/a.php");
	leaf = bob_stack_get(d, leaf.parent);
	assert_text(d, bob_frame_get(d, leaf.frame)->name, "main");
	assert_int_equal(leaf.parent, 0);
	assert_int_equal(bob_track_get(d, run->track)->pid, 7);
	assert_text(d, bob_track_get(d, run->track)->name, "worker");
	v = bob_annot_get(d, run->annot, &n);
	assert_int_equal(n, 1);
	assert_text(d, v[0].key, "key");
	assert_text(d, v[0].value, "value");
}

static void
what_is_new_is_put_and_then_known(void **state)
{
	struct rig *g = *state;
	struct bob_run run = make_run(g), first = run, second = run;

	assert_false(relay_run(g->relay, &first));
	assert_int_equal(first.stack, run.stack);
	assert_int_equal(relay_new_run(g->relay, g->from, &first), BOB_OK);
	assert_arrived(g, &first);
	assert_true(relay_run(g->relay, &second));
	assert_int_equal(second.stack, first.stack);
	assert_arrived(g, &second);
}

static void
nothing_stays_nothing(void **state)
{
	struct rig *g = *state;
	struct bob_run run = { .count = 1 };

	assert_true(relay_run(g->relay, &run));
	assert_int_equal(run.stack, 0);
	assert_int_equal(run.track, 0);
	assert_int_equal(run.annot, 0);
}

static void
ids_of_another_dictionary_are_new(void **state)
{
	struct rig *g = *state;
	struct bob_run run = make_run(g), again = run;

	assert_int_equal(relay_new_run(g->relay, g->from, &run), BOB_OK);
	relay_clear(g->relay);
	assert_false(relay_run(g->relay, &again));
	assert_int_equal(relay_new_run(g->relay, g->from, &again), BOB_OK);
	assert_int_equal(again.stack, run.stack);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    what_is_new_is_put_and_then_known, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_stays_nothing, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(
		    ids_of_another_dictionary_are_new, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
