/* The dictionary: equal entries have one id, different entries have two. */
#include "support.h"

#include "fault.h"
#include "model/dict.h"

static bob_str
str(struct bob_dict *d, const char *s)
{
	return bob_str_put(d, s, strlen(s));
}

static bob_fid
frame_at(struct bob_dict *d, const char *name, int64_t line)
{
	struct bob_frame f = { .where = line, .lang = BOB_LANG_PHP };

	f.name = str(d, name);
	return bob_frame_put(d, &f);
}

static void
new_dictionary_holds_nothing_but_id_0(void **state)
{
	struct own_dict *f = *state;
	struct bob_counts n = bob_dict_counts(f->d);
	struct bob_node node = bob_stack_get(f->d, 0);
	size_t n_pairs = 9;

	assert_int_equal(n.n_str, 1);
	assert_int_equal(n.n_frame, 1);
	assert_int_equal(n.n_stack, 1);
	assert_int_equal(n.n_track, 1);
	assert_int_equal(n.n_annot, 1);
	assert_int_equal(bob_str_get(f->d, 0).n, 0);
	assert_non_null(bob_str_get(f->d, 0).p);
	assert_int_equal(node.depth, 0);
	assert_int_equal(bob_track_get(f->d, 0)->flags, 0);
	(void)bob_annot_get(f->d, 0, &n_pairs);
	assert_int_equal(n_pairs, 0);
}

static void
freeing_no_dictionary_is_allowed(void **state)
{
	(void)state;
	bob_dict_free(NULL);
}

static void
equal_strings_share_an_id(void **state)
{
	struct own_dict *f = *state;
	bob_str a = str(f->d, "one"), b = str(f->d, "two");

	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, b);
	assert_int_equal(str(f->d, "one"), a);
	assert_int_equal(str(f->d, "two"), b);
	assert_int_equal(str(f->d, ""), 0);
	assert_int_equal(bob_dict_counts(f->d).n_str, 3);
}

static void
strings_are_bytes(void **state)
{
	struct own_dict *f = *state;
	bob_str a = bob_str_put(f->d, "x\0y", 3);
	bob_str b = bob_str_put(f->d, "x\0z", 3);
	bob_str c = bob_str_put(f->d, "x", 1);
	bob_str e = bob_str_put(f->d, "\xff\xfe", 2);

	assert_true(a != b && a != c && b != c && c != e);
	assert_int_equal(bob_str_get(f->d, b).n, 3);
	assert_memory_equal(bob_str_get(f->d, b).p, "x\0z", 3);
	assert_memory_equal(bob_str_get(f->d, e).p, "\xff\xfe", 2);
}

static void
strings_are_copied_and_stay_where_they_are(void **state)
{
	struct own_dict *f = *state;
	char text[32];
	struct bob_bytes first;
	uint32_t i;

	(void)snprintf(text, sizeof(text), "first");
	first = bob_str_get(f->d, str(f->d, text));
	for (i = 0; i < 50000; i++) {
		(void)snprintf(text, sizeof(text), "s%u", i);
		assert_int_equal(str(f->d, text), i + 2);
	}
	assert_memory_equal(first.p, "first", 5);
	for (i = 0; i < 50000; i++) {
		(void)snprintf(text, sizeof(text), "s%u", i);
		assert_int_equal(str(f->d, text), i + 2);
		assert_memory_equal(bob_str_get(f->d, i + 2).p, text,
		    strlen(text));
	}
}

static void
frames_differ_by_every_field(void **state)
{
	struct own_dict *f = *state;
	struct bob_frame v[13];
	bob_fid id[13];
	size_t i, k;

	memset(v, 0, sizeof(v));
	v[1].where = -1;
	v[2].lang = BOB_LANG_NATIVE;
	v[3].flags = BOB_FRAME_OPNAME;
	v[4].opcode = 1;
	v[5].name = 1;
	v[6].scope = 1;
	v[7].ns = 1;
	v[8].file = 1;
	v[9].opname = 1;
	v[10].end_line = 1;
	v[11].col = 1;
	v[12].end_col = 1;
	for (i = 0; i < COUNT_OF(v); i++) {
		id[i] = bob_frame_put(f->d, &v[i]);
		for (k = 0; k < i; k++)
			assert_int_not_equal(id[i], id[k]);
	}
	for (i = 0; i < COUNT_OF(v); i++) {
		assert_int_equal(bob_frame_put(f->d, &v[i]), id[i]);
		assert_memory_equal(bob_frame_get(f->d, id[i]), &v[i],
		    sizeof(v[i]));
	}
}

