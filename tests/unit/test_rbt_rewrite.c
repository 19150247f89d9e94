/*
 * Files that reli wrote, read and written again: the samples and all their
 * facts stay, and the result is never larger.
 */
#include "listing.h"

#ifndef TEST_DATA
#error "TEST_DATA names the folder of the fixtures"
#endif

/* Closed properly by reli's own writer: the sizes can be compared. */
static const char *const reli_wrote[] = {
	"annotations",
	"annotations-ts",
	"empty-segment",
	"large-1m",
	"long-strings-deep",
	"metadata",
	"names-and-lines",
	"native-mixed",
	"opcodes",
	"pid-bundled",
	"pid-bundled-ts",
	"rle-runs",
	"segmented-rotation",
	"timestamps",
	"tiny",
	"utf8-and-binary",
};

/* Assembled by hand, or without their end. */
static const char *const others[] = {
	"header-only",
	"multi-segment",
	"no-segment-end",
	"reencoded-ids",
	"unknown-events",
};

static void
load(const char *name, struct buf *ret)
{
	char path[512];
	uint8_t part[65536];
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof(path), TEST_DATA "/rbt/%s.rbt", name);
	f = fopen(path, "rb");
	if (f == NULL)
		fail_msg("cannot open %s", path);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		put_bytes(ret, part, n);
	(void)fclose(f);
}

static int
append(void *user, const void *p, size_t n)
{
	put_bytes(user, p, n);
	return 0;
}

static struct bob_reader *
open_bytes(struct bob_ctx *ctx, const struct buf *b, struct bob_dict *d)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.format = "rbt",
		.dict = d };
	struct bob_reader *in;

	assert_status(ctx, BOB_OK,
	    bob_open_memory(ctx, b->p, b->n, "bytes", &o, &in));
	return in;
}

static void
rewrite(struct bob_ctx *ctx, struct bob_dict *d, const struct buf *from,
    struct buf *to)
{
	struct bob_target target = { .write = append, .user = to };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.dict = d };
	struct bob_reader *in = open_bytes(ctx, from, d);
	struct bob_writer *w;
	struct bob_event ev;
	int r;

	assert_status(ctx, BOB_OK, bob_create(ctx, &target, &o, &w));
	while ((r = bob_next(in, &ev)) == BOB_OK)
		assert_status(ctx, BOB_OK, bob_write_event(w, &ev));
	assert_status(ctx, BOB_EOF, r);
	assert_status(ctx, BOB_OK, bob_finish(w));
	bob_close(in);
}

static void
check_rewrite(struct bob_ctx *ctx, const char *name, int compare_size)
{
	struct bob_dict *d = bob_dict_new(ctx);
	struct buf old = { 0 }, new = { 0 };
	struct listing a = { 0 }, b = { 0 };

	assert_non_null(d);
	load(name, &old);
	rewrite(ctx, d, &old, &new);
	assert_status(ctx, BOB_EOF,
	    listing_read(&a, open_bytes(ctx, &old, d)));
	assert_status(ctx, BOB_EOF,
	    listing_read(&b, open_bytes(ctx, &new, d)));
	assert_listings(&b, &a);
	if (compare_size && new.n > old.n)
		fail_msg("%s: %zu bytes, reli needs %zu", name, new.n, old.n);
	listing_free(&a);
	listing_free(&b);
	buf_free(&old);
	buf_free(&new);
	bob_dict_free(d);
}

static void
what_reli_wrote_stays_the_same_and_gets_no_larger(void **state)
{
	size_t i;

	for (i = 0; i < COUNT_OF(reli_wrote); i++)
		check_rewrite(*state, reli_wrote[i], 1);
}

static void
unusual_files_stay_the_same(void **state)
{
	size_t i;

	for (i = 0; i < COUNT_OF(others); i++)
		check_rewrite(*state, others[i], 0);
}

static void
what_we_wrote_is_written_again_as_it_is(void **state)
{
	static const char *const names[] = { "annotations", "pid-bundled-ts",
		"reencoded-ids", "rle-runs", "segmented-rotation" };
	size_t i;

	for (i = 0; i < COUNT_OF(names); i++) {
		struct bob_dict *d = bob_dict_new(*state);
		struct buf old = { 0 }, new = { 0 }, again = { 0 };

		assert_non_null(d);
		load(names[i], &old);
		rewrite(*state, d, &old, &new);
		rewrite(*state, d, &new, &again);
		assert_int_equal(again.n, new.n);
		assert_memory_equal(again.p, new.p, new.n);
		buf_free(&old);
		buf_free(&new);
		buf_free(&again);
		bob_dict_free(d);
	}
}

#define TEST(name)                                                           \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_reli_wrote_stays_the_same_and_gets_no_larger),
		TEST(unusual_files_stay_the_same),
		TEST(what_we_wrote_is_written_again_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
