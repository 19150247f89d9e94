/* Comparisons through the library: what the tests of the command do not
 * reach. */
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"
#include "support.h"

struct files {
	struct bob_ctx *ctx;
	char path[2][32];
};

static void
write_bytes(char *path, const void *p, size_t n)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	(void)close(fd);
}

/* Two small traces with an order: 300 of 301 samples in main, then 200. */
static int
make_files(void **state)
{
	static struct files f;
	struct buf b = { 0 };
	int i;

	f.ctx = bob_ctx_new();
	for (i = 0; i < 2; i++) {
		b.n = 0;
		put_small_segment(&b, 10000, i == 0 ? 300 : 200);
		(void)snprintf(f.path[i], sizeof(f.path[i]), "diff-XXXXXX");
		write_bytes(f.path[i], b.p, b.n);
	}
	buf_free(&b);
	*state = &f;
	return 0;
}

static int
drop_files(void **state)
{
	struct files *f = *state;

	(void)unlink(f->path[0]);
	(void)unlink(f->path[1]);
	bob_ctx_free(f->ctx);
	return 0;
}

static int
open_profile(const struct files *f, struct bob_profile **ret)
{
	int i, r = bob_profile_new(f->ctx, NULL, ret);

	for (i = 0; r == BOB_OK && i < 2; i++)
		r = bob_profile_add(*ret, f->path[i], i);
	return r;
}

static void
sides_are_told_apart(void **state)
{
	struct files *f = *state;
	struct bob_diff_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME };
	const struct bob_diff_row *row;
	const struct bob_diff_path *path;
	struct bob_profile *p = NULL;
	struct bob_diff *d;
	size_t n;

	assert_status(f->ctx, BOB_OK, open_profile(f, &p));
	assert_status(f->ctx, BOB_OK, bob_diff_new(p, &o, &d));
	assert_int_equal(bob_diff_info(d).total[0].samples, 301);
	assert_int_equal(bob_diff_info(d).total[1].samples, 201);
	row = bob_diff_rows(d, BOB_BY_SELF, &n);
	assert_int_equal(n, 2);
	assert_int_equal(row[0].self.before.samples +
	    row[1].self.before.samples, 301);
	path = bob_diff_paths(d, &n);
	assert_int_equal(n, 3);
	assert_int_equal(path[0].first_child, 1);
	assert_int_equal(path[1].first_child, 2);
	assert_int_equal(path[1].self_before.samples, 300);
	assert_int_equal(path[2].total.after.samples, 1);
	bob_diff_free(d);
	o.max_depth = 1;
	assert_status(f->ctx, BOB_OK, bob_diff_new(p, &o, &d));
	(void)bob_diff_paths(d, &n);
	assert_int_equal(n, 2);
	bob_diff_free(d);
	bob_profile_free(p);
}

/* A view with the same grouping has the same keys, so that screens can look up
 * what a comparison says about what they show. */
static void
rows_are_found_by_the_keys_of_views(void **state)
{
	struct files *f = *state;
	struct bob_diff_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME };
	struct bob_view_opts vo = { .size = sizeof(vo),
		.group = BOB_GROUP_NAME, .side = 1 };
	const struct bob_diff_row *row;
	const struct bob_row *seen;
	struct bob_profile *p = NULL;
	struct bob_view *v;
	struct bob_diff *d;
	size_t n, i;

	assert_status(f->ctx, BOB_OK, open_profile(f, &p));
	assert_status(f->ctx, BOB_OK, bob_view_new(p, &vo, &v));
	assert_status(f->ctx, BOB_OK, bob_diff_new(p, &o, &d));
	seen = bob_view_rows(v, BOB_BY_TOTAL, &n);
	assert_int_equal(n, 2);
	for (i = 0; i < n; i++) {
		row = bob_diff_row(d, seen[i].key);
		assert_non_null(row);
		assert_int_equal(row->key, seen[i].key);
		assert_int_equal(row->total.after.samples,
		    seen[i].total.samples);
	}
	assert_null(bob_diff_row(d, 0));
	assert_null(bob_diff_row(d, UINT32_MAX));
	bob_diff_free(d);
	bob_view_free(v);
	bob_profile_free(p);
}

/* Compares folded stacks; the verdict must be these words. */
static void
expect_verdict(struct bob_ctx *ctx, const char *before, const char *after,
    const char *want)
{
	const char *const text[2] = { before, after };
	struct bob_diff_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME };
	const struct bob_diff_path *path;
	struct bob_profile *p = NULL;
	struct bob_diff *d;
	char name[32];
	size_t n, i;
	int side;

	assert_status(ctx, BOB_OK, bob_profile_new(ctx, NULL, &p));
	for (side = 0; side < 2; side++) {
		(void)snprintf(name, sizeof(name), "diff-XXXXXX");
		write_bytes(name, text[side], strlen(text[side]));
		assert_status(ctx, BOB_OK, bob_profile_add(p, name, side));
		(void)unlink(name);
	}
	assert_status(ctx, BOB_OK, bob_diff_new(p, &o, &d));
	assert_string_equal(bob_diff_verdict(d).text, want);
	path = bob_diff_paths(d, &n);
	for (i = 0; i < n; i++)
		assert_true(bob_diff_verdict(d).n_changed > 0 ||
		    !path[i].total.is_significant);
	bob_diff_free(d);
	bob_profile_free(p);
}