static void
frame_has_no_padding(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct bob_frame), 8 + 4 + 5 * 4 + 3 * 4 + 4);
	assert_int_equal(sizeof(struct bob_track), 8 + 8 + 4 * 4);
}

static void
stacks_share_their_outer_frames(void **state)
{
	struct own_dict *f = *state;
	bob_fid main_ = frame_at(f->d, "main", 1);
	bob_fid a = frame_at(f->d, "a", 2), b = frame_at(f->d, "b", 3);
	bob_stack root = bob_stack_push(f->d, 0, main_);
	bob_stack sa = bob_stack_push(f->d, root, a);
	bob_stack sb = bob_stack_push(f->d, root, b);

	assert_true(sa != sb && sa != root && sb != root);
	assert_int_equal(bob_stack_push(f->d, root, a), sa);
	assert_int_equal(bob_dict_counts(f->d).n_stack, 4);
	assert_int_equal(bob_stack_get(f->d, sb).parent, root);
	assert_int_equal(bob_stack_get(f->d, sb).frame, b);
	assert_int_equal(bob_stack_get(f->d, sb).depth, 2);
	assert_int_equal(bob_stack_get(f->d, root).depth, 1);
}

static void
recursion_makes_a_new_stack_at_each_level(void **state)
{
	struct own_dict *f = *state;
	bob_fid fib = frame_at(f->d, "fib", 1);
	bob_stack s = 0;
	uint32_t i;

	for (i = 1; i <= 1000000; i++) {
		bob_stack up = s;

		s = bob_stack_push(f->d, s, fib);
		assert_true(s > up);
	}
	assert_int_equal(bob_stack_get(f->d, s).depth, 1000000);
}

static void
tracks_differ_by_what_is_known(void **state)
{
	struct own_dict *f = *state;
	struct bob_track none = { 0 };
	struct bob_track pid_0 = { .flags = BOB_TRACK_PID };
	struct bob_track tid_0 = { .flags = BOB_TRACK_TID };
	struct bob_track pid_7 = { .pid = 7, .flags = BOB_TRACK_PID };
	bob_tid a, b, c;

	assert_int_equal(bob_track_put(f->d, &none), 0);
	a = bob_track_put(f->d, &pid_0);
	b = bob_track_put(f->d, &tid_0);
	c = bob_track_put(f->d, &pid_7);
	assert_true(a != 0 && a != b && a != c && b != c);
	assert_int_equal(bob_track_put(f->d, &pid_7), c);
	assert_int_equal(bob_track_get(f->d, c)->pid, 7);
}

static void
empty_annotation_set_is_not_none(void **state)
{
	struct own_dict *f = *state;
	bob_annot empty = bob_annot_put(f->d, NULL, 0);
	size_t n = 9;

	assert_int_not_equal(empty, 0);
	assert_int_not_equal(empty, BOB_NO_ID);
	assert_int_equal(bob_annot_put(f->d, NULL, 0), empty);
	(void)bob_annot_get(f->d, empty, &n);
	assert_int_equal(n, 0);
}

static void
order_of_annotations_counts(void **state)
{
	struct own_dict *f = *state;
	bob_str a = str(f->d, "a"), b = str(f->d, "b");
	struct bob_pair ab[] = { { a, 0 }, { b, 0 } };
	struct bob_pair ba[] = { { b, 0 }, { a, 0 } };
	bob_annot x = bob_annot_put(f->d, ab, 2);
	bob_annot y = bob_annot_put(f->d, ba, 2);
	bob_annot z = bob_annot_put(f->d, ab, 1);
	const struct bob_pair *got;
	size_t n;

	assert_true(x != y && x != z && y != z);
	assert_int_equal(bob_annot_put(f->d, ab, 2), x);
	got = bob_annot_get(f->d, y, &n);
	assert_int_equal(n, 2);
	assert_int_equal(got[0].key, b);
	assert_int_equal(got[1].key, a);
}

static void
too_many_pairs_are_refused(void **state)
{
	struct own_dict *f = *state;
	static struct bob_pair v[BOB_MAX_PAIRS + 1];

	assert_int_equal(bob_annot_put(f->d, v, BOB_MAX_PAIRS + 1), BOB_NO_ID);
	assert_int_equal(bob_ctx_error(f->ctx)->code, BOB_E_LIMIT);
	assert_int_not_equal(bob_annot_put(f->d, v, BOB_MAX_PAIRS), BOB_NO_ID);
}

