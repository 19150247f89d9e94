/* Annotations in .rbt where they change only: when they are told, and that
 * they come back. */
#include "rig.h"

#include "listing.h"

static void
write_of(struct rig *g, bob_stack stack, uint64_t pid, bob_annot annot)
{
	struct bob_track t = { .pid = pid, .flags = BOB_TRACK_PID };
	struct bob_run run = { .count = 1, .stack = stack, .annot = annot };

	if (pid != 0)
		run.track = bob_track_put(g->d, &t);
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
}

static void
put_nothing(struct buf *b)
{
	struct buf count = { 0 };

	put_varint(&count, 0);
	put_event(b, 0x0b, &count);
	buf_free(&count);
}

static void
annotations_are_told_when_they_change(void **state)
{
	struct rig *g = *state;
	bob_annot x, y;
	bob_stack a;

	start(g, "annotate", "changes");
	a = push(g, 0, "main");
	x = annotate(g, "uri", "x");
	y = annotate(g, "uri", "y");
	write_of(g, a, 7, 0);
	write_of(g, a, 7, x);
	write_of(g, a, 8, 0);
	write_of(g, a, 7, x);
	write_of(g, a, 8, x);
	write_of(g, a, 0, y);
	write_of(g, a, 7, y);
	write_of(g, a, 8, 0);
	write_of(g, a, 0, y);
	write_of(g, a, 8, 0);
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_pid_sample(&g->want, 0, 7);
	put_meta(&g->want, "bobbin.annotations", "changes");
	put_string(&g->want, 3, "uri");
	put_string(&g->want, 4, "x");
	put_pid_sample(&g->want, 0, 7);
	put_annotation(&g->want, 3, 4);
	put_pid_sample(&g->want, 0, 8);
	put_pid_sample(&g->want, 0, 7);
	put_pid_sample(&g->want, 0, 8);
	put_annotation(&g->want, 3, 4);
	put_string(&g->want, 5, "y");
	put_compact(&g->want, 0);
	put_annotation(&g->want, 3, 5);
	put_pid_sample(&g->want, 0, 7);
	put_annotation(&g->want, 3, 5);
	put_pid_sample(&g->want, 0, 8);
	put_nothing(&g->want);
	put_compact(&g->want, 0);
	put_pid_sample(&g->want, 0, 8);
	want_end(g, 1, 1, 10);
	finish_and_compare(g);
}

/* A reader that has lost something waits no longer than for a checkpoint. */
static void
annotations_are_told_anew_behind_a_checkpoint(void **state)
{
	struct rig *g = *state;
	bob_annot x;
	bob_stack a;
	size_t i;

	start(g, "annotate", "changes");
	a = push(g, 0, "main");
	x = annotate(g, "uri", "x");
	for (i = 0; i < 1001; i++) {
		write_of(g, a, 7, x);
		write_of(g, a, 8, 0);
	}
	put_header(&g->want, 10000, 0);
	want_first(g, "main");
	put_meta(&g->want, "bobbin.annotations", "changes");
	put_string(&g->want, 3, "uri");
	put_string(&g->want, 4, "x");
	for (i = 0; i < 1001; i++) {
		put_pid_sample(&g->want, 0, 7);
		if (i % 500 == 0)
			put_annotation(&g->want, 3, 4);
		put_pid_sample(&g->want, 0, 8);
		if ((i + 1) % 500 == 0)
			put_checkpoint(&g->want, 1, 1, 2 * (i + 1));
	}
	want_end(g, 1, 1, 2002);
	finish_and_compare(g);
}

static void
read_all(struct rig *g, uint32_t flags, struct bob_dict *d, struct listing *l)
{
	struct bob_read_opts o = { .size = sizeof(o), .dict = d,
		.flags = flags };
	struct bob_reader *in;

	assert_status(g->ctx, BOB_OK, bob_open_memory(g->ctx, g->got.p,
	    g->got.n, "test", &o, &in));
	assert_status(g->ctx, BOB_EOF, listing_read(l, in));
}

static void
assert_annotation(const struct bob_dict *d, bob_annot id, const char *value)
{
	size_t n;
	const struct bob_pair *v = bob_annot_get(d, id, &n);

	if (value == NULL) {
		assert_int_equal(id, 0);
		return;
	}
	assert_int_equal(n, 1);
	assert_memory_equal(bob_str_get(d, v[0].value).p, value,
	    strlen(value));
}

/* In each segment by itself, whoever looks at it in whichever way. */
static void
annotations_come_back(void **state)
{
	static const struct {
		uint64_t pid;
		const char *uri;
	} sample[] = { { 7, "x" }, { 8, NULL }, { 7, "x" }, { 0, "y" },
		{ 8, "y" }, { 7, NULL }, { 0, "y" }, { 7, NULL }, { 8, "y" },
		{ 1 << 20, "x" }, { 8, "x" }, { 1 << 20, "x" } };
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct listing l = { 0 };
	bob_stack a;
	size_t i, k;

	start(g, "annotate", "changes");
	a = push(g, 0, "main");
	for (k = 0; k < 2; k++) {
		write_segment(g, 10, 0);
		for (i = 0; i < COUNT_OF(sample); i++)
			write_of(g, a, sample[i].pid, sample[i].uri == NULL
			    ? 0 : annotate(g, "uri", sample[i].uri));
	}
	finish(g);
	read_all(g, 0, d, &l);
	assert_int_equal(l.n, 2 * COUNT_OF(sample));
	assert_int_equal(l.meta.n, 0);
	for (i = 0; i < l.n; i++)
		assert_annotation(d, l.v[i].annot,
		    sample[i % COUNT_OF(sample)].uri);
	listing_free(&l);
	bob_dict_free(d);
}

/* What changed in between may be lost as well: none is told until the next
 * time. */
static void
damage_takes_annotations_until_they_are_told_anew(void **state)
{
	struct rig *g = *state;
	struct bob_dict *d = bob_dict_new(g->ctx);
	struct listing l = { 0 };
	uint64_t n_none = 0;
	bob_stack a, b;
	bob_annot x;
	size_t i, at = 0;

	start(g, "annotate", "changes");
	a = push(g, 0, "one");
	b = push(g, 0, "two");
	x = annotate(g, "uri", "x");
	for (i = 0; i < 1100; i++) {
		if (i == 100) {
			assert_status(g->ctx, BOB_OK, bob_barrier(g->w, 0));
			at = g->got.n;
		}
		write_of(g, i % 2 ? a : b, 7, x);
	}
	finish(g);
	/* The second byte of an event: a length far too large. */
	g->got.p[at + 1] = 0x7f;
	read_all(g, BOB_READ_RECOVER, d, &l);
	for (i = 0; i < l.n; i++)
		n_none += l.v[i].annot == 0;
	assert_in_range(n_none, 800, 900);
	assert_annotation(d, l.v[0].annot, "x");
	assert_annotation(d, l.v[l.n - 1].annot, "x");
	listing_free(&l);
	bob_dict_free(d);
}

static void
other_words_are_refused(void **state)
{
	struct rig *g = *state;
	struct bob_target to = { .write = rig_collect, .user = g };
	struct bob_option option = { "annotate", "some" };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt",
		.options = &option, .n_options = 1 };

	assert_status(g->ctx, BOB_FAILED, bob_create(g->ctx, &to, &o, &g->w));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		RIG_TEST(annotations_are_told_when_they_change),
		RIG_TEST(annotations_are_told_anew_behind_a_checkpoint),
		RIG_TEST(annotations_come_back),
		RIG_TEST(damage_takes_annotations_until_they_are_told_anew),
		RIG_TEST(other_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
