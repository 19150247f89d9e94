/*
 * The two files of a live TACH writer, each cut anywhere, as after a power
 * failure. Recovery gives the samples that are left, in order, with the names
 * that are left; and all of them if no file is cut before a part that the other
 * file needs.
 */
#include <stdlib.h>
#include <unistd.h>

#include "salvage.h"
#include "tach_rule.h"

#define N_SAMPLES 150

struct pair {
	char dir[64], path[96], part[128], defs[160];
	struct buf part_bytes, defs_bytes;
};

static void
make_pair(struct bob_ctx *ctx, struct pair *p, int is_packed)
{
	struct bob_target to = { .path = p->path, .flags = BOB_TARGET_LIVE };
	struct bob_option none = { "compression", "none" };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "tach",
		.options = &none,
		.n_options = !is_packed };
	struct bob_writer *w;
	uint64_t i;

	memset(p, 0, sizeof(*p));
	(void)snprintf(p->dir, sizeof(p->dir), "/tmp/test-tach-cut-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	(void)snprintf(p->path, sizeof(p->path), "%s/t.bin", p->dir);
	(void)snprintf(p->part, sizeof(p->part), "%s.part", p->path);
	(void)snprintf(p->defs, sizeof(p->defs), "%s.defs", p->part);
	assert_status(ctx, BOB_OK, bob_create(ctx, &to, &o, &w));
	assert_status(ctx, BOB_OK, rule_begin(w));
	for (i = 0; i < N_SAMPLES; i++) {
		assert_status(ctx, BOB_OK, rule_write(w, i));
		if (i % 40 == 39)
			assert_status(ctx, BOB_OK, bob_barrier(w, 0));
	}
	bob_discard(w);
	load_file(p->part, &p->part_bytes);
	load_file(p->defs, &p->defs_bytes);
}

static void
free_pair(struct pair *p)
{
	(void)unlink(p->part);
	(void)unlink(p->defs);
	assert_int_equal(rmdir(p->dir), 0);
	buf_free(&p->part_bytes);
	buf_free(&p->defs_bytes);
}

static void
put_file(const char *path, const struct buf *b, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(b->p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Samples that are given when the files are cut to these sizes. */
static uint64_t
recover(struct bob_ctx *ctx, const struct pair *p, size_t n_part,
    size_t n_defs, uint64_t *ret_nameless)
{
	struct rule_check c = { 0 };
	uint64_t n;

	put_file(p->part, &p->part_bytes, n_part);
	put_file(p->defs, &p->defs_bytes, n_defs);
	n = rule_read(ctx, p->part, BOB_READ_RECOVER, &c);
	if (ret_nameless != NULL)
		*ret_nameless = c.n_nameless;
	return n;
}

/* Fewer bytes never give more samples. */
static void
check_part_cuts(struct bob_ctx *ctx, const struct pair *p, size_t n_defs,
    size_t step)
{
	uint64_t n, last = 0;
	size_t cut;

	for (cut = 64; cut <= p->part_bytes.n; cut += step) {
		n = recover(ctx, p, cut, n_defs, NULL);
		assert_true(n >= last);
		last = n;
	}
}

static void
check_cuts(struct bob_ctx *ctx, int is_packed)
{
	struct pair p;
	uint64_t nameless;
	size_t cut;

	make_pair(ctx, &p, is_packed);
	check_part_cuts(ctx, &p, p.defs_bytes.n, 5);
	/* The journal has its head in bytes 8 to 48. */
	for (cut = 48; cut < p.defs_bytes.n; cut += cut / 2)
		check_part_cuts(ctx, &p, cut, 37);
	for (cut = 48; cut <= p.defs_bytes.n; cut += 7)
		assert_int_equal(recover(ctx, &p, p.part_bytes.n, cut, NULL),
		    N_SAMPLES);
	assert_int_equal(recover(ctx, &p, p.part_bytes.n, p.defs_bytes.n,
	    &nameless), N_SAMPLES);
	assert_int_equal(nameless, 0);
	free_pair(&p);
}

static void
plain_pair_is_read_as_far_as_it_goes(void **state)
{
	check_cuts(*state, 0);
}

static void
packed_pair_is_read_as_far_as_it_goes(void **state)
{
	check_cuts(*state, 1);
}

#define TEST(name)                                                           \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain_pair_is_read_as_far_as_it_goes),
		TEST(packed_pair_is_read_as_far_as_it_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