static void
id_never_given_out_gives_what_id_0_gives(void **state)
{
	struct own_dict *f = *state;
	size_t n = 9;

	assert_int_equal(bob_str_get(f->d, 1000).n, 0);
	assert_int_equal(bob_frame_get(f->d, BOB_NO_ID)->name, 0);
	assert_int_equal(bob_stack_get(f->d, BOB_NO_ID).depth, 0);
	assert_int_equal(bob_track_get(f->d, 77)->flags, 0);
	assert_null(bob_annot_get(f->d, 77, &n));
	assert_int_equal(n, 0);
}

/* Puts one of each; on failure everything put before must still be right. */
static int
put_all(void *user)
{
	struct bob_ctx *ctx = user;
	struct bob_dict *d = bob_dict_new(ctx);
	struct bob_track t = { .pid = 1, .flags = BOB_TRACK_PID };
	struct bob_pair pair = { 0, 0 };
	char text[16];
	bob_fid frame;
	uint32_t i = 0, k;
	int r = BOB_FATAL;

	if (d == NULL)
		return r;
	for (i = 0; i < 300; i++) {
		(void)snprintf(text, sizeof(text), "f%u", i);
		pair.key = str(d, text);
		if (pair.key == BOB_NO_ID)
			goto out;
		frame = frame_at(d, "f", i);
		t.pid = i;
		if (frame == BOB_NO_ID ||
		    bob_stack_push(d, 0, frame) == BOB_NO_ID ||
		    bob_track_put(d, &t) == BOB_NO_ID ||
		    bob_annot_put(d, &pair, 1) == BOB_NO_ID)
			goto out;
	}
	r = BOB_OK;
out:
	if (r < 0)
		assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_NOMEM);
	for (k = 0; k < i; k++) {
		(void)snprintf(text, sizeof(text), "f%u", k);
		assert_int_not_equal(str(d, text), BOB_NO_ID);
	}
	bob_dict_free(d);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	struct own_dict *f = *state;

	fault_each(put_all, f->ctx);
}

/* A tree of which nothing was looked for is found like any other. */
static void
fresh_stacks_are_found_later(void **state)
{
	struct own_dict *f = *state;
	bob_fid a = frame_at(f->d, "a", 1), b = frame_at(f->d, "b", 1);
	bob_stack v[64], next;
	size_t i;

	v[0] = bob_stack_push(f->d, 0, a);
	for (i = 1; i < 64; i++)
		v[i] = dict_push_fresh(f->d, v[(i - 1) / 2], i % 2 ? a : b);
	assert_int_equal(bob_dict_counts(f->d).n_stack, 65);
	for (i = 1; i < 64; i++)
		assert_int_equal(bob_stack_push(f->d, v[(i - 1) / 2],
		    i % 2 ? a : b), v[i]);
	assert_int_equal(bob_dict_counts(f->d).n_stack, 65);
	next = bob_stack_push(f->d, v[0], frame_at(f->d, "c", 1));
	assert_int_equal(next, 65);
	assert_int_equal(dict_push_fresh(f->d, v[0], frame_at(f->d, "d", 1)),
	    66);
	assert_int_equal(bob_stack_push(f->d, v[0], frame_at(f->d, "c", 1)),
	    next);
	assert_int_equal(bob_stack_push(f->d, v[0], frame_at(f->d, "d", 1)),
	    66);
}

#define WITH_DICT(f)                                                         \
	cmocka_unit_test_setup_teardown(f, own_dict_setup, own_dict_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DICT(new_dictionary_holds_nothing_but_id_0),
		cmocka_unit_test(freeing_no_dictionary_is_allowed),
		WITH_DICT(equal_strings_share_an_id),
		WITH_DICT(strings_are_bytes),
		WITH_DICT(strings_are_copied_and_stay_where_they_are),
		WITH_DICT(frames_differ_by_every_field),
		cmocka_unit_test(frame_has_no_padding),
		WITH_DICT(stacks_share_their_outer_frames),
		WITH_DICT(recursion_makes_a_new_stack_at_each_level),
		WITH_DICT(fresh_stacks_are_found_later),
		WITH_DICT(tracks_differ_by_what_is_known),
		WITH_DICT(empty_annotation_set_is_not_none),
		WITH_DICT(order_of_annotations_counts),
		WITH_DICT(too_many_pairs_are_refused),
		WITH_DICT(id_never_given_out_gives_what_id_0_gives),
		WITH_DICT(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("dict", tests, NULL, NULL);
}
