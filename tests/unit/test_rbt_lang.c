/* Languages in .rbt: what metadata says of frames, and what comes back. */
#include "rig.h"

#include "listing.h"

static bob_stack
push_frame(struct rig *g, bob_stack parent, struct bob_frame f,
    const char *name)
{
	f.name = bob_str_put(g->d, name, strlen(name));
	f.file = bob_str_put(g->d, "f", 1);
	return bob_stack_push(g->d, parent, bob_frame_put(g->d, &f));
}

/* The bytes of g->got, into the same dictionary: equal frames are equal ids. */
static void
read_back(struct rig *g, struct bob_dict *d, struct listing *l)
{
	struct bob_read_opts o = { .size = sizeof(o), .dict = d };
	struct bob_reader *in;

	assert_status(g->ctx, BOB_OK,
	    bob_open_memory(g->ctx, g->got.p, g->got.n, "test", &o, &in));
	assert_status(g->ctx, BOB_EOF, listing_read(l, in));
}

static const struct bob_frame *
top_frame(const struct bob_dict *d, bob_stack s)
{
	return bob_frame_get(d, bob_stack_get(d, s).frame);
}

static void
languages_and_opcodes_come_back(void **state)
{
	static const struct bob_frame frame[] = {
		{ .lang = BOB_LANG_PHP, .where = 1 },
		{ .lang = BOB_LANG_PYTHON, .where = 1 },
		{ .lang = BOB_LANG_OTHER, .where = 1 },
		{ .lang = BOB_LANG_NATIVE, .where = 1 },
		{ .lang = BOB_LANG_PYTHON, .where = -1 },
		{ .lang = BOB_LANG_PYTHON, .where = 2, .opcode = 65535,
		    .flags = BOB_FRAME_OPCODE },
	};
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct listing l = { 0 };
	size_t i, k;

	start(g, NULL, NULL);
	for (k = 0; k < 2; k++) {
		write_segment(g, 10, 0);
		for (i = 0; i < COUNT_OF(frame); i++)
			write_run(g, push_frame(g, 0, frame[i], "f"), 1);
	}
	finish(g);
	read_back(g, d, &l);
	assert_int_equal(l.n, 2 * COUNT_OF(frame));
	assert_int_equal(l.meta.n, 0);
	for (i = 0; i < l.n; i++) {
		const struct bob_frame *f = top_frame(d, l.v[i].stack);

		k = i % COUNT_OF(frame);
		assert_int_equal(f->lang, frame[k].lang);
		assert_int_equal(f->where, frame[k].where);
		assert_int_equal(f->flags, frame[k].flags);
		assert_int_equal(f->opcode, frame[k].opcode);
	}
	listing_free(&l);
	bob_dict_free(d);
}

/* Frames of one language after the other need no word in between. */
static void
language_is_told_when_it_changes(void **state)
{
	static const struct bob_frame python = { .lang = BOB_LANG_PYTHON },
		native = { .lang = BOB_LANG_NATIVE };
	struct rig *g = *state;
	bob_stack s;
	size_t i, n = 0;

	start(g, NULL, NULL);
	s = push_frame(g, 0, python, "a");
	s = push_frame(g, s, native, "b");
	s = push_frame(g, s, python, "c");
	write_run(g, s, 1);
	write_run(g, push(g, 0, "php"), 1);
	write_run(g, s, 1);
	finish(g);
	for (i = 0; i + 15 <= g->got.n; i++)
		n += memcmp(g->got.p + i, "bobbin.language", 15) == 0;
	assert_int_equal(n, 2);
}

/* Two languages may call a function the same. */
static void
frames_of_two_languages_are_two(void **state)
{
	static const struct bob_frame python = { .lang = BOB_LANG_PYTHON },
		other = { .lang = BOB_LANG_OTHER };
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct listing l = { 0 };

	start(g, NULL, NULL);
	write_run(g, push_frame(g, 0, python, "a"), 1);
	write_run(g, push_frame(g, 0, other, "a"), 1);
	finish(g);
	read_back(g, d, &l);
	assert_int_equal(l.n, 2);
	assert_int_equal(top_frame(d, l.v[0].stack)->lang, BOB_LANG_PYTHON);
	assert_int_equal(top_frame(d, l.v[1].stack)->lang, BOB_LANG_OTHER);
	listing_free(&l);
	bob_dict_free(d);
}

static void
language_that_is_not_ours_is_metadata(void **state)
{
	static const char want[] = "0 bobbin.language=perl\n"
	    "0 bobbin.languages=python\n";
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct listing l = { 0 };

	start(g, NULL, NULL);
	write_meta(g, "bobbin.language", "perl");
	write_meta(g, "bobbin.languages", "python");
	/* This one speaks of another file's definitions. */
	write_meta(g, "bobbin.language", "python");
	write_run(g, push(g, 0, "a"), 1);
	finish(g);
	read_back(g, d, &l);
	assert_int_equal(l.meta.n, sizeof(want) - 1);
	assert_memory_equal(l.meta.p, want, sizeof(want) - 1);
	assert_int_equal(top_frame(d, l.v[0].stack)->lang, BOB_LANG_PHP);
	listing_free(&l);
	bob_dict_free(d);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(languages_and_opcodes_come_back),
		RIG_TEST(language_is_told_when_it_changes),
		RIG_TEST(frames_of_two_languages_are_two),
		RIG_TEST(language_that_is_not_ours_is_metadata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