static void
verdict_names_what_changed_most(void **state)
{
	struct files *f = *state;

	expect_verdict(f->ctx, "m;a 500\nm;b 500\n", "m;a 480\nm;b 520\n",
	    "Nothing changed beyond noise: 0 of 3 functions. A change of 8.6 "
	    "points in the largest would have been found.");
	expect_verdict(f->ctx, "m;a 500\nm;b 500\n", "m;a 50\nm;b 60\n",
	    "Nothing changed beyond noise: 0 of 3 functions. A change of 19.4 "
	    "points in the largest would have been found.");
	expect_verdict(f->ctx, "m;a 2\n", "m;a 1\n",
	    "Nothing changed beyond noise: 0 of 2 functions. There are too few "
	    "samples to find a change.");
	expect_verdict(f->ctx, "m;a 500\nm;b 500\n", "m;a 500\nm;b 650\n",
	    "b grew: self +6.5 points [+2.3, +10.7], from 50.0 % to 56.5 % of "
	    "all samples. 2 of 3 functions changed beyond noise.");
	expect_verdict(f->ctx, "m;a 500\nm;b 500\n", "m;a 500\nm;c 500\n",
	    "c is new: self +50.0 points [+46.9, +53.1], from 0.0 % to 50.0 % "
	    "of all samples. 2 of 4 functions changed beyond noise.");
	/* No function alone explains what h calls. */
	expect_verdict(f->ctx, "m;h;a 100\nm;h;b 100\nm;h;c 100\nm;z 700\n",
	    "m;h;a 200\nm;h;b 200\nm;h;c 200\nm;z 700\n",
	    "h grew: total +16.2 points [+12.2, +20.0], from 30.0 % to 46.2 % "
	    "of all samples. 5 of 6 functions changed beyond noise.");
}

static void
bad_patterns_and_groups_are_refused(void **state)
{
	struct files *f = *state;
	struct bob_gate gate = { 0.05, "(" };
	struct bob_gate_hit *hit = NULL;
	struct bob_diff_opts o = { .size = sizeof(o), .group = 99 };
	struct bob_profile *p = NULL;
	struct bob_diff *d = NULL;
	size_t n;

	assert_status(f->ctx, BOB_OK, open_profile(f, &p));
	assert_int_equal(bob_diff_new(p, &o, &d), BOB_FAILED);
	assert_null(d);
	assert_status(f->ctx, BOB_OK, bob_diff_new(p, NULL, &d));
	assert_int_equal(bob_diff_gate(d, &gate, 1, &hit, &n, NULL),
	    BOB_FAILED);
	assert_int_equal(bob_ctx_error(f->ctx)->code, BOB_E_USAGE);
	assert_null(hit);
	bob_diff_free(d);
	bob_profile_free(p);
}

/* A program that was built when the struct had fewer fields. */
static void
options_may_be_shorter(void **state)
{
	struct files *f = *state;
	struct bob_diff_opts o = { .group = BOB_GROUP_NAME, .max_depth = 1 };
	struct bob_profile *p = NULL;
	struct bob_diff *d;
	size_t n;

	o.size = offsetof(struct bob_diff_opts, max_depth);
	assert_status(f->ctx, BOB_OK, open_profile(f, &p));
	assert_status(f->ctx, BOB_OK, bob_diff_new(p, &o, &d));
	(void)bob_diff_paths(d, &n);
	assert_int_equal(n, 3);
	bob_diff_free(d);
	bob_profile_free(p);
}

static int
compare_once(void *user)
{
	const struct files *f = user;
	struct bob_gate gate = { 0, NULL };
	struct bob_gate_hit *hit = NULL;
	struct bob_profile *p = NULL;
	struct bob_diff *d = NULL;
	size_t n = 0;
	int r = open_profile(f, &p);

	if (r == BOB_OK)
		r = bob_diff_new(p, NULL, &d);
	if (r == BOB_OK)
		r = bob_diff_gate(d, &gate, 1, &hit, &n, NULL);
	bob_gate_hits_free(hit);
	bob_diff_free(d);
	bob_profile_free(p);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	fault_each(compare_once, *state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides_are_told_apart),
		cmocka_unit_test(rows_are_found_by_the_keys_of_views),
		cmocka_unit_test(verdict_names_what_changed_most),
		cmocka_unit_test(bad_patterns_and_groups_are_refused),
		cmocka_unit_test(options_may_be_shorter),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, make_files, drop_files);
}
