/* Merging dictionaries: every entry keeps its meaning. */
#include "support.h"

#include <stdlib.h>

#include "fault.h"
#include "model/dict.h"

/* A dictionary with some of everything. Words beginning with `own` are its
 * own, the others are the same in every dictionary made here. */
struct sample {
	struct bob_dict *d;
	bob_stack shared, own;
	bob_tid track;
	bob_annot annot, empty;
};

static bob_str
str(struct bob_dict *d, const char *s)
{
	return bob_str_put(d, s, strlen(s));
}

static bob_fid
frame(struct bob_dict *d, const char *name)
{
	struct bob_frame f = { .where = 3, .lang = BOB_LANG_PHP,
		.flags = BOB_FRAME_OPNAME };

	f.file = str(d, "a.php");
	f.opname = str(d, "ZEND_ADD");
	f.name = str(d, name);
	f.scope = str(d, "Scope");
	f.ns = str(d, "Ns");
	return bob_frame_put(d, &f);
}

static int
fill(struct sample *s, const char *own)
{
	struct bob_track t = { .pid = 7, .tid = 8,
		.flags = BOB_TRACK_PID | BOB_TRACK_TID };
	struct bob_pair pair[2];
	bob_stack root;

	/* Equal strings get different ids, or a map that was forgotten would
	 * not be noticed. */
	(void)str(s->d, own);
	if (strcmp(own, "own b") == 0)
		(void)str(s->d, "only in b");
	root = bob_stack_push(s->d, 0, frame(s->d, "main"));
	s->shared = bob_stack_push(s->d, root, frame(s->d, "run"));
	s->own = bob_stack_push(s->d, root, frame(s->d, own));
	t.name = str(s->d, own);
	s->track = bob_track_put(s->d, &t);
	pair[0].key = str(s->d, "key");
	pair[0].value = str(s->d, own);
	pair[1].key = str(s->d, "other");
	pair[1].value = 0;
	s->annot = bob_annot_put(s->d, pair, 2);
	s->empty = bob_annot_put(s->d, NULL, 0);
	return s->shared == BOB_NO_ID || s->own == BOB_NO_ID ||
	    s->track == BOB_NO_ID || s->annot == BOB_NO_ID ||
	    s->empty == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static struct sample
make(struct bob_ctx *ctx, const char *own)
{
	struct sample s = { .d = bob_dict_new(ctx) };

	assert_non_null(s.d);
	assert_status(ctx, BOB_OK, fill(&s, own));
	return s;
}

static void
check_str(const struct bob_dict *d, bob_str id, const char *want)
{
	assert_int_equal(bob_str_get(d, id).n, strlen(want));
	assert_memory_equal(bob_str_get(d, id).p, want, strlen(want));
}

static void
shared_things_get_the_ids_that_they_have_already(void **state)
{
	struct sample a = make(*state, "own a"), b = make(*state, "own b");
	struct bob_counts before = bob_dict_counts(a.d), after;
	bob_stack stacks[16];

	assert_status(*state, BOB_OK, dict_merge(a.d, b.d, stacks, NULL,
	    NULL));
	assert_int_equal(stacks[0], 0);
	assert_int_equal(stacks[b.shared], a.shared);
	assert_int_not_equal(stacks[b.own], a.own);
	after = bob_dict_counts(a.d);
	assert_int_equal(after.n_str, before.n_str + 2);
	assert_int_equal(after.n_frame, before.n_frame + 1);
	assert_int_equal(after.n_stack, before.n_stack + 1);
	bob_dict_free(a.d);
	bob_dict_free(b.d);
}

static void
merged_frames_mean_the_same(void **state)
{
	struct sample a = make(*state, "own a"), b = make(*state, "own b");
	bob_stack stacks[16];
	struct bob_node node;
	const struct bob_frame *f;

	assert_status(*state, BOB_OK, dict_merge(a.d, b.d, stacks, NULL,
	    NULL));
	node = bob_stack_get(a.d, stacks[b.own]);
	assert_int_equal(node.depth, 2);
	f = bob_frame_get(a.d, node.frame);
	check_str(a.d, f->name, "own b");
	check_str(a.d, f->scope, "Scope");
	check_str(a.d, f->ns, "Ns");
	check_str(a.d, f->file, "a.php");
	check_str(a.d, f->opname, "ZEND_ADD");
	assert_int_equal(f->where, 3);
	assert_int_equal(f->flags, BOB_FRAME_OPNAME);
	assert_int_equal(f->lang, BOB_LANG_PHP);
	bob_dict_free(a.d);
	bob_dict_free(b.d);
}

static void
merged_tracks_and_annotations_mean_the_same(void **state)
{
	struct sample a = make(*state, "own a"), b = make(*state, "own b");
	bob_stack stacks[16];
	bob_tid tracks[16];
	bob_annot annots[16];
	const struct bob_pair *pair;
	const struct bob_track *t;
	size_t n;

	assert_status(*state, BOB_OK, dict_merge(a.d, b.d, stacks, tracks,
	    annots));
	assert_int_equal(tracks[0], 0);
	t = bob_track_get(a.d, tracks[b.track]);
	assert_int_equal(t->pid, 7);
	assert_int_equal(t->tid, 8);
	check_str(a.d, t->name, "own b");
	assert_int_equal(annots[0], 0);
	assert_int_equal(annots[b.empty], a.empty);
	pair = bob_annot_get(a.d, annots[b.annot], &n);
	assert_int_equal(n, 2);
	check_str(a.d, pair[0].key, "key");
	check_str(a.d, pair[0].value, "own b");
	check_str(a.d, pair[1].key, "other");
	check_str(a.d, pair[1].value, "");
	bob_dict_free(a.d);
	bob_dict_free(b.d);
}

static void
merging_twice_adds_nothing(void **state)
{
	struct sample a = make(*state, "own a"), b = make(*state, "own b");
	bob_stack first[16], second[16];
	bob_tid tracks[16];
	bob_annot annots[16];
	struct bob_counts before, after;

	assert_status(*state, BOB_OK, dict_merge(a.d, b.d, first, tracks,
	    annots));
	before = bob_dict_counts(a.d);
	assert_status(*state, BOB_OK, dict_merge(a.d, b.d, second, tracks,
	    annots));
	after = bob_dict_counts(a.d);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_memory_equal(first, second,
	    bob_dict_counts(b.d).n_stack * sizeof(first[0]));
	bob_dict_free(a.d);
	bob_dict_free(b.d);
}

static void
merge_into_an_empty_dictionary_keeps_all_ids(void **state)
{
	struct sample b = make(*state, "own b");
	struct bob_dict *d = bob_dict_new(*state);
	struct bob_counts want = bob_dict_counts(b.d), got;
	bob_stack stacks[16];
	bob_tid tracks[16];
	bob_annot annots[16];
	uint32_t i;

	assert_non_null(d);
	assert_status(*state, BOB_OK, dict_merge(d, b.d, stacks, tracks,
	    annots));
	got = bob_dict_counts(d);
	assert_memory_equal(&got, &want, sizeof(got));
	for (i = 0; i < want.n_stack; i++)
		assert_int_equal(stacks[i], i);
	bob_dict_free(d);
	bob_dict_free(b.d);
}

struct merge_args {
	struct bob_ctx *ctx;
	const struct bob_dict *from;
};

static int
merge_into_new(void *user)
{
	struct merge_args *args = user;
	struct bob_dict *d = bob_dict_new(args->ctx);
	bob_stack stacks[16];
	bob_tid tracks[16];
	bob_annot annots[16];
	int r = BOB_FATAL;

	if (d != NULL)
		r = dict_merge(d, args->from, stacks, tracks, annots);
	if (r < 0)
		assert_int_equal(bob_ctx_error(args->ctx)->code, BOB_E_NOMEM);
	bob_dict_free(d);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	struct sample b = make(*state, "own b");
	struct merge_args args = { *state, b.d };

	fault_each(merge_into_new, &args);
	bob_dict_free(b.d);
}

#define WITH_CTX(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CTX(shared_things_get_the_ids_that_they_have_already),
		WITH_CTX(merged_frames_mean_the_same),
		WITH_CTX(merged_tracks_and_annotations_mean_the_same),
		WITH_CTX(merging_twice_adds_nothing),
		WITH_CTX(merge_into_an_empty_dictionary_keeps_all_ids),
		WITH_CTX(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
